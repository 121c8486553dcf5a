package tools

// Defaults of Options.
const (
	DefaultResultLines = 2000
	DefaultResultBytes = 50 << 10
	DefaultScanBytes   = 64 << 20
)

// Options are the limits of a call's result; the zero value is the defaults. How large a file may be that is written or
// edited is the workspace's limit.
type Options struct {
	// ResultLines is the most lines of a file one result holds (0: DefaultResultLines).
	ResultLines int
	// ResultBytes is the most bytes of a file one result holds (0: DefaultResultBytes).
	ResultBytes int
	// ScanBytes is how far into a file read looks for the lines asked for, in bytes (0: DefaultScanBytes).
	ScanBytes int64
}

func (o Options) withDefaults() Options {
	if o.ResultLines <= 0 {
		o.ResultLines = DefaultResultLines
	}
	if o.ResultBytes <= 0 {
		o.ResultBytes = DefaultResultBytes
	}
	if o.ScanBytes <= 0 {
		o.ScanBytes = DefaultScanBytes
	}
	return o
}
