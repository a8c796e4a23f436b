package e2e

import (
	"errors"
	"net"
	"net/http"
	"time"
)

// adminPatience is how long a question to the simulator may find it dead: the kills of other scenarios hit everybody.
const adminPatience = 20 * time.Second

// A patientTransport sends a request again when it has not reached the simulator, or when it was only to read.
type patientTransport struct{ http.RoundTripper }

// RoundTrip implements http.RoundTripper.
func (p patientTransport) RoundTrip(r *http.Request) (*http.Response, error) {
	for begun := time.Now(); ; {
		response, err := p.RoundTripper.RoundTrip(r)
		var dial *net.OpError
		unsent := errors.As(err, &dial) && dial.Op == "dial"
		if err == nil || !unsent && r.Method != http.MethodGet || time.Since(begun) > adminPatience {
			return response, err
		}
		select {
		case <-r.Context().Done():
			return nil, err
		case <-time.After(checkInterval / 2):
		}
		if r.GetBody != nil {
			if r.Body, err = r.GetBody(); err != nil {
				return nil, err
			}
		}
	}
}
