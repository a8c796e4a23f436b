package proxy

import (
	"context"
	"io"
	"net"
	"net/http"
	"sync"
	"time"
)

// dialPatience is how long the other side may take to accept a connection: where nothing listens, a network may be silent.
const dialPatience = 5 * time.Second

// lead connects a client with what is behind an address of a simulated network, until either of them ends it. No byte is looked at.
func (p *Proxy) lead(w http.ResponseWriter, r *http.Request) {
	ctx, cancel := context.WithTimeout(r.Context(), dialPatience)
	defer cancel()
	far, err := p.Dial(ctx, r.Host)
	if err != nil {
		http.Error(w, "azuresim: "+err.Error(), http.StatusBadGateway)
		return
	}
	near := establish(w)
	if near == nil {
		_ = far.Close()
		return
	}
	c := &couple{near, far}
	if !p.led.add(c) {
		c.close()
		return
	}
	go func() {
		defer p.led.remove(c)
		c.pass()
	}()
}

// A couple are two connections, of which each gets what the other sends.
type couple struct{ near, far net.Conn }

// pass returns when both have ended. That one sends nothing more is passed on, where the other can still answer.
func (c *couple) pass() {
	defer c.close()
	var both sync.WaitGroup
	for _, way := range []struct{ to, from net.Conn }{{c.far, c.near}, {c.near, c.far}} {
		both.Go(func() {
			_, err := io.Copy(way.to, way.from)
			half, can := way.to.(interface{ CloseWrite() error })
			if err != nil || !can || half.CloseWrite() != nil {
				c.close()
			}
		})
	}
	both.Wait()
}

func (c *couple) close() {
	_ = c.near.Close()
	_ = c.far.Close()
}

// couples are those that are open. The zero value is ready to use.
type couples struct {
	mu    sync.Mutex
	open  map[*couple]bool
	ended bool
}

// add takes one on, and reports whether it has: none after the end.
func (c *couples) add(one *couple) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.ended {
		return false
	}
	if c.open == nil {
		c.open = map[*couple]bool{}
	}
	c.open[one] = true
	return true
}

func (c *couples) remove(one *couple) {
	c.mu.Lock()
	defer c.mu.Unlock()
	delete(c.open, one)
}

// end closes all of them.
func (c *couples) end() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.ended = true
	for one := range c.open {
		one.close()
	}
}
