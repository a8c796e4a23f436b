package cri

import (
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"net/http"
	"strconv"
	"sync"
	"time"
)

// portsAnnotation is where the kubelet tells a runtime the ports of a container.
const portsAnnotation = "io.kubernetes.container.ports"

// played is a container whose program the machine does not have.
type played struct {
	servers []*http.Server
	once    sync.Once
	done    chan struct{}
}

// play starts a container that does nothing but answer probes. A port that is taken already is left to who has it: pods with the
// machine's own address share its ports.
func play(c *container) (runner, error) {
	p := &played{done: make(chan struct{})}
	ports, err := tcpPorts(c.config.GetAnnotations()[portsAnnotation])
	if err != nil {
		return nil, err
	}
	for _, port := range ports {
		listener, err := net.Listen("tcp", net.JoinHostPort(c.ip, strconv.Itoa(port)))
		if err != nil {
			continue
		}
		server := &http.Server{ReadHeaderTimeout: 10 * time.Second, Handler: http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			fmt.Fprintln(w, "ok")
		})}
		p.servers = append(p.servers, server)
		go func() { _ = server.Serve(listener) }()
	}
	return p, nil
}

func tcpPorts(annotation string) ([]int, error) {
	if annotation == "" {
		return nil, nil
	}
	var all []struct {
		ContainerPort int    `json:"containerPort"`
		Protocol      string `json:"protocol"`
	}
	if err := json.Unmarshal([]byte(annotation), &all); err != nil {
		return nil, errors.New("annotation " + portsAnnotation + " is no list of ports")
	}
	var ports []int
	for _, p := range all {
		if p.Protocol == "" || p.Protocol == "TCP" {
			ports = append(ports, p.ContainerPort)
		}
	}
	return ports, nil
}

func (p *played) ended() <-chan struct{} { return p.done }
func (p *played) exit() int32            { return 0 }

func (p *played) stop(time.Duration) {
	p.once.Do(func() {
		for _, s := range p.servers {
			_ = s.Close() // Nothing is lost.
		}
		close(p.done)
	})
}
