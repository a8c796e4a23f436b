// Package replay sends recorded Azure traffic to the simulator and compares the answers.
package replay

import (
	"fmt"
	"io/fs"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"sort"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"
)

// module is the Go module that ships the recordings.
const module = "github.com/Azure/azure-service-operator/v2"

// Recording is one file of recorded traffic (go-vcr's format, version 1).
type Recording struct {
	Name         string        `yaml:"-"`
	Interactions []Interaction `yaml:"interactions"`
}

// Interaction is one request and its answer.
type Interaction struct {
	Request struct {
		Method string `yaml:"method"`
		URL    string `yaml:"url"`
		Body   string `yaml:"body"`
	} `yaml:"request"`
	Response struct {
		Code    int         `yaml:"code"`
		Status  string      `yaml:"status"`
		Body    string      `yaml:"body"`
		Headers http.Header `yaml:"headers"`
	} `yaml:"response"`
}

// Code is the recorded status code.
func (i *Interaction) Code() int {
	if i.Response.Code != 0 {
		return i.Response.Code
	}
	code, err := strconv.Atoi(strings.SplitN(i.Response.Status, " ", 2)[0])
	if err != nil {
		return 0
	}
	return code
}

// path is the path of the request's URL in lower case.
func (i *Interaction) path() string {
	return pathOf(i.Request.URL)
}

func pathOf(raw string) string {
	u, err := url.Parse(raw)
	if err != nil {
		return ""
	}
	return strings.ToLower(strings.TrimSuffix(u.Path, "/"))
}

func (i *Interaction) writes() bool {
	return i.Request.Method != http.MethodGet && i.Request.Method != http.MethodHead
}

// ModuleDir returns the folder of the module with the recordings, as the Go module in dir requires it.
func ModuleDir(dir string) (string, error) {
	command := exec.Command("go", "list", "-m", "-f", "{{.Dir}}", module)
	command.Dir = dir
	out, err := command.Output()
	if err != nil {
		return "", fmt.Errorf("go list -m %s in %s: %w", module, dir, err)
	}
	found := strings.TrimSpace(string(out))
	if found == "" {
		return "", fmt.Errorf("module %s is not in the module cache: run go mod download in %s", module, dir)
	}
	return found, nil
}

// Select reads the recordings below dir that are about resource groups, managed clusters or virtual networks: those with a
// write to a managed cluster or a virtual network or to something below one, and those that write resource groups only.
// Only recordings whose name contains name are read.
func Select(dir, name string) ([]*Recording, error) {
	var selected []*Recording
	err := filepath.WalkDir(dir, func(path string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if entry.IsDir() || filepath.Ext(path) != ".yaml" || !strings.Contains(path, name) ||
			!strings.Contains(filepath.ToSlash(path), "/recordings/") {
			return nil
		}
		raw, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		if !candidate(raw) {
			return nil
		}
		recording := &Recording{}
		if err := yaml.Unmarshal(raw, recording); err != nil {
			return fmt.Errorf("%s: %w", path, err)
		}
		if recording.selected() {
			recording.Name = filepath.Base(path)
			selected = append(selected, recording)
		}
		return nil
	})
	sort.Slice(selected, func(i, j int) bool { return selected[i].Name < selected[j].Name })
	return selected, err
}

var (
	urlLine     = regexp.MustCompile(`(?m)^ +url: https://management\.azure\.com(\S*)`)
	subjectPath = regexp.MustCompile(`(?i)/providers/microsoft\.(containerservice/managedclusters|network/virtualnetworks)/`)
)

// candidate looks at the URLs of a recording without parsing all of it.
func candidate(raw []byte) bool {
	onlyGroups := true
	lines := urlLine.FindAllSubmatch(raw, -1)
	for _, line := range lines {
		if subjectPath.Match(line[1]) {
			return true
		}
		if strings.Contains(string(line[1]), "/providers/") {
			onlyGroups = false
		}
	}
	return onlyGroups && len(lines) > 0
}

func (r *Recording) selected() bool {
	writes, groups := 0, 0
	for i := range r.Interactions {
		interaction := &r.Interactions[i]
		if !interaction.writes() {
			continue
		}
		writes++
		switch path := interaction.path(); {
		case subjectPath.MatchString(path):
			return true
		case !strings.Contains(path, "/providers/") && strings.Contains(path, "/resourcegroups/"):
			groups++
		}
	}
	return writes > 0 && writes == groups
}
