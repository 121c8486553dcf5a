package run

import "github.com/agentrun/agentrun/dsl"

// Supplies gathers what people supplied to an escalated run of a workflow, a fold over its rows: each is a JSON object
// whose fields are put into the document's input.
type Supplies struct {
	Contents  []string
	escalated bool
}

// Apply folds one row.
func (s *Supplies) Apply(row Row) error {
	switch row.Type {
	case RowStatus:
		var change StatusChange
		if err := row.Decode(&change); err != nil {
			return err
		}
		if change.Status == Failed {
			s.escalated = change.Error != nil && change.Error.Code == CodeEscalated
		}
	case RowUserMessage:
		var message UserMessage
		if err := row.Decode(&message); err != nil {
			return err
		}
		if s.escalated {
			s.Contents = append(s.Contents, message.Content)
			s.escalated = false
		}
	}
	return nil
}

// MergeInput is a document's input with what was supplied since, field by field.
func MergeInput(input []byte, supplied []string) (*dsl.Object, error) {
	merged, err := objectOf(input)
	if err != nil {
		return nil, err
	}
	for _, content := range supplied {
		more, err := objectOf([]byte(content))
		if err != nil {
			return nil, err
		}
		for key, value := range more.All() {
			merged = merged.With(key, value)
		}
	}
	return merged, nil
}

func objectOf(data []byte) (*dsl.Object, error) {
	value, err := dsl.Decode(data)
	if err != nil {
		return nil, Errorf(ErrInvalid, "the input of the workflow: %w", err)
	}
	object, ok := value.(*dsl.Object)
	if !ok {
		return nil, Errorf(ErrInvalid, "the input of the workflow is not an object")
	}
	return object, nil
}
