package engine

import (
	"regexp"
	"strings"
)

// Temporal's visibility table comes with some fifty indexes and two full-text tables, all written for every start and
// every end of an execution: a third of what the engine costs a short run. Here a list is filtered by what the UI offers
// and by this product's attributes, so only those indexes are made; any other filter still works, by a scan.
var keptIndexes = map[string]bool{
	"default_idx": true, "by_workflow_id": true, "by_workflow_type": true, "by_status": true,
	// The columns of AgentRunAgent, AgentRunHarness and AgentRunStatus.
	"by_keyword_01": true, "by_keyword_02": true, "by_keyword_03": true,
}

var (
	indexStatement   = regexp.MustCompile(`^CREATE INDEX (\w+)\s+ON executions_visibility\b`)
	triggerStatement = regexp.MustCompile(`^CREATE TRIGGER executions_visibility_(ai|ad|au) AFTER (INSERT|DELETE|UPDATE) ON executions_visibility\s+BEGIN`)
)

// searchedColumns are what the full-text tables hold, but BuildIds: every execution has some, and nobody deploys this
// engine's workers by build id.
var searchedColumns = []string{
	"Text01", "Text02", "Text03", "TemporalChangeVersion", "BinaryChecksums", "TemporalPauseInfo", "TemporalReportedProblems",
	"TemporalUsedWorkerDeploymentVersions", "KeywordList01", "KeywordList02", "KeywordList03", "TemporalKeywordList01",
	"TemporalKeywordList02",
}

// visibilityStatements are the statements to run in place of one of Temporal's visibility schema. The full-text tables
// are written only for rows that have something to search in.
func visibilityStatements(statement string) []string {
	statement = strings.TrimSpace(statement)
	if match := indexStatement.FindStringSubmatch(statement); match != nil {
		if keptIndexes[match[1]] {
			return []string{statement}
		}
		return nil
	}
	match := triggerStatement.FindStringSubmatch(statement)
	if match == nil {
		return []string{statement}
	}
	body := strings.TrimPrefix(statement, match[0])
	switch match[1] {
	case "ai":
		// An update is a deletion of the old words and an insertion of the new ones, each where there are any.
		return []string{searchTrigger("ai", "INSERT", "NEW", body), searchTrigger("au_new", "UPDATE", "NEW", body)}
	case "ad":
		return []string{searchTrigger("ad", "DELETE", "OLD", body), searchTrigger("au_old", "UPDATE", "OLD", body)}
	}
	return nil
}

func searchTrigger(name, event, row, body string) string {
	columns := make([]string, len(searchedColumns))
	for i, column := range searchedColumns {
		columns[i] = row + "." + column
	}
	// The old words go before the new ones come.
	moment := "AFTER"
	if row == "OLD" && event == "UPDATE" {
		moment = "BEFORE"
	}
	return "CREATE TRIGGER executions_visibility_" + name + " " + moment + " " + event + " ON executions_visibility WHEN COALESCE(" +
		strings.Join(columns, ", ") + ") IS NOT NULL BEGIN" + body
}
