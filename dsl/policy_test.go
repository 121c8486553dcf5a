package dsl_test

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/agentrun/agentrun/dsl"
)

func sha256Hex(text string) string {
	sum := sha256.Sum256([]byte(text))
	return hex.EncodeToString(sum[:])
}

func TestPolicy(t *testing.T) {
	t.Parallel()
	workflow := document(t, `{"node":"chain","steps":[
		{"node":"agent","label":"a","instructions":"i","out":"V","as":"a"},
		{"node":"agent","label":"b","instructions":"i","out":"V","as":"b"},
		{"node":"code","label":"c","code":"s => ({ keys: Object.keys(s) })"}]}`)
	var system []string
	var users []string
	host := &testHost{generate: func(_ context.Context, ask dsl.Generation) (dsl.Submission, error) {
		system, users = ask.System, append(users, ask.User)
		return dsl.Submission{Value: dsl.ObjectOf("answer", dsl.ObjectOf("v", ask.Label), "trace", "t")}, nil
	}}
	policy := dsl.Policy{
		SystemBlocks: func(ask dsl.Generation) []string { return []string{"", "of " + ask.Label} },
		Decode: func(_ dsl.Generation, submission any) (any, *dsl.Object, error) {
			fields, _ := submission.(*dsl.Object)
			value, _ := fields.Get("answer")
			return value, dsl.ObjectOf("traces", []any{"t"}), nil
		},
		AfterNode: func(path string, _ dsl.Node, _ *dsl.Object) (*dsl.Object, error) {
			if path == "/root/steps/0" {
				return dsl.ObjectOf("noted", true), nil
			}
			return nil, nil //nolint:nilnil // nothing to add
		},
	}
	result, err := workflow.Run(t.Context(), host, dsl.Options{Policy: policy, Skill: "skill"}, dsl.ObjectOf("q", 1.0))
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"skill", "i", "of b"}, system); diff != "" {
		t.Errorf("system (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]string{`{"q":1}`, `{"q":1,"a":{"v":"a"},"noted":true}`}, users); diff != "" {
		t.Errorf("what the models see (-want +got):\n%s", diff)
	}
	want := `{"q":1,"a":{"v":"a"},"noted":true,"b":{"v":"b"},"keys":["q","a","noted","b"]}`
	if diff := cmp.Diff(want, dsl.JSON(result.Output)); diff != "" {
		t.Errorf("output (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff(`{"traces":["t"]}`, dsl.JSON(result.Host)); diff != "" {
		t.Errorf("what the host keeps (-want +got):\n%s", diff)
	}
}

func TestPolicyMayNotWriteTheHostsPart(t *testing.T) {
	t.Parallel()
	workflow := document(t, `{"node":"code","label":"c","code":"() => ({ a: 1 })"}`)
	policy := dsl.Policy{AfterNode: func(string, dsl.Node, *dsl.Object) (*dsl.Object, error) {
		return dsl.ObjectOf("$host", 1.0), nil
	}}
	_, err := workflow.Run(t.Context(), &testHost{}, dsl.Options{Policy: policy}, dsl.NewObject(0))
	if failure := failureOf(t, err); failure.Reason != "reserved_state_key" {
		t.Errorf("it fails with %+v", failure)
	}
}

func TestStartOfARun(t *testing.T) {
	t.Parallel()
	workflow := document(t, `{"node":"agent","label":"a","instructions":"i","out":"V","as":"a","sopSection":"Gather"}`)
	cases := []struct {
		name        string
		input       any
		options     dsl.Options
		code, class string
	}{
		{"a list as input", []any{}, dsl.Options{}, dsl.CodeInputInvalid, dsl.ClassRun},
		{"no input", nil, dsl.Options{}, dsl.CodeInputInvalid, dsl.ClassRun},
		{"the host's key in the input", dsl.ObjectOf("$host", 1.0), dsl.Options{SOP: "## Gather\n"}, dsl.CodeInputInvalid, dsl.ClassRun},
		{"no procedure text", dsl.NewObject(0), dsl.Options{}, "", dsl.ClassCapability},
		{"another procedure text", dsl.NewObject(0), dsl.Options{SOP: "## Other\n"}, "", dsl.ClassCapability},
		{"no models", dsl.NewObject(0), dsl.Options{SOP: "## Gather\n", Adapters: &dsl.Adapters{Judge: true}}, "", dsl.ClassCapability},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			host := &testHost{}
			_, err := workflow.Run(t.Context(), host, c.options, c.input)
			failure := failureOf(t, err)
			if failure.Code != c.code || failure.Class != c.class || len(host.asked) > 0 {
				t.Errorf("it fails with code %q of class %s after %d calls", failure.Code, failure.Class, len(host.asked))
			}
		})
	}
}

func TestTooManyQuestionsAreRefusedFirst(t *testing.T) {
	t.Parallel()
	workflow := document(t, `{"node":"sift","label":"s","itemsPath":"items","out":"Yes","as":"s"}`)
	_, err := workflow.Run(t.Context(), &testHost{}, dsl.Options{Adapters: &dsl.Adapters{}}, parsed(t, `{"items":[]}`))
	if failure := failureOf(t, err); failure.Class != dsl.ClassCapability {
		t.Errorf("a host without a judge fails with %+v", failure)
	}
}

func TestSiftSplitsByBytes(t *testing.T) {
	t.Parallel()
	workflow := document(t, `{"node":"sift","label":"s","itemsPath":"items","out":"Yes","as":"s"}`)
	sure := func(ask dsl.Judgment) (dsl.Judged, error) {
		answers := dsl.NewObject(len(ask.Questions))
		for _, question := range ask.Questions {
			answers.Set(question.ID, dsl.ObjectOf("type", "noul", "noul", 1.0))
		}
		return dsl.Judged{Answers: answers}, nil
	}
	input := parsed(t, `{"items":["aaaa","bbbb","cccc","dddd","eeee"]}`)
	for _, limit := range []int{60, 61, 90, 91, 200, 0} {
		t.Run(fmt.Sprint(limit), func(t *testing.T) {
			t.Parallel()
			host := &testHost{judge: func(ask dsl.Judgment) (dsl.Judged, error) {
				if size := len(dsl.JSON(ask.State)); limit > 0 && size > limit {
					t.Errorf("a request has %d bytes, more than %d", size, limit)
				}
				return sure(ask)
			}}
			result, err := workflow.Run(t.Context(), host, dsl.Options{MaxStateBytesPerRequest: limit}, input)
			if err != nil {
				t.Fatal(err)
			}
			sifted, _ := result.State.Get("s")
			object, _ := sifted.(*dsl.Object)
			if kept, _ := object.Get("kept"); dsl.JSON(kept) != "[0,1,2,3,4]" {
				t.Errorf("it keeps %s", dsl.JSON(kept))
			}
		})
	}
	_, err := workflow.Run(t.Context(), &testHost{judge: sure}, dsl.Options{MaxStateBytesPerRequest: 30}, input)
	if failure := failureOf(t, err); failure.Class != dsl.ClassCapability {
		t.Errorf("an item beyond the bound fails with %+v", failure)
	}
}

func TestVerifyRunsOut(t *testing.T) {
	t.Parallel()
	workflow := document(t, `{"node":"decide","label":"d","instructions":"i","state":{},"out":"V","as":"d",
		"verify":{"out":"Yes","maxDrives":2,"state":{"claim":"{d.v}"}}}`)
	host := &testHost{
		generate: func(ctx context.Context, ask dsl.Generation) (dsl.Submission, error) {
			review, err := ask.Review(ctx, dsl.ObjectOf("v", "draft"))
			if err != nil || review.Accepted || review.Last {
				t.Errorf("the first review is %+v, %v", review, err)
			}
			return answering("final")(ctx, ask)
		},
		judge: func(dsl.Judgment) (dsl.Judged, error) {
			return dsl.Judged{Answers: dsl.ObjectOf("ok", dsl.ObjectOf("type", "noul", "noul", 0.4))}, nil
		},
	}
	_, err := workflow.Run(t.Context(), host, dsl.Options{}, dsl.NewObject(0))
	failure := failureOf(t, err)
	if failure.Code != dsl.CodeVerification || len(failure.Drives) != 2 || dsl.JSON(failure.Candidate) != `{"v":"final"}` {
		t.Errorf("it fails with %+v", failure)
	}
	want := []string{
		`generate /root {}`, `judge /root verify/0 {"claim":"draft","submission":{"v":"draft"}}`,
		`judge /root verify/1 {"claim":"final","submission":{"v":"final"}}`,
	}
	if diff := cmp.Diff(want, host.asked); diff != "" {
		t.Errorf("asked (-want +got):\n%s", diff)
	}
}
