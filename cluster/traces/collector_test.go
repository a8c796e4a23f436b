package main

import (
	"bytes"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/crossplane-capz/crossplane-capz/internal/traces"
)

// patience is how long a process may take to start, and a span to the collector.
const patience = 30 * time.Second

// asCollector in the environment has the binary of the tests be the collector.
const asCollector = "TEST_AS_COLLECTOR"

func TestMain(m *testing.M) {
	if os.Getenv(asCollector) != "" {
		main()
		return
	}
	os.Exit(m.Run())
}

func command(name string, args ...string) *exec.Cmd { return exec.Command(name, args...) }

func run(t *testing.T, c *exec.Cmd) {
	t.Helper()
	if out, err := c.CombinedOutput(); err != nil {
		t.Fatalf("%v: %v\n%s", c.Args, err, out)
	}
}

// start starts a process that ends with the test, and returns the file that it prints to.
func start(t *testing.T, c *exec.Cmd) (printed string) {
	t.Helper()
	printed = filepath.Join(t.TempDir(), "printed")
	file, err := os.Create(printed)
	if err != nil {
		t.Fatal(err)
	}
	c.Stdout, c.Stderr = file, file
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = c.Process.Signal(syscall.SIGTERM)
		_ = c.Wait() // function-capz ends by the signal.
		_ = file.Close()
		if t.Failed() || testing.Verbose() {
			text, _ := os.ReadFile(printed)
			t.Logf("%s printed:\n%s", filepath.Base(c.Path), text)
		}
	})
	return printed
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

// A collector is one that runs, as a process.
type collector struct{ endpoint, printed string }

// collect runs a collector by collector.yaml, but at an address of its own.
func collect(t *testing.T) collector {
	t.Helper()
	folder, address := t.TempDir(), free(t)
	config, err := os.ReadFile("collector.yaml")
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(folder, "collector.yaml")
	if err := os.WriteFile(path, bytes.ReplaceAll(config, []byte("127.0.0.1:4317"), []byte(address)), 0o600); err != nil {
		t.Fatal(err)
	}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	c := command(self, "--config", path)
	c.Dir, c.Env = folder, append(os.Environ(), asCollector+"=1")
	printed := start(t, c)
	for begun := time.Now(); ; time.Sleep(20 * time.Millisecond) {
		if connection, err := net.Dial("tcp", address); err == nil {
			_ = connection.Close()
			return collector{"http://" + address, printed}
		}
		if time.Since(begun) > patience {
			t.Fatal("the collector does not listen")
		}
	}
}

// A span is one that the collector has printed.
type span struct {
	// line is its service, kind, name, status and attributes, but for IDs that differ each time.
	line                              string
	service, kind, name, code, status string
	attributes                        []string
	trace, correlation                string
}

// spans returns what the collector has printed, by line, when it is so many.
func (c collector) spans(t *testing.T, wanted int) []span {
	t.Helper()
	var all []span
	for begun := time.Now(); time.Since(begun) < patience; time.Sleep(50 * time.Millisecond) {
		text, err := os.ReadFile(c.printed)
		if err != nil {
			t.Fatal(err)
		}
		if all = spansIn(string(text)); len(all) >= wanted {
			break
		}
	}
	if len(all) != wanted {
		t.Fatalf("the collector has %d spans, want %d: %v", len(all), wanted, all)
	}
	slices.SortFunc(all, func(a, b span) int { return strings.Compare(a.line, b.line) })
	return all
}

// spansIn reads what the collector's debug exporter prints: of each resource its attributes, and of each of its spans fields and attributes.
func spansIn(text string) []span {
	var all []span
	var service string
	var s *span
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		if strings.HasPrefix(line, "ResourceSpans #") {
			s = nil
		} else if strings.HasPrefix(line, "Span #") {
			all = append(all, span{service: service})
			s = &all[len(all)-1]
		} else if attribute, ok := strings.CutPrefix(line, "-> "); ok {
			key, value, _ := strings.Cut(attribute, ": ")
			if _, value, ok = strings.Cut(value, "("); ok {
				value = strings.TrimSuffix(value, ")")
			}
			switch {
			case s != nil:
				s.attribute(key, value)
			case key == "service.name":
				service = value
			}
		} else if key, value, ok := strings.Cut(line, ":"); ok && s != nil {
			s.field(strings.TrimSpace(key), strings.TrimSpace(value))
		}
	}
	for i, s := range all {
		words := []string{s.service, s.kind, s.name, s.code}
		if s.status != "" {
			words = append(words, "("+s.status+")")
		}
		all[i].line = strings.Join(append(words, s.attributes...), " ")
	}
	return all
}

func (s *span) field(key, value string) {
	switch key {
	case "Trace ID":
		s.trace = value
	case "Kind":
		s.kind = value
	case "Name":
		s.name = value
	case "Status code":
		s.code = value
	case "Status message":
		s.status = value
	}
}

func (s *span) attribute(key, value string) {
	switch key {
	case string(traces.AttributeCorrelation):
		s.correlation = value
	case string(traces.AttributeReconcileID):
	default:
		s.attributes = append(s.attributes, key+"="+value)
	}
}

// quiet fails if anything that no span may have is in what the collector has printed.
func (c collector) quiet(t *testing.T) {
	t.Helper()
	text, err := os.ReadFile(c.printed)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Contains(text, []byte("Span #0")) || bytes.Contains(text, []byte(hush)) {
		t.Error("the collector has printed no span, or what is to be secret")
	}
}
