package main

import (
	"context"
	"fmt"
	"net/http"
	"time"

	dto "github.com/prometheus/client_model/go"
	"github.com/prometheus/common/expfmt"
	"github.com/prometheus/common/model"
	"github.com/prometheus/procfs"

	"github.com/crossplane-capz/crossplane-capz/cluster/local/stack"
)

const (
	// requestsMetric is client-go's.
	requestsMetric = "rest_client_requests_total"
	// stillFor is for how long components have done next to nothing when they are still.
	stillFor = 10 * time.Second
)

// A usage is what a component has taken since it started.
type usage struct {
	// cpu in seconds, resident memory in bytes and its peak.
	cpu, resident, peak float64
	// requests to API servers, and those of them to the management cluster's; the others are to the clusters themselves.
	requests, managing float64
}

func (u usage) add(o usage) usage {
	return usage{u.cpu + o.cpu, u.resident + o.resident, u.peak + o.peak, u.requests + o.requests, u.managing + o.managing}
}

// since returns what was taken since an earlier usage. What is resident, and its peak, stay what they are.
func (u usage) since(o usage) usage {
	return usage{u.cpu - o.cpu, u.resident, u.peak, u.requests - o.requests, u.managing - o.managing}
}

// everything is what the stack has on a side that is measured.
func (a *arena) everything() []string {
	return append([]string{stack.Etcd, stack.APIServer, stack.CAPI, stack.ASO}, a.side.components...)
}

// usages returns what each of the components has taken.
func (a *arena) usages(ctx context.Context, components ...string) (map[string]usage, error) {
	all := map[string]usage{}
	for _, name := range components {
		u, err := a.usage(ctx, name)
		if err != nil {
			return nil, fmt.Errorf("usage of %s: %w", name, err)
		}
		all[name] = u
	}
	return all, nil
}

// still returns what each of the components has taken, once what they took in the last stillFor is little.
func (a *arena) still(ctx context.Context, little func(taken map[string]usage) bool, components ...string) (map[string]usage, error) {
	last, err := a.usages(ctx, components...)
	if err != nil {
		return nil, err
	}
	for {
		if err := sleep(ctx, stillFor); err != nil {
			return nil, err
		}
		now, err := a.usages(ctx, components...)
		if err != nil {
			return nil, err
		}
		taken := map[string]usage{}
		for name, u := range now {
			taken[name] = u.since(last[name])
		}
		if little(taken) {
			return now, nil
		}
		last = now
	}
}

// process returns what the kernel knows of a component.
func (a *arena) process(component string) (procfs.Proc, error) {
	pid, err := a.stack.PID(component)
	if err != nil {
		return procfs.Proc{}, err
	}
	return procfs.NewProc(pid)
}

func (a *arena) usage(ctx context.Context, component string) (usage, error) {
	pid, err := a.stack.PID(component)
	if err != nil {
		return usage{}, err
	}
	u, err := usageOf(pid)
	url := a.stack.ClientMetricsURL(component)
	if url == "" || err != nil {
		return u, err
	}
	counted, err := counters(ctx, url, requestsMetric)
	for _, m := range counted {
		u.requests += m.GetCounter().GetValue()
		if labelOf(m, "host") == a.host {
			u.managing += m.GetCounter().GetValue()
		}
	}
	return u, err
}

func labelOf(m *dto.Metric, name string) string {
	for _, l := range m.GetLabel() {
		if l.GetName() == name {
			return l.GetValue()
		}
	}
	return ""
}

// usageOf returns what a process has taken, but for requests.
func usageOf(pid int) (usage, error) {
	proc, err := procfs.NewProc(pid)
	if err != nil {
		return usage{}, err
	}
	stat, err := proc.Stat()
	if err != nil {
		return usage{}, err
	}
	status, err := proc.NewStatus()
	if err != nil {
		return usage{}, err
	}
	return usage{cpu: stat.CPUTime(), resident: float64(status.VmRSS), peak: float64(status.VmHWM)}, nil
}

// counters returns the counters of a name that a process offers, of which there is at least one.
func counters(ctx context.Context, url, name string) ([]*dto.Metric, error) {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		return nil, err
	}
	answer, err := http.DefaultClient.Do(request)
	if err != nil {
		return nil, err
	}
	defer func() { _ = answer.Body.Close() }()
	parser := expfmt.NewTextParser(model.UTF8Validation)
	families, err := parser.TextToMetricFamilies(answer.Body)
	if err != nil {
		return nil, err
	}
	if len(families[name].GetMetric()) == 0 {
		return nil, fmt.Errorf("%s has no %s", url, name)
	}
	return families[name].GetMetric(), nil
}
