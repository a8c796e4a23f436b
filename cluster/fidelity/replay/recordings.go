// Package replay sends recorded Azure traffic to the simulator and compares the answers.
package replay

import (
	"fmt"
	"io/fs"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"path"
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

// ModuleDir returns the folder of the module with the recordings, as the Go module in dir requires it. It downloads the module
// if the module cache does not have it.
func ModuleDir(dir string) (string, error) {
	found, err := goCommand(dir, "list", "-m", "-f", "{{.Dir}}", module)
	if err != nil || found != "" {
		return found, err
	}
	if _, err := goCommand(dir, "mod", "download", module); err != nil {
		return "", err
	}
	return goCommand(dir, "list", "-m", "-f", "{{.Dir}}", module)
}

func goCommand(dir string, args ...string) (string, error) {
	command := exec.Command("go", args...)
	command.Dir = dir
	var failure strings.Builder
	command.Stderr = &failure
	out, err := command.Output()
	if err != nil {
		return "", fmt.Errorf("go %s in %s: %w: %s", strings.Join(args, " "), dir, err, strings.TrimSpace(failure.String()))
	}
	return strings.TrimSpace(string(out)), nil
}

// Select reads the recordings below dir that are about resource groups, managed clusters, network or compute: those with a
// write to a managed cluster, to a resource of the network or the compute provider or to something below one, and those that write
// resource groups only.
// Only recordings whose name contains name are read.
func Select(dir, name string) ([]*Recording, error) {
	files := os.DirFS(dir)
	var selected []*Recording
	err := fs.WalkDir(files, ".", func(file string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if entry.IsDir() || path.Ext(file) != ".yaml" || !strings.Contains(file, name) || !strings.Contains(file, "/recordings/") {
			return nil
		}
		recording, err := read(files, file)
		if err == nil && recording != nil && recording.selected() {
			selected = append(selected, recording)
		}
		return err
	})
	sort.Slice(selected, func(i, j int) bool { return selected[i].Name < selected[j].Name })
	return selected, err
}

// read parses a recording; it is nil if the URLs show that it is not to be selected.
func read(files fs.FS, file string) (*Recording, error) {
	raw, err := fs.ReadFile(files, file)
	if err != nil || !candidate(raw) {
		return nil, err
	}
	recording := &Recording{Name: path.Base(file)}
	if err := yaml.Unmarshal(raw, recording); err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	return recording, nil
}

var (
	urlLine     = regexp.MustCompile(`(?m)^ +url: https://management\.azure\.com(\S*)`)
	subjectPath = regexp.MustCompile(`(?i)/providers/microsoft\.(containerservice/managedclusters|network/[a-z]+|compute/[a-z]+)/`)
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
		switch subject := interaction.path(); {
		case subjectPath.MatchString(subject):
			return true
		case !strings.Contains(subject, "/providers/") && strings.Contains(subject, "/resourcegroups/"):
			groups++
		}
	}
	return writes > 0 && writes == groups
}
