package network

import (
	"context"
	"crypto/tls"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"net/http"
	"strconv"
	"sync"
	"time"

	"github.com/crossplane-capz/crossplane-capz/cluster/azuresim/fabric"
	"github.com/crossplane-capz/crossplane-capz/cluster/azuresim/power"
)

const (
	// probeInterval is how often a probe asks. Azure's least is five seconds; tests have no time for it.
	probeInterval = time.Second
	// patience is how long a backend has for an answer, or to take a connection.
	patience = 2 * time.Second
)

// Frontend forwards connections to one address and port of a load balancer.
type Frontend struct {
	network  *Network
	listener net.Listener
	end      context.CancelFunc

	mu       sync.Mutex
	config   power.Frontend
	up       map[power.Backend]bool
	clients  map[probe]*http.Client
	reviewed chan struct{}
}

// probe is what a client of a probe is made for.
type probe struct {
	backend power.Backend
	tls     bool
}

// Balance opens a frontend.
func (n *Network) Balance(config power.Frontend) (*Frontend, error) {
	listener, err := n.Listen(config.IP, config.Port)
	if err != nil {
		return nil, fmt.Errorf("frontend %s:%d: %w", config.IP, config.Port, err)
	}
	ctx, end := context.WithCancel(context.Background())
	f := &Frontend{
		network: n, listener: listener, end: end, config: config,
		up: map[power.Backend]bool{}, clients: map[probe]*http.Client{}, reviewed: make(chan struct{}, 1),
	}
	go f.accept(ctx)
	go f.watch(ctx)
	return f, nil
}

// Set changes what the frontend forwards to. Connections that are there stay.
func (f *Frontend) Set(config power.Frontend) {
	f.mu.Lock()
	f.config = config
	f.mu.Unlock()
	select {
	case f.reviewed <- struct{}{}:
	default:
	}
}

// Close closes the frontend. Connections that are there stay.
func (f *Frontend) Close() {
	f.end()
	_ = f.listener.Close() // Nothing else can be done about it.
}

func (f *Frontend) accept(ctx context.Context) {
	for {
		conn, err := f.listener.Accept()
		if err != nil {
			return
		}
		go func() {
			defer conn.Close()
			onward, err := f.dial(ctx)
			if err != nil {
				return // As if nobody listened.
			}
			defer onward.Close()
			fabric.Join(conn, conn, onward)
		}()
	}
}

// dial connects to a backend that is up, in random order.
func (f *Frontend) dial(ctx context.Context) (net.Conn, error) {
	f.mu.Lock()
	var candidates []power.Backend
	for _, b := range f.config.Backends {
		if f.config.ProbePort == 0 || f.up[b] {
			candidates = append(candidates, b)
		}
	}
	f.mu.Unlock()
	err := fmt.Errorf("frontend %s: no backend is up", f.listener.Addr())
	for _, i := range rand.Perm(len(candidates)) { //nolint:gosec // No secret.
		var conn net.Conn
		if conn, err = f.connect(ctx, candidates[i].IP, candidates[i].Port); err == nil {
			return conn, nil
		}
	}
	return nil, err
}

func (f *Frontend) connect(ctx context.Context, ip string, port int) (net.Conn, error) {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	return f.network.Dial(ctx, net.JoinHostPort(ip, strconv.Itoa(port)))
}

// watch probes all backends again and again.
func (f *Frontend) watch(ctx context.Context) {
	tick := time.NewTicker(probeInterval)
	defer tick.Stop()
	for {
		f.review(ctx)
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		case <-f.reviewed:
		}
	}
}

func (f *Frontend) review(ctx context.Context) {
	f.mu.Lock()
	config := f.config
	f.mu.Unlock()
	var wait sync.WaitGroup
	up := make([]bool, len(config.Backends))
	for i, b := range config.Backends {
		wait.Go(func() { up[i] = config.ProbePort != 0 && f.ask(ctx, config, b) == nil })
	}
	wait.Wait()
	f.mu.Lock()
	defer f.mu.Unlock()
	f.up = map[power.Backend]bool{}
	for i, b := range config.Backends {
		f.up[b] = up[i]
	}
	for p, client := range f.clients {
		if _, ok := f.up[p.backend]; !ok {
			client.CloseIdleConnections()
			delete(f.clients, p)
		}
	}
}

// ask probes one backend; its error says why it counts as down.
func (f *Frontend) ask(ctx context.Context, config power.Frontend, b power.Backend) error {
	if config.ProbePath == "" {
		conn, err := f.connect(ctx, b.IP, config.ProbePort)
		if err != nil {
			return err
		}
		return conn.Close()
	}
	scheme := "http"
	if config.ProbeTLS {
		scheme = "https"
	}
	url := fmt.Sprintf("%s://%s%s", scheme, net.JoinHostPort(b.IP, strconv.Itoa(config.ProbePort)), config.ProbePath)
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		return err
	}
	resp, err := f.client(probe{b, config.ProbeTLS}).Do(req)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	_, _ = io.Copy(io.Discard, io.LimitReader(resp.Body, 1<<16)) // So that the connection can be kept.
	if resp.StatusCode != http.StatusOK {
		return fmt.Errorf("%s answers %s", url, resp.Status)
	}
	return nil
}

// client returns one that keeps its connection, as a handshake a second costs an idle machine more than all else.
func (f *Frontend) client(p probe) *http.Client {
	f.mu.Lock()
	defer f.mu.Unlock()
	if c := f.clients[p]; c != nil {
		return c
	}
	c := &http.Client{Transport: &http.Transport{
		DialContext: func(ctx context.Context, _, address string) (net.Conn, error) { return f.network.Dial(ctx, address) },
		// Azure's probes verify no certificate: https://learn.microsoft.com/azure/load-balancer/load-balancer-custom-probe-overview.
		TLSClientConfig: &tls.Config{InsecureSkipVerify: true}, //nolint:gosec // See above.
		MaxIdleConns:    1,
	}}
	f.clients[p] = c
	return c
}
