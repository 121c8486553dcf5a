package dsl

import (
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

func TestMergeBranches(t *testing.T) {
	t.Parallel()
	const before = `{"q":1,"o":{"n":1},"$host":{"log":["0"],"same":1}}`
	cases := []struct {
		name     string
		branches []string
		want     string
		conflict string
	}{
		{"nothing written", []string{before, before}, before, ""},
		{
			"each its own key",
			[]string{`{"q":1,"o":{"n":1},"a":1,"$host":{"log":["0"],"same":1}}`, `{"q":1,"o":{"n":1},"b":2,"$host":{"log":["0"],"same":1}}`},
			`{"q":1,"o":{"n":1},"$host":{"log":["0"],"same":1},"a":1,"b":2}`, "",
		},
		{
			"an equal copy is no write",
			[]string{`{"q":1,"o":{"n":1},"$host":{"same":1,"log":["0"]}}`, `{"q":1,"o":{"n":2},"$host":{"log":["0"],"same":1}}`},
			`{"q":1,"o":{"n":2},"$host":{"log":["0"],"same":1}}`, "",
		},
		{"equal writes of one key", []string{`{"q":2}`, `{"q":2}`}, "", "q"},
		{
			"lists append in the order of the branches",
			[]string{
				`{"q":1,"o":{"n":1},"$host":{"log":["0","a"],"same":1}}`, `{"q":1,"o":{"n":1},"$host":{"log":["0","b","c"],"same":1}}`,
			},
			`{"q":1,"o":{"n":1},"$host":{"log":["0","a","b","c"],"same":1}}`, "",
		},
		{
			"a list made anew",
			[]string{`{"q":1,"o":{"n":1},"$host":{"log":["0"],"same":1,"x":[1]}}`, `{"q":1,"o":{"n":1},"$host":{"log":["9"],"same":1,"x":[2]}}`},
			`{"q":1,"o":{"n":1},"$host":{"log":["9"],"same":1,"x":[1,2]}}`, "",
		},
		{"equal scalars count once", []string{`{"$host":{"same":2}}`, `{"$host":{"same":2}}`}, `{"q":1,"o":{"n":1},"$host":{"log":["0"],"same":2}}`, ""},
		{"two scalars", []string{`{"$host":{"same":2}}`, `{"$host":{"same":3}}`}, "", "$host.same"},
		{"a list against a scalar", []string{`{"$host":{"x":[1]}}`, `{"$host":{"x":1}}`}, "", "$host.x"},
		{"a scalar against a list", []string{`{"$host":{"x":1}}`, `{"$host":{"x":[1]}}`}, "", "$host.x"},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			branches := make([]*Object, len(c.branches))
			for i, text := range c.branches {
				branches[i] = decodedObject(t, text)
			}
			merge, err := mergeBranches(decodedObject(t, before), branches)
			var conflict *writeConflict
			if errors.As(err, &conflict) != (c.conflict != "") || conflict != nil && conflict.path != c.conflict {
				t.Fatalf("the conflict is %v, want %q", err, c.conflict)
			}
			if c.conflict != "" {
				return
			}
			if diff := cmp.Diff(c.want, JSON(merge)); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

// TestMergeOfDisjointBranches merges branches that write different keys: all writes are there, and the order of the
// branches makes no difference to what is there.
func TestMergeOfDisjointBranches(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		before := objects().Draw(t, "before")
		left := merged(before, ObjectOf("left", values().Draw(t, "left")))
		right := merged(before, ObjectOf("right", values().Draw(t, "right")))
		one, err := mergeBranches(before, []*Object{left, right})
		if err != nil {
			t.Fatal(err)
		}
		other, err := mergeBranches(before, []*Object{right, left})
		if err != nil {
			t.Fatal(err)
		}
		if !Equal(one, other) || !one.Has("left") || !one.Has("right") {
			t.Fatalf("%s and %s", JSON(one), JSON(other))
		}
	})
}

func TestPromptState(t *testing.T) {
	t.Parallel()
	for given, want := range map[string]string{
		`{"a":1}`:                               `{"a":1}`,
		`{"a":1,"$host":{"k":1},"x$answers":2}`: `{"a":1,"x$answers":2}`,
		`{"context":{"references":[1],"k":2,"references_parsed":{}},"references":"mine"}`: `{"context":{"k":2},"references":"mine"}`,
		`{"context":"text"}`: `{"context":"text"}`,
	} {
		state := decodedObject(t, given)
		if diff := cmp.Diff(want, JSON(promptState(state))); diff != "" {
			t.Errorf("%s (-want +got):\n%s", given, diff)
		}
		if JSON(state) != given {
			t.Errorf("%s was changed", given)
		}
	}
}
