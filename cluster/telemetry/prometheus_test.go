package telemetry

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"math"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/prometheus/client_golang/api"
	apiv1 "github.com/prometheus/client_golang/api/prometheus/v1"
	"github.com/prometheus/common/model"
	appsv1 "k8s.io/api/apps/v1"
)

// A prometheus is a server that scrapes the management cluster.
type prometheus struct {
	api apiv1.API
	// tool is promtool.
	tool string
}

// buildPrometheus builds server and promtool from the module that the alerts are tested with, and returns their paths. The server has no
// pages, which are made by npm, and of the ways to discover targets only those by files and by HTTP, as nothing here needs the others.
func buildPrometheus(t *testing.T, root string) (server, tool string) {
	t.Helper()
	paths := make([]string, 0, 2)
	for _, name := range []string{"prometheus", "promtool"} {
		out := filepath.Join(root, ".local", "bin", name)
		run(t, exec.Command("go", "build", "-C", filepath.Join(root, "cluster", "monitoring"), "-tags", "remove_all_sd", "-o", out,
			"github.com/prometheus/prometheus/cmd/"+name))
		paths = append(paths, out)
	}
	return paths[0], paths[1]
}

// run runs a command, and returns what it prints.
func run(t *testing.T, c *exec.Cmd) string {
	t.Helper()
	out, err := c.CombinedOutput()
	if err != nil {
		t.Fatalf("%v: %v\n%s", c.Args, err, out)
	}
	return string(out)
}

// keepVariable is the environment variable with the folder that Prometheus's data is kept in. A relative one is below the root.
const keepVariable = "TELEMETRY_KEEP"

// folderOf returns the folder of a test, which has Prometheus's data until the test runs again.
func folderOf(t *testing.T, root string) string {
	t.Helper()
	keep := cmp.Or(os.Getenv(keepVariable), filepath.Join(".local", "telemetry"))
	if !filepath.IsAbs(keep) {
		keep = filepath.Join(root, keep)
	}
	return filepath.Join(keep, t.Name())
}

// startPrometheus starts a server that scrapes the Pods of Deployments, and ends with the test. It returns it when it has scraped both components.
func startPrometheus(t *testing.T, root string, deployments []appsv1.Deployment) *prometheus {
	t.Helper()
	server, tool := buildPrometheus(t, root)
	dir := folderOf(t, root)
	if err := os.RemoveAll(dir); err != nil {
		t.Fatal(err)
	}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	groups, err := readRules(root)
	if err != nil {
		t.Fatal(err)
	}
	quicker, err := quick(groups)
	if err != nil {
		t.Fatal(err)
	}
	asTheyAre, shortened := filepath.Join(dir, "rules.yaml"), filepath.Join(dir, "quick.yaml")
	for file, groups := range map[string][]group{asTheyAre: groups, shortened: quicker} {
		if err := writeRules(file, groups); err != nil {
			t.Fatal(err)
		}
	}
	stateTargets := filepath.Join(dir, stateTargetsFile)
	if err := os.WriteFile(stateTargets, []byte("[]"), 0o600); err != nil {
		t.Fatal(err)
	}
	content, err := configuration(root, deployments, stateTargets, asTheyAre, shortened)
	if err != nil {
		t.Fatal(err)
	}
	config := filepath.Join(dir, "prometheus.yml")
	if err := os.WriteFile(config, content, 0o600); err != nil {
		t.Fatal(err)
	}
	t.Log(run(t, exec.Command(tool, "check", "rules", "--lint=all", "--lint-fatal", asTheyAre)))
	t.Log(run(t, exec.Command(tool, "check", "config", "--lint-fatal", config)))
	address := free(t)
	c := exec.Command(server, "--config.file", config, "--storage.tsdb.path", filepath.Join(dir, "data"), "--web.listen-address", address)
	c.Dir = dir
	log := filepath.Join(dir, "log")
	end := startLogging(t, c, log)
	t.Cleanup(func() {
		if err := end(); err != nil {
			t.Errorf("Prometheus ends with %v; see %s", err, log)
		}
	})
	connection, err := api.NewClient(api.Config{Address: "http://" + address})
	if err != nil {
		t.Fatal(err)
	}
	p := &prometheus{api: apiv1.NewAPI(connection), tool: tool}
	await(t, time.Minute, "Prometheus scrapes both", func() (string, error) { return p.unscraped(t.Context()) })
	return p
}

// startLogging starts a command that ends with this process at the latest, and logs to a file. What is returned ends it, and returns what it ends with.
func startLogging(t *testing.T, c *exec.Cmd, file string) (end func() error) {
	t.Helper()
	log, err := os.Create(file)
	if err != nil {
		t.Fatal(err)
	}
	c.Stdout, c.Stderr = log, log
	c.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	return func() error {
		defer func() { _ = log.Close() }()
		_ = c.Process.Signal(syscall.SIGTERM)
		return c.Wait()
	}
}

// await waits until nothing is missing, and reports whether that has come true.
func await(t *testing.T, patience time.Duration, what string, missing func() (string, error)) bool {
	t.Helper()
	for begun := time.Now(); ; time.Sleep(lookInterval) {
		lacks, err := missing()
		if err == nil && lacks == "" {
			return true
		}
		if time.Since(begun) > patience || t.Context().Err() != nil {
			t.Errorf("%s: not within %s: %s, error %v", what, patience, lacks, err)
			return false
		}
	}
}

// free returns an address that nobody listens on.
func free(t *testing.T) string {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = listener.Close() }()
	return listener.Addr().String()
}

// unscraped says what is wrong with the targets; nothing when each of both jobs has one that answers.
func (p *prometheus) unscraped(ctx context.Context) (string, error) {
	found, err := p.api.Targets(ctx)
	if err != nil {
		return "", err
	}
	var up []string
	for _, target := range found.Active {
		if target.Health != apiv1.HealthGood {
			return fmt.Sprintf("%s: %s %s", target.ScrapePool, target.Health, target.LastError), nil
		}
		up = append(up, string(target.Labels["job"]))
	}
	slices.Sort(up)
	if got, want := strings.Join(up, " "), "crossplane-system/function-capz crossplane-system/provider-capz"; got != want {
		return fmt.Sprintf("the targets are %q, want %q", got, want), nil
	}
	return "", nil
}

// active returns the alerts that are pending or fire.
func (p *prometheus) active(ctx context.Context) ([]apiv1.Alert, error) {
	found, err := p.api.Alerts(ctx)
	return found.Alerts, err
}

// isQuick reports whether an alert is of a quick rule.
func isQuick(a apiv1.Alert) bool { return a.Labels[quickLabel] != "" }

func describe(alerts []apiv1.Alert) string {
	texts := make([]string, 0, len(alerts))
	for _, a := range alerts {
		texts = append(texts, fmt.Sprintf("%s %v", a.State, a.Labels))
	}
	slices.Sort(texts)
	return strings.Join(texts, "; ")
}

// lacks says that a quick alert does not fire; nothing when it does.
func (p *prometheus) lacks(ctx context.Context, e expected) (string, error) {
	alerts, err := p.active(ctx)
	for _, a := range alerts {
		if isQuick(a) && a.State == apiv1.AlertStateFiring && e.is(a) {
			return "", err
		}
	}
	return "there is " + describe(alerts), err
}

// fired returns which alerts of the rules as they are have fired in a time.
func (p *prometheus) fired(ctx context.Context, from, to time.Time) ([]string, error) {
	found, err := p.rangeOf(ctx, `count by (alertname) (ALERTS{alertstate="firing",`+quickLabel+`=""})`, from, to)
	if err != nil {
		return nil, err
	}
	var names []string
	for _, series := range found {
		names = append(names, string(series.Metric["alertname"]))
	}
	slices.Sort(names)
	return names, nil
}

func (p *prometheus) rangeOf(ctx context.Context, query string, from, to time.Time) (model.Matrix, error) {
	value, _, err := p.api.QueryRange(ctx, query, apiv1.Range{Start: from, End: to, Step: interval})
	if err != nil {
		return nil, fmt.Errorf("%s: %w", query, err)
	}
	matrix, ok := value.(model.Matrix)
	if !ok {
		return nil, fmt.Errorf("%s: it is a %s", query, value.Type())
	}
	return matrix, nil
}

// hasData reports whether a query has had a number as answer in a time.
func (p *prometheus) hasData(ctx context.Context, query string, from, to time.Time) (bool, error) {
	matrix, err := p.rangeOf(ctx, query, from, to)
	for _, series := range matrix {
		if slices.ContainsFunc(series.Values, func(v model.SamplePair) bool { return !math.IsNaN(float64(v.Value)) }) {
			return true, nil
		}
	}
	return false, err
}

// checkMetrics has promtool look at the metrics of this project that a component serves.
func (p *prometheus) checkMetrics(t *testing.T, url string) {
	t.Helper()
	response, err := http.Get(url)
	if err != nil {
		t.Error(err)
		return
	}
	defer func() { _ = response.Body.Close() }()
	text, err := io.ReadAll(response.Body)
	if err != nil {
		t.Error(err)
		return
	}
	var ours []string
	for line := range strings.Lines(string(text)) {
		if strings.HasPrefix(strings.TrimPrefix(strings.TrimPrefix(line, "# HELP "), "# TYPE "), "capz_") {
			ours = append(ours, line)
		}
	}
	c := exec.Command(p.tool, "check", "metrics")
	c.Stdin = strings.NewReader(strings.Join(ours, ""))
	if out, err := c.CombinedOutput(); err != nil || len(ours) == 0 {
		t.Errorf("promtool check metrics of %s, %d lines: %v\n%s", url, len(ours), err, out)
	}
}
