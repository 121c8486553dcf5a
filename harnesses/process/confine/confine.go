// Package confine owns the first moments of a confined program: this program's own file is started again under the name
// Name in a network of its own, where it brings loopback up, opens the one listener there is, hands it to whoever started
// it, and becomes the program. No helper stays behind.
//
// Its init does all of that, so it imports the kernel's calls and nothing else: Go initialises a package as soon as what it
// imports is ready, and the rest of a large binary is then never initialised. It must not decide who is confined.
package confine

import (
	"syscall"
	"unsafe"
)

const (
	// Name is the argv[0] under which this program's file confines itself. What follows is the path of the program to
	// become and its arguments; with nothing to become, it ends once the listener is handed over.
	Name = "agentrun-confine"
	// Waits stands for the path of a program that is told later, in three messages on the socket: the working folder, the
	// path and the arguments, the environment. Each text of a message ends in a zero byte.
	Waits = "-"
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
	everyFile              = 1<<32 - 1
	prSetNoNewPrivs        = 38
	prCapAmbient           = 47
	prCapAmbientClearAll   = 4
	listenBacklog          = 128
	sizeOfInterfaceRequest = 40
)

func init() { //nolint:gochecknoinits // it must come before everything else of the binary, see the package comment
	argv := arguments()
	if len(argv) == 0 {
		return
	}
	// The main thread runs init functions, and it is the one that exec keeps, with the death signal it was given.
	if err := enter(argv[1:]); err != nil {
		_ = syscall.Sendmsg(Socket, []byte(err.Error()), nil, nil, 0)
		syscall.Exit(failed)
	}
	syscall.Exit(0)
}

// enter prepares the network and becomes the program of argv, if it names one.
func enter(argv []string) error {
	syscall.CloseOnExec(Socket)
	if err := raiseLoopback(); err != nil {
		return fault("bring the loopback interface up: " + err.Error())
	}
	listener, err := listen()
	if err != nil {
		return fault("listen on 127.0.0.1 of its own network: " + err.Error())
	}
	if err := syscall.Sendmsg(Socket, []byte("listening"), syscall.UnixRights(listener), nil, 0); err != nil {
		return fault("hand the listener over: " + err.Error())
	}
	if len(argv) == 0 {
		return nil
	}
	env := syscall.Environ()
	if len(argv) == 1 && argv[0] == Waits {
		var err error
		if argv, env, err = await(); err != nil || len(argv) == 0 {
			return err
		}
	}
	// A file that this process inherited from whoever started it, a socket perhaps, is no business of the program's.
	// Linux before 5.11 does not know the call.
	//nolint:dogsled // where the call is not known, nothing is to be done
	_, _, _ = syscall.Syscall(sysCloseRange, Socket, everyFile, closeRangeCloexec)
	if err := renounce(); err != nil {
		return fault("give up what confining needed: " + err.Error())
	}
	err = syscall.Exec(argv[0], argv, env) //nolint:gosec // G702: to become the program it is told is what it is for
	return fault("exec " + argv[0] + ": " + err.Error())
}

// longestMessage is more than any message has (bytes).
const longestMessage = 128 << 10

// await waits for what to become; there is nothing where whoever started it has gone.
func await() (argv, env []string, err error) {
	var messages [3][]string
	page := make([]byte, longestMessage)
	for i := range messages {
		n, _, _, _, err := syscall.Recvmsg(Socket, page, nil, 0)
		for err == syscall.EINTR { //nolint:errorlint // the package imports no errors
			n, _, _, _, err = syscall.Recvmsg(Socket, page, nil, 0)
		}
		if err != nil || n == 0 {
			return nil, nil, err
		}
		messages[i] = split(page[:n])
	}
	if err := syscall.Chdir(messages[0][0]); err != nil {
		return nil, nil, fault("chdir " + messages[0][0] + ": " + err.Error())
	}
	return messages[1], messages[2], nil
}

// fault is a text for whoever started it.
type fault string

func (f fault) Error() string { return string(f) }

// arguments are this process's, read from the kernel, where the first is Name; none where it has another.
func arguments() []string {
	fd, err := syscall.Open("/proc/self/cmdline", syscall.O_RDONLY|syscall.O_CLOEXEC, 0)
	if err != nil {
		return nil
	}
	defer func() { _ = syscall.Close(fd) }()
	var text []byte
	for page := make([]byte, 4096); ; {
		n, err := syscall.Read(fd, page)
		if err == syscall.EINTR { //nolint:errorlint // the package imports no errors
			continue
		}
		if err != nil {
			return nil
		}
		text = append(text, page[:n]...)
		if len(text) < len(Name)+1 || string(text[:len(Name)+1]) != Name+"\x00" {
			return nil // also at once for every other program that this file is
		}
		if n == 0 {
			return split(text)
		}
	}
}

// split cuts a text after each zero byte.
func split(text []byte) []string {
	var parts []string
	start := 0
	for i, c := range text {
		if c == 0 {
			parts = append(parts, string(text[start:i]))
			start = i + 1
		}
	}
	return parts
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
	if err := syscall.Bind(fd, &syscall.SockaddrInet4{Port: Port, Addr: [4]byte{127, 0, 0, 1}}); err != nil {
		return -1, err
	}
	return fd, syscall.Listen(fd, listenBacklog)
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
