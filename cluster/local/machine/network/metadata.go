package network

import (
	"encoding/json"
	"net"
	"net/http"
	"strings"
	"time"

	"github.com/crossplane-capz/crossplane-capz/cluster/azuresim/power"
)

// ServeMetadata answers as the instance metadata service, until the network is closed. Machine returns the one with an address.
func (n *Network) ServeMetadata(machine func(ip string) (power.Machine, bool)) error {
	listener, err := n.Listen(metadata, 80)
	if err != nil {
		return err
	}
	server := &http.Server{ReadHeaderTimeout: 10 * time.Second, Handler: metadataHandler(machine)}
	n.services = append(n.services, server)
	go func() { _ = server.Serve(listener) }()
	return nil
}

// metadataHandler is https://learn.microsoft.com/azure/virtual-machines/instance-metadata-service, as far as scripts in CAPZ's templates ask it.
func metadataHandler(machine func(ip string) (power.Machine, bool)) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		ip, _, _ := net.SplitHostPort(r.RemoteAddr)
		m, known := machine(ip)
		path := strings.Split(strings.Trim(r.URL.Path, "/"), "/")
		switch {
		case !strings.EqualFold(r.Header.Get("Metadata"), "true") || r.Header.Get("X-Forwarded-For") != "":
			http.Error(w, `{ "error": "Bad request. Required metadata header not specified" }`, http.StatusBadRequest)
		case r.URL.Query().Get("api-version") == "":
			http.Error(w, `{ "error": "Bad request. api-version was not specified" }`, http.StatusBadRequest)
		case len(path) < 2 || path[0] != "metadata" || path[1] != "instance" || !known:
			http.Error(w, `{ "error": "Not found" }`, http.StatusNotFound)
		default:
			answerMetadata(w, r, instance(m), path[2:])
		}
	})
}

func answerMetadata(w http.ResponseWriter, r *http.Request, value any, path []string) {
	for _, key := range path {
		object, ok := value.(map[string]any)
		if !ok {
			value = nil
			break
		}
		value = object[key]
	}
	text, isText := value.(string)
	switch {
	case value == nil:
		http.Error(w, `{ "error": "Not found" }`, http.StatusNotFound)
	case isText && r.URL.Query().Get("format") == "text":
		_, _ = w.Write([]byte(text)) // Who asked has gone.
	default:
		w.Header().Set("Content-Type", "application/json; charset=utf-8")
		_ = json.NewEncoder(w).Encode(value) // As above.
	}
}

func instance(m power.Machine) map[string]any {
	var interfaces []any
	for _, nic := range m.NICs {
		interfaces = append(interfaces, map[string]any{
			"ipv4":       map[string]any{"ipAddress": []any{map[string]any{"privateIpAddress": nic.IP, "publicIpAddress": ""}}},
			"macAddress": strings.ToUpper(strings.NewReplacer(":", "", "-", "").Replace(nic.MAC)),
		})
	}
	var tags []any
	for name, value := range m.Tags {
		tags = append(tags, map[string]any{"name": name, "value": value})
	}
	return map[string]any{
		"compute": map[string]any{
			"name": m.Name, "resourceId": m.ID, "location": m.Location, "zone": m.Zone, "vmSize": m.Size, "osType": m.OS,
			"resourceGroupName": m.ResourceGroup, "subscriptionId": m.SubscriptionID, "tagsList": tags,
			"osProfile": map[string]any{"computerName": m.ComputerName}, "azEnvironment": "AzurePublicCloud", "provider": "Microsoft.Compute",
		},
		"network": map[string]any{"interface": interfaces},
	}
}
