package api

import (
	"net/http"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestEntityTagsOfAHeader(t *testing.T) {
	t.Parallel()
	for header, want := range map[string][]string{
		"": nil, " ": nil, ",": nil, `"a"`: {"a"}, `a`: {"a"}, `W/"a"`: {"a"}, `"a", W/"b" ,c`: {"a", "b", "c"}, "*": {"*"},
		`""`: nil,
	} {
		if diff := cmp.Diff(want, entityTags(header)); diff != "" {
			t.Errorf("%q: %s", header, diff)
		}
	}
}

func TestMatchesComparesWholeTags(t *testing.T) {
	t.Parallel()
	for header, want := range map[string]bool{
		`"abc"`: true, `abc`: true, `W/"abc"`: true, `"x", "abc"`: true, "*": true, `"ab"`: false, `"abcd"`: false, "": false,
		`"ABC"`: false,
	} {
		if got := matches(header, `"abc"`); got != want {
			t.Errorf("%q: %v", header, got)
		}
	}
}

func TestATagFollowsTheContent(t *testing.T) {
	t.Parallel()
	first, err := tag(map[string]int{"a": 1}, "", IfNoneMatch{})
	if err != nil {
		t.Fatal(err)
	}
	same, _ := tag(map[string]int{"a": 1}, "", IfNoneMatch{first.ETag})
	other, _ := tag(map[string]int{"a": 2}, "", IfNoneMatch{first.ETag})
	if first.Status != http.StatusOK || same.Status != http.StatusNotModified || other.Status != http.StatusOK {
		t.Errorf("%d %d %d", first.Status, same.Status, other.Status)
	}
	if first.ETag != same.ETag || first.ETag == other.ETag {
		t.Errorf("%s %s %s", first.ETag, same.ETag, other.ETag)
	}
	prefixed, _ := tag(map[string]int{"a": 1}, "home", IfNoneMatch{})
	if !isCurrent(prefixed.ETag, "home") || isCurrent(prefixed.ETag, "hom") || isCurrent(first.ETag, "home") {
		t.Errorf("%s", prefixed.ETag)
	}
	if _, err := tag(make(chan int), "", IfNoneMatch{}); err == nil {
		t.Error("what has no JSON was tagged")
	}
}
