// Package confine owns the first moments of a confined program: this program's own file is started again under the name
// Name in a network of its own, where it brings loopback up, opens the one listener there is, hands it to whoever started
// it, and becomes the program. No helper stays behind.
//
// Its init does all of that, so it imports next to nothing: Go initialises a package as soon as what it imports is ready,
// and the rest of a large binary is then never initialised. It must not decide who is confined.
package confine

import (
	"errors"
	"fmt"
	"math"
	"os"
	"syscall"
	"unsafe"
)

const (
	// Name is the argv[0] under which this program's file confines itself. What follows is the path of the program to
	// become and its arguments; with nothing to become, it ends once the listener is handed over.
	Name = "agentrun-confine"
	// Socket is the file descriptor of the unix socket (SOCK_SEQPACKET) to whoever started it. One message brings the
	// listener. The socket then closes as the program starts, or a further message says why it could not.
	Socket = 3
	// Port is the TCP port of the listener, on 127.0.0.1 of the network inside.
	Port = 4780
)

// failed is the exit status of a program that could not be confined or started.
const failed = 125

const (
	sysCloseRange          = 436 // the same on every architecture
	closeRangeCloexec      = 4
	prSetNoNewPrivs        = 38
	prCapAmbient           = 47
	prCapAmbientClearAll   = 4
	listenBacklog          = 128
	sizeOfInterfaceRequest = 40
)

func init() { //nolint:gochecknoinits // it must come before everything else of the binary, see the package comment
	if len(os.Args) == 0 || os.Args[0] != Name {
		return
	}
	// The main thread runs init functions, and it is the one that exec keeps, with the death signal it was given.
	if err := enter(os.Args[1:]); err != nil {
		_ = syscall.Sendmsg(Socket, []byte(err.Error()), nil, nil, 0)
		os.Exit(failed)
	}
	os.Exit(0)
}

// enter prepares the network and becomes the program of argv, if it names one.
func enter(argv []string) error {
	syscall.CloseOnExec(Socket)
	if err := raiseLoopback(); err != nil {
		return fmt.Errorf("bring the loopback interface up: %w", err)
	}
	listener, err := listen()
	if err != nil {
		return fmt.Errorf("listen on 127.0.0.1:%d of its own network: %w", Port, err)
	}
	if err := syscall.Sendmsg(Socket, []byte("listening"), syscall.UnixRights(listener), nil, 0); err != nil {
		return fmt.Errorf("hand the listener over: %w", err)
	}
	if len(argv) == 0 {
		return nil
	}
	// A file that this process inherited from whoever started it, a socket perhaps, is no business of the program's.
	// Linux before 5.11 does not know the call.
	//nolint:dogsled // where the call is not known, nothing is to be done
	_, _, _ = syscall.Syscall(sysCloseRange, Socket, math.MaxUint32, closeRangeCloexec)
	if err := renounce(); err != nil {
		return fmt.Errorf("give up what confining needed: %w", err)
	}
	err = syscall.Exec(argv[0], argv, os.Environ()) //nolint:gosec // G702: to become the program it is told is what it is for
	return &os.PathError{Op: "exec", Path: argv[0], Err: err}
}

// raiseLoopback sets the flag "up" of the interface "lo" (SIOCSIFFLAGS of netdevice(7)).
func raiseLoopback() error {
	fd, err := syscall.Socket(syscall.AF_INET, syscall.SOCK_DGRAM|syscall.SOCK_CLOEXEC, 0)
	if err != nil {
		return err
	}
	defer func() { _ = syscall.Close(fd) }()
	request := struct {
		name  [syscall.IFNAMSIZ]byte
		flags uint16
		_     [sizeOfInterfaceRequest - syscall.IFNAMSIZ - 2]byte
	}{flags: syscall.IFF_UP}
	copy(request.name[:], "lo")
	//nolint:gosec // the kernel reads the request through its address; the standard library has no other way to say it
	_, _, errno := syscall.Syscall(syscall.SYS_IOCTL, uintptr(fd), syscall.SIOCSIFFLAGS, uintptr(unsafe.Pointer(&request)))
	if errno != 0 {
		return errno
	}
	return nil
}

// listen opens the listener; it closes as the program starts.
func listen() (int, error) {
	fd, err := syscall.Socket(syscall.AF_INET, syscall.SOCK_STREAM|syscall.SOCK_CLOEXEC, 0)
	if err != nil {
		return -1, err
	}
	err = errors.Join(
		syscall.Bind(fd, &syscall.SockaddrInet4{Port: Port, Addr: [4]byte{127, 0, 0, 1}}),
		syscall.Listen(fd, listenBacklog),
	)
	return fd, err
}

// renounce drops the capability that raised the interface, and every way to more (a set-uid program).
func renounce() error {
	if _, _, errno := syscall.Syscall6(syscall.SYS_PRCTL, prCapAmbient, prCapAmbientClearAll, 0, 0, 0, 0); errno != 0 {
		return errno
	}
	if _, _, errno := syscall.Syscall6(syscall.SYS_PRCTL, prSetNoNewPrivs, 1, 0, 0, 0, 0); errno != 0 {
		return errno
	}
	return nil
}
