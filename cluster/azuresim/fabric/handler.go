package fabric

import (
	"context"
	"encoding/json"
	"io"
	"net"
	"net/http"

	"github.com/crossplane-capz/crossplane-capz/cluster/azuresim/power"
)

// Handler answers a Client with what a host says.
func Handler(host power.Host) http.Handler {
	mux := http.NewServeMux()
	mux.Handle("POST "+pathStart, method(func(ctx context.Context, m power.Machine) (any, error) { return nil, host.Start(ctx, m) }))
	mux.Handle("POST "+pathStop, method(func(ctx context.Context, r identified) (any, error) { return nil, host.Stop(ctx, r.ID) }))
	mux.Handle("POST "+pathDelete, method(func(ctx context.Context, r identified) (any, error) { return nil, host.Delete(ctx, r.ID) }))
	mux.Handle("POST "+pathState, method(func(ctx context.Context, r identified) (any, error) { return host.State(ctx, r.ID) }))
	mux.Handle("POST "+pathSetLoadBalancer, method(func(ctx context.Context, lb power.LoadBalancer) (any, error) {
		return nil, host.SetLoadBalancer(ctx, lb)
	}))
	mux.Handle("POST "+pathDeleteLoadBalancer, method(func(ctx context.Context, r identified) (any, error) {
		return nil, host.DeleteLoadBalancer(ctx, r.ID)
	}))
	mux.Handle("POST "+pathSetNames, method(func(ctx context.Context, r named) (any, error) {
		return nil, host.SetNames(ctx, r.VirtualNetwork, r.Names)
	}))
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method == http.MethodConnect {
			serveDial(w, r, host)
			return
		}
		mux.ServeHTTP(w, r)
	})
}

// method is a handler that takes a body of one type, strictly.
func method[Body any](do func(context.Context, Body) (any, error)) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var body Body
		decoder := json.NewDecoder(r.Body)
		decoder.DisallowUnknownFields()
		if err := decoder.Decode(&body); err != nil {
			answer(w, http.StatusBadRequest, failure{Error: err.Error()})
			return
		}
		result, err := do(r.Context(), body)
		if err != nil {
			answer(w, http.StatusInternalServerError, failure{Error: err.Error()})
			return
		}
		answer(w, http.StatusOK, result)
	})
}

func answer(w http.ResponseWriter, status int, body any) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(body) // Who asked has gone.
}

func serveDial(w http.ResponseWriter, r *http.Request, host power.Host) {
	onward, err := host.Dial(r.Context(), r.Host)
	if err != nil {
		answer(w, http.StatusBadGateway, failure{Error: err.Error()})
		return
	}
	defer onward.Close()
	conn, buffered, err := http.NewResponseController(w).Hijack()
	if err != nil {
		answer(w, http.StatusInternalServerError, failure{Error: err.Error()})
		return
	}
	defer conn.Close()
	if _, err := io.WriteString(conn, "HTTP/1.1 200 Connected\r\n\r\n"); err != nil {
		return
	}
	Join(conn, buffered, onward)
}

// Join copies between two connections until both directions have ended. What one side ends for writing, the other sees as an end.
// The reader gives what has been read ahead from the first connection, and then the rest of it.
func Join(a net.Conn, fromA io.Reader, b net.Conn) {
	done := make(chan struct{})
	go func() {
		defer close(done)
		forward(b, fromA)
	}()
	forward(a, b)
	<-done
}

// forward copies one direction. When it cannot go on, it closes the connection that it writes to, so that the other direction ends as well.
func forward(to net.Conn, from io.Reader) {
	_, err := io.Copy(to, from)
	half, ok := to.(interface{ CloseWrite() error })
	if err != nil || !ok || half.CloseWrite() != nil {
		_ = to.Close()
	}
}
