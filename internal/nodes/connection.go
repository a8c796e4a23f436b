package nodes

import (
	"net/http"
	"time"

	utilnet "k8s.io/apimachinery/pkg/util/net"
	"k8s.io/client-go/rest"
)

// silence is how long a connection may be without a word before it is asked whether it still holds: well within the four minutes after
// which a load balancer of Azure may forget it (Azure documentation, "Configure TCP reset and idle timeout for Azure Load Balancer"), and
// seldom enough for hundreds of clusters in which nothing happens. client-go asks after 30 s.
const silence = 75 * time.Second

// newClient returns an HTTP client that does as config says.
func newClient(config *rest.Config) (*http.Client, error) {
	tlsConfig, err := rest.TLSConfigFor(config)
	if err != nil {
		return nil, err
	}
	transport := utilnet.SetOldTransportDefaults(&http.Transport{
		Proxy: config.Proxy, DialContext: config.Dial, TLSClientConfig: tlsConfig, ForceAttemptHTTP2: true, HTTP2: &http.HTTP2Config{SendPingTimeout: silence},
	})
	wrapped, err := rest.HTTPWrappersForConfig(config, transport)
	return &http.Client{Transport: wrapped}, err
}
