package engine

import (
	"encoding/hex"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"testing"
)

// listeningPorts gives the TCP addresses this process listens on, as the kernel tells them. It is empty on systems that
// do not say.
func listeningPorts(t *testing.T) []string {
	t.Helper()
	if runtime.GOOS != "linux" {
		return nil
	}
	own := ownSockets(t)
	var addresses []string
	for _, table := range []string{"/proc/self/net/tcp", "/proc/self/net/tcp6"} {
		text, err := os.ReadFile(table)
		if err != nil {
			t.Fatal(err)
		}
		for _, line := range strings.Split(string(text), "\n")[1:] {
			fields := strings.Fields(line)
			const listening = "0A"
			if len(fields) > 9 && fields[3] == listening && own["socket:["+fields[9]+"]"] {
				addresses = append(addresses, kernelAddress(t, fields[1]))
			}
		}
	}
	if len(addresses) == 0 {
		t.Fatal("the kernel knows of no port of this process")
	}
	return addresses
}

func ownSockets(t *testing.T) map[string]bool {
	t.Helper()
	files, err := filepath.Glob("/proc/self/fd/*")
	if err != nil {
		t.Fatal(err)
	}
	own := map[string]bool{}
	for _, file := range files {
		if target, err := os.Readlink(file); err == nil {
			own[target] = true
		}
	}
	return own
}

// kernelAddress reads "0100007F:1F90": 32-bit words in host order.
func kernelAddress(t *testing.T, text string) string {
	t.Helper()
	host, port, _ := strings.Cut(text, ":")
	raw, err := hex.DecodeString(host)
	if err != nil {
		t.Fatal(err)
	}
	for word := 0; word+4 <= len(raw); word += 4 {
		raw[word], raw[word+1], raw[word+2], raw[word+3] = raw[word+3], raw[word+2], raw[word+1], raw[word]
	}
	number, err := strconv.ParseUint(port, 16, 16)
	if err != nil {
		t.Fatal(err)
	}
	return net.JoinHostPort(net.IP(raw).String(), fmt.Sprint(number))
}
