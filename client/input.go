package client

import (
	"encoding/json"
	"fmt"

	"github.com/agentrun/agentrun/run"
)

// asked is the part of a run that reads by its kind.
type asked struct {
	Kind  string          `json:"kind"`
	Input json.RawMessage `json:"input"`
}

// readInputs gives the runs of an answer their input: that of a workflow's run is the document's own object.
func readInputs(data []byte, out any) error {
	switch into := out.(type) {
	case *run.Run:
		var one asked
		if err := json.Unmarshal(data, &one); err != nil {
			return fmt.Errorf("read the input: %w", err)
		}
		one.read(into)
	case *List[run.Run]:
		var many struct {
			Data []asked `json:"data"`
		}
		if err := json.Unmarshal(data, &many); err != nil {
			return fmt.Errorf("read the inputs: %w", err)
		}
		for i := range many.Data {
			many.Data[i].read(&into.Data[i])
		}
	}
	return nil
}

func (a asked) read(into *run.Run) {
	if a.Kind == run.KindWorkflow {
		into.Input = run.Input{Content: string(a.Input), Object: a.Input}
	}
}
