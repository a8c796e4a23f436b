package stack

import (
	"bufio"
	"crypto/tls"
	"encoding/base64"
	"encoding/json"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/crossplane-capz/crossplane-capz/internal/leaks"
)

// What follows is for tests that look at everything that the stack writes.

// Etcd returns where the API server's etcd is, and how to reach it.
func (s *Stack) Etcd() (string, *tls.Config, error) {
	client, err := ClientTLS(s.path("certs", "etcd"))
	return "https://" + s.address(portEtcd), client, err
}

// MetricsURLs returns where the product's components have their metrics.
func (s *Stack) MetricsURLs() map[string]string {
	return map[string]string{
		Function: "http://" + s.address(portFunctionStat) + "/metrics", Provider: "http://" + s.address(portProviderStat) + "/metrics",
	}
}

// ClientMetricsURL returns where a component counts its requests to the API server; empty when it does not.
func (s *Stack) ClientMetricsURL(component string) string {
	ports := map[string]string{Crossplane: portCrossplaneStat, Provider: portProviderStat, CAPI: portCAPIStat, CAPZ: portCAPZStat}
	port, ok := ports[component]
	if !ok {
		return ""
	}
	return "http://" + s.address(port) + "/metrics"
}

// Messages is the file in folder Recorded with what Crossplane and function-capz have said to each other.
const Messages = "messages"

// Recorded is a folder for what a test records of the stack; the next one begins with it empty.
func (s *Stack) Recorded() string { return s.path("recorded") }

// Outputs returns the files and folders of the state folder in which no secret may be. It leaves out what is there to keep some,
// the other processes' data, and packages, which were there before.
func (s *Stack) Outputs() []string {
	outputs := []string{s.path("logs"), s.path("processes"), s.path("home"), s.path("tmp"), s.path("state.json"), s.AuditLog()}
	if s.azure == nil {
		outputs = append(outputs, s.path("azure", "requests.jsonl"))
	}
	return outputs
}

// Secrets takes what is secret in the stack's own files: the keys and tokens of the components.
func (s *Stack) Secrets(haul *leaks.Haul) error {
	files := []string{s.Kubeconfig()}
	for _, pattern := range []string{s.path("kubeconfigs", "*"), s.path("certs", "*", "*.key")} {
		found, err := filepath.Glob(pattern)
		if err != nil {
			return err
		}
		files = append(files, found...)
	}
	for _, file := range files {
		content, err := os.ReadFile(file)
		if err != nil {
			return err
		}
		name, err := filepath.Rel(s.dir, file)
		if err != nil {
			return err
		}
		haul.Add("file "+name, filepath.Base(file), content)
	}
	return nil
}

// AzureSecrets takes what is secret in what the simulated Azure keeps: the key of Entra, the secrets of applications, the keys of
// authorities, and the tokens of the clusters that there are.
func (s *Stack) AzureSecrets(haul *leaks.Haul) error {
	journal, err := os.Open(s.simulator().path("azure", "state.jsonl"))
	if err != nil {
		return err
	}
	defer func() { _ = journal.Close() }()
	for lines := bufio.NewReader(journal); ; {
		line, err := lines.ReadBytes('\n')
		if errors.Is(err, io.EOF) {
			return nil // What follows the last newline is being written.
		}
		if err != nil {
			return err
		}
		entry := struct {
			Key   string `json:"k"`
			Value any    `json:"v"`
		}{}
		if err := json.Unmarshal(line, &entry); err != nil {
			return errors.New("the journal of the simulated Azure is not readable") // Its error may quote it.
		}
		addSecrets(haul, "the simulated Azure", entry.Key, entry.Value, strings.HasPrefix(entry.Key, "entra/"))
	}
}

// addSecrets takes the texts of JSON that are secret by the names of their fields, or that all are.
func addSecrets(haul *leaks.Haul, source, key string, value any, all bool) {
	switch value := value.(type) {
	case map[string]any:
		for name, field := range value {
			lower := strings.ToLower(name)
			secret := lower == "key" || strings.HasSuffix(lower, "secret") || strings.HasSuffix(lower, "token")
			addSecrets(haul, source, key+", "+name, field, secret)
		}
	case string:
		if !all {
			return
		}
		haul.Add(source, key, []byte(value))
		if raw, err := base64.StdEncoding.DecodeString(value); err == nil {
			haul.Add(source, key, raw)
		}
	}
}
