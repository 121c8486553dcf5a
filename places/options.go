package places

// Defaults of Options.
const (
	DefaultMaxFileBytes = 64 << 20
	DefaultMaxFiles     = 10_000
)

// Options are a workspace's limits; the zero value is the defaults.
type Options struct {
	// MaxFileBytes is the largest file that is written, or read whole, in bytes (0: DefaultMaxFileBytes).
	MaxFileBytes int64
	// MaxFiles is the most files a listing holds (0: DefaultMaxFiles).
	MaxFiles int
	// Digests remembers digests between listings; workspaces may share one (nil: one of the workspace's own).
	Digests *Digests
	// NoSync leaves writes to the operating system's own time: a process may die at any moment and lose nothing, but
	// a power cut may take the last files back. By default a written file is on the disk before Write returns.
	NoSync bool
}

func (o Options) withDefaults() Options {
	if o.MaxFileBytes <= 0 {
		o.MaxFileBytes = DefaultMaxFileBytes
	}
	if o.MaxFiles <= 0 {
		o.MaxFiles = DefaultMaxFiles
	}
	if o.Digests == nil {
		o.Digests = NewDigests(o.MaxFiles)
	}
	return o
}
