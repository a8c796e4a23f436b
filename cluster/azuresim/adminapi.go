package azuresim

import (
	"encoding/json"
	"fmt"
	"net/http"
	"time"

	"github.com/crossplane-capz/crossplane-capz/cluster/azuresim/admin"
	"github.com/crossplane-capz/crossplane-capz/cluster/azuresim/arm"
	"github.com/crossplane-capz/crossplane-capz/cluster/azuresim/arm/containerservice"
)

// AdminHandler answers the administration API, see package admin.
func (s *Simulator) AdminHandler() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /healthz", func(w http.ResponseWriter, _ *http.Request) {
		_, _ = fmt.Fprintln(w, "ok") // a client that went away needs no answer
	})
	mux.HandleFunc("GET /requests", s.listRequests)
	mux.HandleFunc("DELETE /requests", func(w http.ResponseWriter, _ *http.Request) {
		respond(w, nil, s.log.Clear())
	})
	mux.HandleFunc("POST /faults", s.addFault)
	mux.HandleFunc("DELETE /faults", func(w http.ResponseWriter, r *http.Request) {
		respond(w, nil, s.faults.Clear(r.URL.Query().Get("name")))
	})
	mux.HandleFunc("GET /resources", s.listResources)
	mux.HandleFunc("DELETE /resources", s.deleteResource)
	mux.HandleFunc("PUT /latency", change(func(c admin.LatencyChange) error { return s.SetLatency(c.Type, c.Latency) }))
	mux.HandleFunc("PUT /token-lifetime", change(func(c admin.DurationChange) error { return s.Directory.SetTokenLifetime(c.Duration) }))
	mux.HandleFunc("PUT /clock-offset", change(func(c admin.DurationChange) error { return s.SetClockOffset(c.Duration) }))
	mux.HandleFunc("PUT /client-secret", change(func(c admin.ClientSecretChange) error {
		return s.Directory.SetClientSecret(c.ClientID, c.Secret)
	}))
	mux.HandleFunc("PUT /subscription", change(s.RegisterSubscription))
	mux.HandleFunc("PUT /application", change(s.RegisterApplication))
	mux.HandleFunc("PUT /autoscale", change(func(c admin.AutoscaleChange) error { return containerservice.Autoscale(s.ARM, c.ID, c.Count) }))
	mux.HandleFunc("PUT /auto-upgrade", change(func(c admin.UpgradeChange) error { return containerservice.AutoUpgrade(s.ARM, c.ID, c.Version) }))
	mux.HandleFunc("PUT /size-restriction", change(func(c admin.SizeRestriction) error { return s.Machines.SetSizeRestriction(s.ARM, c) }))
	mux.HandleFunc("PUT /quota", change(func(c admin.Quota) error { return s.Machines.SetQuota(s.ARM, c) }))
	mux.HandleFunc("PUT /eviction", change(func(c admin.Eviction) error { return s.Machines.Evict(s.ARM, c.ID) }))
	mux.HandleFunc("PUT /image", change(func(c admin.ImageChange) error { return s.Machines.SetImage(s.ARM, c) }))
	mux.HandleFunc("PUT /health", change(func(c admin.Health) error {
		return s.ARM.SetHealth(c.ID, arm.Health{State: c.State, ReasonType: c.ReasonType, Summary: c.Summary})
	}))
	mux.HandleFunc("PUT /provider", change(func(c admin.ProviderChange) error {
		return s.ARM.SetProviderRegistered(c.Namespace, c.Registered)
	}))
	return mux
}

// change decodes the body of a request into what apply takes.
func change[T any](apply func(T) error) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		var wanted T
		if !decodeBody(w, r, &wanted) {
			return
		}
		respond(w, nil, apply(wanted))
	}
}

func decodeBody(w http.ResponseWriter, r *http.Request, into any) bool {
	decoder := json.NewDecoder(http.MaxBytesReader(w, r.Body, 1<<20))
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(into); err != nil {
		respond(w, nil, fmt.Errorf("request body: %w", err))
		return false
	}
	return true
}

// respond writes body as JSON, or err as a bad request.
func respond(w http.ResponseWriter, body any, err error) {
	w.Header().Set("Content-Type", "application/json")
	if err != nil {
		w.WriteHeader(http.StatusBadRequest)
		body = admin.ErrorAnswer{Error: err.Error()}
	}
	if body == nil {
		body = struct{}{}
	}
	_ = json.NewEncoder(w).Encode(body) // a client that went away needs no answer
}

func (s *Simulator) listRequests(w http.ResponseWriter, r *http.Request) {
	query := r.URL.Query()
	filter := admin.RequestFilter{Method: query.Get("method"), Host: query.Get("host"), Path: query.Get("path")}
	if since := query.Get("since"); since != "" {
		var err error
		if filter.Since, err = time.Parse(time.RFC3339Nano, since); err != nil {
			respond(w, nil, err)
			return
		}
	}
	requests, err := s.log.Select(filter)
	respond(w, requests, err)
}

func (s *Simulator) addFault(w http.ResponseWriter, r *http.Request) {
	var fault admin.Fault
	if !decodeBody(w, r, &fault) {
		return
	}
	name, err := s.faults.Add(fault)
	respond(w, admin.Name{Name: name}, err)
}

func (s *Simulator) listResources(w http.ResponseWriter, r *http.Request) {
	resources, err := s.ARM.Resources(r.URL.Query().Get("prefix"))
	found := []admin.Resource{}
	for _, resource := range resources {
		found = append(found, admin.Resource{ID: resource.ID, Type: resource.Type, Body: resource.Body})
	}
	respond(w, found, err)
}

func (s *Simulator) deleteResource(w http.ResponseWriter, r *http.Request) {
	id := r.URL.Query().Get("id")
	found, err := s.ARM.Erase(id)
	if err == nil && !found {
		err = fmt.Errorf("no resource has the id %s", id)
	}
	respond(w, nil, err)
}

// RegisterSubscription says where a subscription belongs.
func (s *Simulator) RegisterSubscription(subscription admin.Subscription) error {
	return s.tenants.RegisterSubscription(subscription)
}

// RegisterApplication says with what an application signs in, and what it has rights on.
func (s *Simulator) RegisterApplication(application admin.Application) error {
	return s.tenants.RegisterApplication(application)
}
