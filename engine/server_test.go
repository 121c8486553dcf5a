package engine

import (
	"context"
	"log/slog"
	"net"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"go.temporal.io/server/common/primitives"
)

// A port may be taken between the choice and the start. Temporal's own code would end the process.
func TestABusyPortIsAnError(t *testing.T) {
	t.Parallel()
	for _, service := range services {
		t.Run(service, func(t *testing.T) {
			t.Parallel()
			db, err := openDatabase(t.Context(), t.TempDir(), slog.New(slog.DiscardHandler))
			if err != nil {
				t.Fatal(err)
			}
			ports, err := freePorts()
			if err != nil {
				t.Fatal(err)
			}
			holder, err := net.Listen("tcp", ports.address(primitives.ServiceName(service)))
			if err != nil {
				t.Fatal(err)
			}
			defer holder.Close()
			began := time.Now()
			_, err = startServer(within(t), db, ports, Connection{Token: newToken()}, slog.New(slog.DiscardHandler))
			if err == nil || !strings.Contains(err.Error(), "address already in use") {
				t.Errorf("start with a busy port: %v", err)
			}
			if took := time.Since(began); took > deadline/2 {
				t.Errorf("it took %s to say so", took)
			}
		})
	}
}

func TestAStartThatIsCancelledReturns(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := Start(ctx, Options{Dir: t.TempDir()}); err == nil {
		t.Error("a cancelled start succeeded")
	}
}

func TestPortsDiffer(t *testing.T) {
	t.Parallel()
	ports, err := freePorts()
	if err != nil {
		t.Fatal(err)
	}
	var numbers []int
	for _, number := range ports {
		numbers = append(numbers, number)
	}
	slices.Sort(numbers)
	if len(slices.Compact(numbers)) != len(services) {
		t.Errorf("ports %v for %d services", ports, len(services))
	}
}

func TestServerConfigOpensNoOtherPort(t *testing.T) {
	t.Parallel()
	ports := ports{frontend: 1, history: 2, matching: 3}
	config := serverConfig(&database{path: "/tmp/a b?c"}, ports)
	if config.Global.Metrics != nil || config.Global.PProf.Port != 0 {
		t.Errorf("metrics %v, pprof %v", config.Global.Metrics, config.Global.PProf)
	}
	for name, service := range config.Services {
		if service.RPC.MembershipPort != 0 || service.RPC.HTTPPort != 0 || service.RPC.BindOnIP != loopback {
			t.Errorf("%s listens with %+v", name, service.RPC)
		}
	}
	sql := sqlConfig("/tmp/a b?c%d")
	if diff := cmp.Diff("/tmp/a%20b%3Fc%25d", sql.DatabaseName); diff != "" {
		t.Errorf("the path in a file URI (-want +got):\n%s", diff)
	}
	for attribute := range sql.ConnectAttributes {
		if strings.HasPrefix(attribute, "_") {
			t.Errorf("%s would be ignored", attribute)
		}
	}
}
