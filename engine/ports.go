package engine

import (
	"fmt"
	"net"
	"strconv"

	"go.temporal.io/server/common/config"
	"go.temporal.io/server/common/membership/static"
	"go.temporal.io/server/common/primitives"
)

const loopback = "127.0.0.1"

// ports are where the services listen, one each.
type ports map[primitives.ServiceName]int

// freePorts finds a free loopback port for each service. All are held until all are found, so they differ.
func freePorts() (ports, error) {
	found := ports{}
	for _, service := range services {
		listener, err := net.Listen("tcp", net.JoinHostPort(loopback, "0"))
		if err != nil {
			return nil, fmt.Errorf("find a free port for Temporal's %s service: %w", service, err)
		}
		defer listener.Close()
		address, ok := listener.Addr().(*net.TCPAddr)
		if !ok {
			return nil, fmt.Errorf("find a free port for Temporal's %s service: %s is no TCP address", service, listener.Addr())
		}
		found[primitives.ServiceName(service)] = address.Port
	}
	return found, nil
}

func (p ports) address(service primitives.ServiceName) string {
	return net.JoinHostPort(loopback, strconv.Itoa(p[service]))
}

func (p ports) service(service primitives.ServiceName) config.Service {
	return config.Service{RPC: config.RPC{GRPCPort: p[service], BindOnIP: loopback}}
}

// hosts tells the services where the others are, so that they need no gossip and no ports for it. The server insists on
// a host for its worker service although that is not started; nothing ever calls it.
func (p ports) hosts() map[primitives.ServiceName]static.Hosts {
	hosts := map[primitives.ServiceName]static.Hosts{
		primitives.WorkerService: {All: []string{net.JoinHostPort(loopback, "0")}},
	}
	for service := range p {
		hosts[service] = static.SingleLocalHost(p.address(service))
	}
	return hosts
}
