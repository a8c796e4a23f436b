package fabric

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"net/http"

	"github.com/crossplane-capz/crossplane-capz/cluster/azuresim/power"
)

// Client is a power.Host in another process.
type Client struct {
	socket string
	http   *http.Client
}

// NewClient returns the host that listens at a unix socket. It need not listen yet.
func NewClient(socket string) *Client {
	c := &Client{socket: socket}
	c.http = &http.Client{Transport: &http.Transport{
		DialContext:         func(ctx context.Context, _, _ string) (net.Conn, error) { return dial(ctx, socket) },
		MaxIdleConnsPerHost: 8,
	}}
	return c
}

// Start implements power.Host.
func (c *Client) Start(ctx context.Context, machine power.Machine) error {
	return c.call(ctx, pathStart, machine, nil)
}

// Stop implements power.Host.
func (c *Client) Stop(ctx context.Context, id string) error {
	return c.call(ctx, pathStop, identified{ID: id}, nil)
}

// Delete implements power.Host.
func (c *Client) Delete(ctx context.Context, id string) error {
	return c.call(ctx, pathDelete, identified{ID: id}, nil)
}

// State implements power.Host.
func (c *Client) State(ctx context.Context, id string) (power.State, error) {
	var state power.State
	err := c.call(ctx, pathState, identified{ID: id}, &state)
	return state, err
}

// SetLoadBalancer implements power.Host.
func (c *Client) SetLoadBalancer(ctx context.Context, balancer power.LoadBalancer) error {
	return c.call(ctx, pathSetLoadBalancer, balancer, nil)
}

// DeleteLoadBalancer implements power.Host.
func (c *Client) DeleteLoadBalancer(ctx context.Context, id string) error {
	return c.call(ctx, pathDeleteLoadBalancer, identified{ID: id}, nil)
}

// SetNames implements power.Host.
func (c *Client) SetNames(ctx context.Context, virtualNetwork string, names map[string]string) error {
	return c.call(ctx, pathSetNames, named{VirtualNetwork: virtualNetwork, Names: names}, nil)
}

// call asks for one thing. Its error is the host's own words, or why the host could not be asked.
func (c *Client) call(ctx context.Context, path string, body, answer any) error {
	raw, err := json.Marshal(body)
	if err != nil {
		return err
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, "http://fabric"+path, bytes.NewReader(raw))
	if err != nil {
		return err
	}
	resp, err := c.http.Do(req)
	if err != nil {
		return fmt.Errorf("the fabric at %s: %w", c.socket, err)
	}
	defer resp.Body.Close()
	if resp.StatusCode != http.StatusOK {
		return refused(resp)
	}
	if answer == nil {
		return nil
	}
	return json.NewDecoder(resp.Body).Decode(answer)
}

func refused(resp *http.Response) error {
	var f failure
	if err := json.NewDecoder(resp.Body).Decode(&f); err != nil || f.Error == "" {
		return fmt.Errorf("the fabric answers %s", resp.Status)
	}
	return errors.New(f.Error)
}

// Dial implements power.Host. The connection can be closed for writing alone.
func (c *Client) Dial(ctx context.Context, address string) (net.Conn, error) {
	conn, err := dial(ctx, c.socket)
	if err != nil {
		return nil, fmt.Errorf("the fabric at %s: %w", c.socket, err)
	}
	stop := context.AfterFunc(ctx, func() { _ = conn.Close() }) // Ends what waits for the answer.
	established, err := connect(conn, address)
	if !stop() && err == nil {
		err = ctx.Err()
	}
	if err != nil {
		_ = conn.Close()
		return nil, err
	}
	return established, nil
}

func connect(conn *net.UnixConn, address string) (net.Conn, error) {
	if _, err := fmt.Fprintf(conn, "CONNECT %s HTTP/1.1\r\nHost: %s\r\n\r\n", address, address); err != nil {
		return nil, err
	}
	reader := bufio.NewReader(conn)
	resp, err := http.ReadResponse(reader, &http.Request{Method: http.MethodConnect})
	if err != nil {
		return nil, err
	}
	if resp.StatusCode != http.StatusOK {
		defer resp.Body.Close()
		return nil, refused(resp)
	}
	return &tunnel{UnixConn: conn, reader: reader}, nil
}

// tunnel reads first what came together with the answer to CONNECT.
type tunnel struct {
	*net.UnixConn
	reader *bufio.Reader
}

func (t *tunnel) Read(b []byte) (int, error) { return t.reader.Read(b) }
