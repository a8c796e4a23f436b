// Package compatibility knows with which versions of what this project was run: which versions the modules of the checkout name, and which
// commands have passed with them.
package compatibility

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"golang.org/x/mod/modfile"
)

// A Part is something that others make, and which runs beside this project.
type Part struct {
	Name    string
	Version string

	module, file string
}

// The parts.
const (
	kubernetes    = "Kubernetes"
	etcd          = "etcd"
	crossplane    = "Crossplane"
	crossplaneCLI = "Crossplane CLI"
	clusterAPI    = "Cluster API"
	aso           = "Azure Service Operator"
	capz          = "Cluster API Provider Azure"
)

// parts say which module's version each part is built from.
var parts = []Part{
	{Name: kubernetes, module: "k8s.io/kubernetes", file: "cluster/local/parts/kubernetes/go.mod"},
	{Name: etcd, module: "go.etcd.io/etcd/server/v3", file: "cluster/local/parts/kubernetes/go.mod"},
	{Name: crossplane, module: "github.com/crossplane/crossplane/v2", file: "cluster/local/parts/crossplane/go.mod"},
	{Name: clusterAPI, module: "sigs.k8s.io/cluster-api", file: "cluster/local/parts/capi/go.mod"},
	{Name: aso, module: "github.com/Azure/azure-service-operator/v2", file: "cluster/local/parts/aso/go.mod"},
	{Name: crossplaneCLI, module: "github.com/crossplane/cli/v2", file: "cluster/local/parts/crossplane-cli/go.mod"},
	{Name: capz, module: "sigs.k8s.io/cluster-api-provider-azure", file: "cluster/local/parts/capz/go.mod"},
}

// A Command is a target of make, with the parts that run in it.
type Command struct {
	Target string
	// Shows is what it shows of them.
	Shows string
	parts []string
}

var together = []string{kubernetes, etcd, crossplane, clusterAPI, aso}

// commands are those that run parts.
var commands = []Command{
	{"test", "all of these but templates, endure and switch", append(slices.Clip(together), crossplaneCLI, capz)},
	{"e2e", "clusters of all families, from nothing until they are gone", together},
	{"schema", "the definitions, their rules and the policies, as the API server serves them", []string{kubernetes, etcd}},
	{"cli", "validate and composition render", []string{crossplaneCLI}},
	{"machines", "kubeadm, a control plane and a worker", []string{kubernetes, etcd}},
	{"templates", "each of CAPZ's templates, up and down", together},
	{"endure", "lives of clusters while components are killed", together},
	{"takeover", "a management cluster that is taken over from CAPZ", append(slices.Clip(together), capz)},
	{"switch", "management clusters that are taken over from CAPZ, and returned", append(slices.Clip(together), capz)},
	{OthersTarget, "clusters by ASO's manifests, of the typed AKS kinds and of machines with one part of another version: up, scaled, upgraded and deleted", together},
}

// Commands returns the commands that run parts.
func Commands() []Command { return slices.Clone(commands) }

// Parts returns the names of the parts that run in the command.
func (c Command) Parts() []string { return slices.Clone(c.parts) }

// Lookup returns the command of a target; not ok when that runs no parts.
func Lookup(target string) (c Command, ok bool) {
	i := slices.IndexFunc(commands, func(c Command) bool { return c.Target == target })
	if i < 0 {
		return Command{}, false
	}
	return commands[i], true
}

// A Run is a command that was run. But for other versions only those that have passed are recorded.
type Run struct {
	Date   string `json:"date"`
	Commit string `json:"commit"`
	Target string `json:"target"`
	Go     string `json:"go"`
	// Versions are those of the parts that ran, by their names.
	Versions map[string]string `json:"versions"`
	Seconds  int               `json:"seconds"`
	// Other is the name of the Other that it was a run of; empty for a run of the versions that the modules name.
	Other string `json:"other,omitempty"`
	// Result of a run of another version.
	Result Result `json:"result,omitempty"`
	// Reason says in one sentence why it has not passed: what was printed, until somebody has looked.
	Reason string `json:"reason,omitempty"`
}

// RunsFile has the runs, a line for each, below the root of the checkout.
const RunsFile = "docs/compatibility.jsonl"

// Parts returns all parts with the versions that the modules of the checkout name.
func Parts(root string) ([]Part, error) {
	all := slices.Clone(parts)
	for i, p := range all {
		version, err := Required(filepath.Join(root, p.file), p.module)
		if err != nil {
			return nil, err
		}
		all[i].Version = version
	}
	return all, nil
}

// Required returns the version of a module that a go.mod file requires.
func Required(file, module string) (string, error) {
	versions, err := requirements(file)
	if err != nil {
		return "", err
	}
	version, ok := versions[module]
	if !ok {
		return "", fmt.Errorf("%s does not require %s", file, module)
	}
	return version, nil
}

// requirements returns the versions that a go.mod file requires, by module.
func requirements(file string) (map[string]string, error) {
	content, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	parsed, err := modfile.ParseLax(file, content, nil)
	if err != nil {
		return nil, err
	}
	versions := map[string]string{}
	for _, r := range parsed.Require {
		versions[r.Mod.Path] = r.Mod.Version
	}
	return versions, nil
}

// Runs returns the runs that were recorded, the last one last.
func Runs(root string) ([]Run, error) {
	content, err := os.ReadFile(filepath.Join(root, RunsFile))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	var runs []Run
	for lines := bufio.NewScanner(bytes.NewReader(content)); lines.Scan(); {
		r := Run{}
		if err := json.Unmarshal(lines.Bytes(), &r); err != nil {
			return nil, fmt.Errorf("%s, line %d: %w", RunsFile, len(runs)+1, err)
		}
		if _, known := Lookup(r.Target); !known {
			return nil, fmt.Errorf("%s, line %d: make %s runs no parts", RunsFile, len(runs)+1, r.Target)
		}
		if (r.Target == OthersTarget) != (r.Other != "") || (r.Other != "") != slices.Contains([]Result{Passed, Failed, NotBuilt}, r.Result) {
			return nil, fmt.Errorf("%s, line %d: a run of make %s, and of nothing else, says which other version it is of and what came of it", RunsFile, len(runs)+1, OthersTarget)
		}
		runs = append(runs, r)
	}
	return runs, nil
}

// Record adds a run of a command that has passed, with the versions that the modules name.
func Record(root string, command Command, r Run) error {
	versions, err := command.versions(root)
	if err != nil {
		return err
	}
	r.Target, r.Versions = command.Target, versions
	return add(root, r)
}

// RecordOther adds a run of another version. The checkout that it ran in is another one, whose modules name the versions.
func RecordOther(root, ranIn string, o Other, r Run) error {
	command, _ := Lookup(OthersTarget)
	versions, err := command.versions(ranIn)
	if err != nil {
		return err
	}
	versions[o.Part] = o.Version // Where it is not built, its module may not name it.
	r.Other, r.Target, r.Versions = o.Name(), command.Target, versions
	return add(root, r)
}

// versions returns the versions of its parts that the modules of a checkout name.
func (c Command) versions(root string) (map[string]string, error) {
	all, err := Parts(root)
	if err != nil {
		return nil, err
	}
	versions := map[string]string{}
	for _, p := range all {
		if slices.Contains(c.parts, p.Name) {
			versions[p.Name] = p.Version
		}
	}
	return versions, nil
}

// add adds a run to the file.
func add(root string, r Run) error {
	line, err := json.Marshal(r)
	if err != nil {
		return err
	}
	file, err := os.OpenFile(filepath.Join(root, RunsFile), os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o644) //nolint:gosec // Like any source.
	if err != nil {
		return err
	}
	_, err = file.Write(append(line, '\n'))
	return errors.Join(err, file.Close())
}
