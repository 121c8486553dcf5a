package cases

import "testing"

func TestOnlyAPublishedCaseDiffers(t *testing.T) {
	t.Parallel()
	known := Differences()[0]
	for name, tc := range map[string]struct {
		c       Case
		differs bool
	}{
		"the published case":     {Case{Name: known.Name, Source: known.Source}, true},
		"one of an author's own": {Case{Name: known.Name, Source: "my tests"}, false},
		"one without a source":   {Case{Name: known.Name}, false},
		"another published case": {Case{Name: "call-executor-fetch", Source: known.Source}, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			reason, differs := tc.c.Differs()
			if differs != tc.differs || (reason != "") != tc.differs {
				t.Errorf("differs %v: %q", differs, reason)
			}
		})
	}
}
