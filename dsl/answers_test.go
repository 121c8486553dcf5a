package dsl

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

// askedSchema has one question of each type.
const askedSchema = `{"properties":{
	"yes":{"type":["boolean","null"],"description":"Is it so?","criteria":{"true":"it is"}},
	"kind":{"type":"string","description":"Which?","enum":["a","b"],"criteria":{"b":"the second"}},
	"level":{"type":"integer","description":"How much?","criteria":["none","some","all"]}}}`

func TestQuestionsOfASchema(t *testing.T) {
	t.Parallel()
	got := questionsOf(decodedObject(t, askedSchema))
	want := []Question{
		{ID: "yes", Type: "noul", Instructions: "Is it so?", Criteria: ObjectOf("true", "it is")},
		{ID: "kind", Type: "choice", Instructions: "Which?", Criteria: ObjectOf("a", nil, "b", "the second")},
		{ID: "level", Type: "score", Instructions: "How much?", Levels: []string{"none", "some", "all"}},
	}
	if diff := cmp.Diff(want, got, cmp.Comparer(func(a, b *Object) bool { return JSON(a) == JSON(b) })); diff != "" {
		t.Errorf("questions (-want +got):\n%s", diff)
	}
}

const (
	goodYes   = `"yes":{"type":"noul","noul":0.5}`
	goodKind  = `"kind":{"type":"choice","choice":"a","probabilities":{"a":0.3,"b":0.7},"confidence":0.4}`
	goodLevel = `"level":{"type":"score","score":1.5,"legend":{"0":"none","1":"some","2":"all"},"probabilities":{"0":0,"1":0.5,"2":0.5},"confidence":0.25}`
)

func TestAnswersAreChecked(t *testing.T) {
	t.Parallel()
	questions := questionsOf(decodedObject(t, askedSchema))
	level := func(score, spread string) string {
		return goodYes + "," + goodKind + `,"level":{"type":"score","score":` + score +
			`,"legend":{"0":"none","1":"some","2":"all"},"probabilities":` + spread + `,"confidence":1}`
	}
	kind := func(fields string) string {
		return goodYes + `,"kind":{"type":"choice",` + fields + `},` + goodLevel
	}
	cases := []struct{ name, answers, reason string }{
		{"all good", goodYes + "," + goodKind + "," + goodLevel, ""},
		{"one missing", goodYes + "," + goodKind, "answer_keys"},
		{"another key", goodYes + "," + goodKind + `,"levels":{}`, "answer_keys"},
		{"one too many", goodYes + "," + goodKind + "," + goodLevel + `,"more":1`, "answer_keys"},
		{"no object", `"yes":0.5,` + goodKind + "," + goodLevel, "answer_shape"},
		{"another type", `"yes":{"type":"score","noul":1},` + goodKind + "," + goodLevel, "answer_type"},
		{"beyond 1", `"yes":{"type":"noul","noul":1.01},` + goodKind + "," + goodLevel, "noul_probability"},
		{"a text", `"yes":{"type":"noul","noul":"1"},` + goodKind + "," + goodLevel, "noul_probability"},
		{"no confidence", kind(`"choice":"a","probabilities":{"a":1,"b":0}`), "confidence"},
		{"no probabilities", kind(`"choice":"a","confidence":1`), "probabilities"},
		{"a negative one", kind(`"choice":"a","confidence":1,"probabilities":{"a":1.1,"b":-0.1}`), "probabilities"},
		{"one option missing", kind(`"choice":"a","confidence":1,"probabilities":{"a":1}`), "probability_keys"},
		{"another option", kind(`"choice":"a","confidence":1,"probabilities":{"a":1,"c":0}`), "probability_keys"},
		{"too little mass", kind(`"choice":"a","confidence":1,"probabilities":{"a":0.9,"b":0.07}`), "probability_mass"},
		{"mass within the tolerance", kind(`"choice":"b","confidence":1,"probabilities":{"a":0.9,"b":0.08}`), ""},
		{"a choice that is no option", kind(`"choice":"c","confidence":1,"probabilities":{"a":1,"b":0}`), "choice_option"},
		{"another legend", goodYes + "," + goodKind + `,"level":{"type":"score","score":1,"legend":{"0":"none","1":"some","2":"most"},` +
			`"probabilities":{"0":0,"1":1,"2":0},"confidence":1}`, "score_legend"},
		{"no weighted mean", level("1.1", `{"0":0,"1":1,"2":0}`), "score_consistency"},
		{"within the tolerance", level("1.000009", `{"0":0,"1":1,"2":0}`), ""},
		{"beyond the levels", level("2.5", `{"0":0,"1":0,"2":1}`), "score_range"},
		{"below the levels", level("-0.1", `{"0":1,"1":0,"2":0}`), "score_range"},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			_, reason := checkAnswers(questions, decodedObject(t, "{"+c.answers+"}"))
			if reason != c.reason {
				t.Errorf("%s is refused for %q, want %q", c.answers, reason, c.reason)
			}
		})
	}
	if _, reason := checkAnswers(questions, nil); reason != "answers_shape" {
		t.Errorf("no answers are refused for %q", reason)
	}
}

func TestSidecar(t *testing.T) {
	t.Parallel()
	questions := questionsOf(decodedObject(t, askedSchema))
	raw := decodedObject(t, "{"+goodYes+","+goodKind+","+goodLevel+"}")
	answers, reason := checkAnswers(questions, raw)
	if reason != "" {
		t.Fatal(reason)
	}
	said := &answered{Judged: Judged{Answers: raw}, questions: questions, answers: answers}
	if diff := cmp.Diff(`{"yes":true,"kind":"a","level":2}`, JSON(said.values())); diff != "" {
		t.Errorf("values (-want +got):\n%s", diff)
	}
	want := `{"answers":` + JSON(raw) + `,"confidence":{"yes":0,"kind":0.4,"level":0.25},"weakest":"yes","min_confidence":0}`
	if diff := cmp.Diff(want, JSON(said.sidecar())); diff != "" {
		t.Errorf("sidecar (-want +got):\n%s", diff)
	}
}

func TestFourDecimals(t *testing.T) {
	t.Parallel()
	for x, want := range map[float64]float64{
		0.79980000001: 0.7998, 0.03125: 0.0313, 0.12345: 0.1235, 1: 1, 0: 0, 0.00005: 0.0001, 0.99996: 1,
	} {
		if got := fourDecimals(x); got != want {
			t.Errorf("fourDecimals(%v) = %v, want %v", x, got, want)
		}
	}
}

func TestCheckingAnswersNeverPanics(t *testing.T) {
	t.Parallel()
	questions := questionsOf(&Object{})
	rapid.Check(t, func(t *rapid.T) {
		raw := objects().Draw(t, "answers")
		asked := slices.Concat(questions, []Question{
			{ID: "a", Type: "choice", Criteria: ObjectOf("x", nil)}, {ID: "b", Type: "score", Levels: []string{"l", "h"}},
		})
		if answers, reason := checkAnswers(asked, raw); reason == "" && len(answers) != len(asked) {
			t.Fatal("answers are missing")
		}
	})
}

func TestIsFilled(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]bool{
		`null`: false, `false`: false, `""`: false, `" "`: false, `[]`: false, `"None"`: false, `"N/A"`: false, `"na"`: false,
		`"unknown"`: false, `"not found"`: false, `"Not  stated"`: false, `"-"`: false, `"nil"`: false,
		`true`: true, `0`: true, `{}`: true, `["x"]`: true, `"not sure"`: true, `"notfound"`: true,
	} {
		if got := isFilled(decoded(t, text)); got != want {
			t.Errorf("isFilled(%s) = %t, want %t", text, got, want)
		}
	}
}
