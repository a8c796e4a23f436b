// Package forecast compares what kubectl capz plan says with what the simulated Azure is sent then.
package forecast

import (
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"regexp"
	"slices"
	"strings"

	"github.com/crossplane-capz/crossplane-capz/cluster/azuresim/admin"
	"github.com/crossplane-capz/crossplane-capz/cluster/local/stack"
)

// A plannedItem is what kubectl capz plan --output json says of one resource.
type plannedItem struct {
	Action             string
	Resource, Replaces plannedResource
}

type plannedResource struct{ Kind, Type, AzureName string }

// A foretold write is one that a plan has Azure be sent.
type foretold struct {
	// what is the method and the end of the path, as in "put agentpools/pool0".
	what *regexp.Regexp
	// changes is set where the request changes something. Who creates a resource may find it there: AKS makes the first pools of a cluster itself.
	changes bool
	// may is set for a write that may be left out.
	may bool
}

// A Forecast is what a plan has said.
type Forecast struct{ writes []foretold }

// Read reads what kubectl capz plan --output json has printed. It is not complete where more may change than the plan has.
func Read(printed []byte) (f *Forecast, complete bool, err error) {
	plan := struct {
		Changes    []plannedItem
		Incomplete bool
	}{}
	if err := json.Unmarshal(printed, &plan); err != nil {
		return nil, false, fmt.Errorf("kubectl capz plan: %w: %s", err, printed)
	}
	f = &Forecast{}
	for _, item := range plan.Changes {
		f.say(item)
	}
	return f, !plan.Incomplete, nil
}

// Changes reports whether Azure is sent anything that changes it.
func (f *Forecast) Changes() bool { return len(f.writes) > 0 }

// Types of which a plan has something else to say than the requests have.
const (
	typeInstance       = "Microsoft.Compute/virtualMachineScaleSets/virtualMachines"
	typeMachine        = "Microsoft.Compute/virtualMachines"
	typeRoleAssignment = "Microsoft.Authorization/roleAssignments"
)

// ofMachines are what goes with a virtual machine, which a plan names alone where Cluster API chooses which one goes.
var ofMachines = []string{"networkInterfaces", "disks", "inboundNatRules", "extensions", "roleAssignments", "publicIPAddresses"}

// say adds what is foretold by an item.
func (f *Forecast) say(item plannedItem) {
	put := func(r plannedResource, changes bool) { f.add(http.MethodPut, r, changes, false) }
	gone := func(r plannedResource) {
		f.add(http.MethodDelete, r, true, false)
		if r.Type == typeMachine {
			for _, kind := range ofMachines {
				f.add(http.MethodDelete, plannedResource{Type: "/" + kind}, true, true)
			}
		}
	}
	switch item.Action {
	case "create":
		put(item.Resource, false)
	case "change":
		put(item.Resource, true)
	case "delete":
		gone(item.Resource)
	case "replace":
		switch {
		case item.Resource.Type == typeInstance || item.Resource.Kind == "AzureMachinePoolMachine":
			gone(item.Resource) // The scale set makes the new one itself, when its capacity is raised for that.
			f.add(http.MethodPut, plannedResource{Type: "Microsoft.Compute/virtualMachineScaleSets"}, true, true)
		case item.Replaces.Type == "":
			put(plannedResource{Type: item.Resource.Type}, false) // Of the name that Cluster API makes up.
			gone(item.Resource)
		default:
			put(item.Resource, false)
			gone(item.Replaces)
		}
	}
}

func (f *Forecast) add(method string, r plannedResource, changes, may bool) {
	f.writes = append(f.writes, foretold{what: written(method, r), changes: changes, may: may})
}

// madeUp are the parts of names that stand for what is chosen by chance: -new for a machine, xxxxx for letters.
var madeUp = regexp.MustCompile(`-new\b|xxxxx`)

// written returns the method and the end of the path of a request that writes a resource.
func written(method string, r plannedResource) *regexp.Regexp {
	name := madeUp.ReplaceAllString(regexp.QuoteMeta(r.AzureName), "[a-z0-9-]+")
	if r.AzureName == "" || r.Type == typeRoleAssignment {
		name = ".+"
	}
	return regexp.MustCompile("(?i)^" + method + " " + r.Type[strings.LastIndex(r.Type, "/")+1:] + "/" + name + "$")
}

// String lists what has to be sent.
func (f *Forecast) String() string {
	var all []string
	for _, w := range f.writes {
		if !w.may {
			all = append(all, w.String())
		}
	}
	if len(all) == 0 {
		return "nothing"
	}
	return strings.Join(all, ", ")
}

func (f foretold) String() string {
	return strings.ToLower(strings.TrimSuffix(strings.TrimPrefix(f.what.String(), "(?i)^"), "$"))
}

// tags end the path of a request that changes the tags of a resource alone.
const tags = "/providers/Microsoft.Resources/tags/default"

// sentWrite returns a request as a plan foretells it.
func sentWrite(r admin.Request) string {
	method := r.Method
	if method == http.MethodPatch {
		method = http.MethodPut
	}
	segments := strings.Split(strings.TrimSuffix(r.Path, tags), "/")
	return method + " " + strings.Join(segments[len(segments)-2:], "/")
}

// Holds returns what was foretold and is not among the requests, and which of them change anything that was not foretold. Requests of people are
// left out.
func (f *Forecast) Holds(requests []admin.Request) []string {
	sent, changed := map[string]bool{}, map[string]bool{}
	for _, r := range requests {
		if r.UserAgent == stack.PersonAgent || !slices.Contains([]string{http.MethodPut, http.MethodPatch, http.MethodDelete}, r.Method) {
			continue
		}
		sent[sentWrite(r)] = true
		if r.Changed || r.Method == http.MethodDelete {
			changed[sentWrite(r)] = true
		}
	}
	return f.against(sent, changed)
}

// against compares what was foretold with what was sent, and what of that has changed anything.
func (f *Forecast) against(sent, changed map[string]bool) []string {
	var missing []string
	for _, w := range f.writes {
		among := sent
		if w.changes {
			among = changed
		}
		if !w.may && !w.among(among) {
			missing = append(missing, "the plan has "+w.String()+", which Azure has not been sent")
		}
	}
	for _, got := range slices.Sorted(maps.Keys(changed)) {
		known := false
		for _, w := range f.writes {
			known = known || w.what.MatchString(got)
		}
		if !known {
			missing = append(missing, "Azure has been sent "+got+", which the plan did not have")
		}
	}
	return missing
}

func (f foretold) among(sent map[string]bool) bool {
	for got := range sent {
		if f.what.MatchString(got) {
			return true
		}
	}
	return false
}
