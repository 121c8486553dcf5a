package process

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"slices"
	"syscall"
	"time"

	"github.com/agentrun/agentrun/harnesses/process/confine"
)

// capNetAdmin is what bringing an interface up needs; an ordinary user keeps it over exec only as an ambient one.
const capNetAdmin = 12

// handover is the way of a confined program's listener to this process (see package confine).
type handover struct {
	ours   *net.UnixConn
	theirs *os.File
}

// confine makes a command start this program's own file in user, network and process namespaces of its own, to become the
// program at path there. The file is named by the kernel's link, which holds when the file is replaced or removed. The
// program is the first process of its namespace: whatever it started ends with it, however that hides.
func (g *Gate) confine(command *exec.Cmd, path string) (*handover, error) {
	pair, err := syscall.Socketpair(syscall.AF_UNIX, syscall.SOCK_SEQPACKET|syscall.SOCK_CLOEXEC, 0)
	if err != nil {
		return nil, fmt.Errorf("open a socket to it: %w", err)
	}
	ours, theirs := os.NewFile(uintptr(pair[0]), "handover"), os.NewFile(uintptr(pair[1]), "handover")
	defer func() { _ = ours.Close() }()
	conn, err := net.FileConn(ours)
	if err != nil {
		_ = theirs.Close()
		return nil, fmt.Errorf("open a socket to it: %w", err)
	}
	command.Args = append([]string{confine.Name}, command.Args...)
	if path == "" {
		command.Args = slices.Delete(command.Args, 1, 2)
	}
	command.Path = "/proc/self/exe"
	command.ExtraFiles = []*os.File{theirs} // the first is confine.Socket
	attributes := command.SysProcAttr
	attributes.Cloneflags = syscall.CLONE_NEWUSER | syscall.CLONE_NEWNET | syscall.CLONE_NEWPID
	attributes.UidMappings = []syscall.SysProcIDMap{{ContainerID: os.Geteuid(), HostID: os.Geteuid(), Size: 1}}
	attributes.GidMappings = []syscall.SysProcIDMap{{ContainerID: os.Getegid(), HostID: os.Getegid(), Size: 1}}
	attributes.AmbientCaps = []uintptr{capNetAdmin}
	return &handover{ours: conn.(*net.UnixConn), theirs: theirs}, nil //nolint:forcetypeassert // a unix socket is one
}

func (h *handover) close() { _ = h.ours.Close() }

// finish takes the listener and waits until the program has taken its helper's place.
func (h *handover) finish(ctx context.Context, gate *Gate) error {
	listener, err := h.receive(ctx)
	if err != nil {
		return err
	}
	if err = gate.put(listener); err == nil {
		err = h.started(ctx)
	}
	if err != nil {
		gate.drop(listener)
	}
	return err
}

// receive waits for the listener.
func (h *handover) receive(ctx context.Context) (listener net.Listener, err error) {
	err = h.within(ctx, func() (err error) {
		listener, err = h.listener()
		return err
	})
	return listener, err
}

// started waits for the socket to close, as it does when the program starts, or for the reason why it did not.
func (h *handover) started(ctx context.Context) error { return h.within(ctx, h.silent) }

// within bounds a read by the context.
func (h *handover) within(ctx context.Context, read func() error) error {
	stop := context.AfterFunc(ctx, func() { _ = h.ours.SetReadDeadline(time.Unix(1, 0)) })
	defer stop()
	err := read()
	if errors.Is(err, os.ErrDeadlineExceeded) {
		err = ctx.Err()
	}
	if err != nil {
		return fmt.Errorf("confine it: %w", err)
	}
	return nil
}

func (h *handover) listener() (net.Listener, error) {
	text, control := make([]byte, 4096), make([]byte, syscall.CmsgSpace(4))
	n, m, _, _, err := h.ours.ReadMsgUnix(text, control)
	if errors.Is(err, io.EOF) {
		return nil, errors.New("it ended before it listened")
	}
	if err != nil {
		return nil, err
	}
	if m == 0 {
		return nil, errors.New(string(text[:n]))
	}
	messages, err := syscall.ParseSocketControlMessage(control[:m])
	if err != nil {
		return nil, err
	}
	fds, err := syscall.ParseUnixRights(&messages[0])
	if err != nil {
		return nil, err
	}
	file := os.NewFile(uintptr(fds[0]), "gate")
	defer func() { _ = file.Close() }()
	listener, err := net.FileListener(file)
	if err != nil {
		return nil, err
	}
	if _, ok := listener.(*net.TCPListener); !ok {
		_ = listener.Close()
		return nil, errors.New("it handed over something else than its listener")
	}
	return listener, nil
}

func (h *handover) silent() error {
	text := make([]byte, 4096)
	n, err := h.ours.Read(text)
	switch {
	case errors.Is(err, io.EOF):
		return nil
	case err != nil:
		return err
	default:
		return errors.New(string(text[:n]))
	}
}

// drop takes a listener back from the gate after a failed start.
func (g *Gate) drop(listener net.Listener) {
	_ = listener.Close()
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.listener == listener {
		g.listener = nil
	}
}

// newMarker is a marker that no other start has.
func newMarker() string { return "confinement-" + rand.Text() }
