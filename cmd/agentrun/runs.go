package main

// runsCmd groups the commands about runs.
type runsCmd struct {
	List     runsListCmd     `cmd:"" help:"List runs, newest first."`
	Get      runsGetCmd      `cmd:"" help:"Print a run as JSON."`
	Timeline runsTimelineCmd `cmd:"" help:"Print what a run did, row by row."`
	Wait     runsWaitCmd     `cmd:"" help:"Watch a run until it rests and print its answer."`
	Message  runsMessageCmd  `cmd:"" help:"Say something to a run."`
	Stop     runsStopCmd     `cmd:"" help:"Cut the request under way; the run waits for a message."`
	Cancel   runsCancelCmd   `cmd:"" help:"End a run for good."`
	Pause    runsPauseCmd    `cmd:"" help:"Hold a run before its next request."`
	Resume   runsResumeCmd   `cmd:"" help:"Let a paused run go on."`
	Raise    runsRaiseCmd    `cmd:"" help:"Set a run's spend cap; a run that waits for it goes on."`
	Files    runsFilesCmd    `cmd:"" help:"List a run's files."`
	GetFile  runsGetFileCmd  `cmd:"" help:"Read one of a run's files."`
}

// oneRun is the argument that most of these commands take.
type oneRun struct {
	remote
	ID string `arg:"" name:"run" help:"The run's id, run_…"`
}

// told says what became of a command that only asks something of a run.
func (c *oneRun) told(term *terminal, done string, err error) error {
	if err == nil {
		term.printf("%s %s\n", c.ID, done)
	}
	return err
}
