package models

import (
	"slices"

	"github.com/agentrun/agentrun/run"
)

// efforts are all efforts, from the least to the most.
var efforts = []string{"none", "minimal", "low", "medium", "high", "xhigh", "max"}

// commonEfforts are what a reasoning model of unknown efforts is taken to know.
var commonEfforts = []string{"low", "medium", "high"}

// FitEffort is the effort the model knows that comes nearest to what is wanted without passing it, else the least it
// knows. It is empty where nothing is wanted or the model does not reason.
func FitEffort(m run.Model, want string) string {
	rank := slices.Index(efforts, want)
	if !m.Reasoning || rank < 0 {
		return ""
	}
	known := m.Efforts
	if len(known) == 0 {
		known = commonEfforts
	}
	for i := rank; i >= 0; i-- {
		if slices.Contains(known, efforts[i]) {
			return efforts[i]
		}
	}
	for _, effort := range efforts {
		if slices.Contains(known, effort) {
			return effort
		}
	}
	return ""
}

// thinkingBudgets are the tokens of thinking an effort buys on Messages models that take a budget instead of an effort.
var thinkingBudgets = map[string]int64{
	"minimal": 1024, "low": 2048, "medium": 8192, "high": 16384, "xhigh": 32768, "max": 32768,
}

// minThinkingBudget is the smallest budget the Messages protocol takes (tokens).
const minThinkingBudget = 1024

// thinkingBudget is the budget for an effort under an output ceiling, 0 for no thinking. Thinking counts against the
// ceiling, so at most half of it may be thought away.
func thinkingBudget(effort string, ceiling int64) int64 {
	budget := min(thinkingBudgets[effort], ceiling/2)
	if budget < minThinkingBudget {
		return 0
	}
	return budget
}

// adaptive tells whether a Messages model thinks as much as it sees fit under an effort. The models that do are those
// with an effort above high; the others take a budget.
func adaptive(m run.Model) bool {
	return slices.Contains(m.Efforts, "max") || slices.Contains(m.Efforts, "xhigh")
}

// ceiling is the output limit to ask for (tokens), 0 for none.
func ceiling(r Request) int64 {
	if r.Model.NoOutputLimit {
		return 0
	}
	if r.MaxOutput > 0 {
		return r.MaxOutput
	}
	return r.Model.MaxOutput
}
