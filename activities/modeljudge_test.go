package activities

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/agentrun/agentrun/dsl"
)

func questions() []dsl.Question {
	return []dsl.Question{
		{ID: "ok", Type: "noul", Instructions: "Is it?"},
		{ID: "kind", Type: "choice", Criteria: dsl.ObjectOf("x", nil, "y", "the other")},
		{ID: "grade", Type: "score", Levels: []string{"low", "middle", "high"}},
	}
}

func TestAModelsProbabilitiesBecomeAnswers(t *testing.T) {
	t.Parallel()
	const said = `{"ok":{"probability_yes":0.75},"kind":{"probabilities":{"x":0.3,"y":0.9}},
		"grade":{"probabilities":{"0":0.25,"1":0.25,"2":0.5}}}`
	answers, err := answersOf(questions(), said)
	if err != nil {
		t.Fatal(err)
	}
	const want = `{"ok":{"type":"noul","noul":0.75},` +
		`"kind":{"type":"choice","choice":"y","confidence":0.75,"probabilities":{"x":0.25,"y":0.75}},` +
		`"grade":{"type":"score","score":1.25,"legend":{"0":"low","1":"middle","2":"high"},"confidence":0.5,` +
		`"probabilities":{"0":0.25,"1":0.25,"2":0.5}}}`
	if diff := cmp.Diff(want, strings.ReplaceAll(dsl.JSON(answers), "0.24999999999999997", "0.25")); diff != "" {
		t.Errorf("answers (-want +got):\n%s", diff)
	}
}

func TestAnswersThatCannotBeUsedAreNamed(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ said, names string }{
		"no object":            {`7`, "one entry for each question"},
		"a question left out":  {`{"ok":{"probability_yes":1}}`, "one entry for each question"},
		"a probability of two": {`{"ok":{"probability_yes":2},"kind":{"probabilities":{"x":0,"y":1}},"grade":{"probabilities":{"0":1,"1":0,"2":0}}}`, `"ok"`},
		"an option left out":   {`{"ok":{"probability_yes":1},"kind":{"probabilities":{"y":1}},"grade":{"probabilities":{"0":1,"1":0,"2":0}}}`, `"x"`},
		"a sum far from one":   {`{"ok":{"probability_yes":1},"kind":{"probabilities":{"x":0,"y":0.5}},"grade":{"probabilities":{"0":1,"1":0,"2":0}}}`, "0.50"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			value, err := dsl.Decode([]byte(c.said))
			if err != nil {
				t.Fatal(err)
			}
			if problems := strings.Join(answerProblems(questions(), value), "; "); !strings.Contains(problems, c.names) {
				t.Errorf("problems %q do not name %q", problems, c.names)
			}
		})
	}
}

func TestTheAnswerSchemaAsksForEachQuestionAndNothingElse(t *testing.T) {
	t.Parallel()
	schema := dsl.JSON(answerSchema(questions()))
	for _, part := range []string{
		`"required":["ok","kind","grade"]`, `"additionalProperties":false`, `"probability_yes"`, `"required":["x","y"]`,
		`"required":["0","1","2"]`,
	} {
		if !strings.Contains(schema, part) {
			t.Errorf("the schema lacks %s: %s", part, schema)
		}
	}
}
