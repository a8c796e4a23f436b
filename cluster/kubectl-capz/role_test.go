package main

import (
	"context"
	"encoding/json"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/cli-runtime/pkg/genericiooptions"

	"github.com/crossplane-capz/crossplane-capz/cluster/azuresim/arm"
	"github.com/crossplane-capz/crossplane-capz/functions/registry"
	"github.com/crossplane-capz/crossplane-capz/internal/changes"
	"github.com/crossplane-capz/crossplane-capz/internal/test/golden"
)

const subscription = "00000000-0000-0000-0000-000000000001"

// TestRoleCoversRequests shows that a role allows what the simulated Azure would ask it about for each resource: to write, read and delete it.
func TestRoleCoversRequests(t *testing.T) {
	for _, example := range []string{"aks", "aks-aso", "aks-aso-vnets", "aks-byo-network", "self-managed", "self-managed-private", "self-managed-dual-stack", "AKSCluster"} {
		t.Run(example, func(t *testing.T) {
			objects := flavor(t, nil, shop...)
			if example != "AKSCluster" {
				objects = manifests(t, example, nil)
			}
			in := changes.Input{Function: pipeline(), Sources: registry.Sources, Manifests: objects}
			role, mistakes, _, err := changes.MakeRole(context.Background(), in, subscription)
			if err != nil || len(mistakes) > 0 {
				t.Fatal(err, mistakes)
			}
			plan, err := changes.Make(context.Background(), in)
			if err != nil {
				t.Fatal(err)
			}
			for _, item := range plan.Changes {
				path := "/subscriptions/" + subscription + "/resourceGroups/g"
				if item.Resource.Kind != "ResourceGroup" {
					provider, types, _ := strings.Cut(item.Resource.Type, "/")
					path += "/providers/" + provider
					for name := range strings.SplitSeq(types, "/") {
						path += "/" + name + "/n"
					}
				}
				for _, method := range []string{http.MethodPut, http.MethodGet, http.MethodDelete} {
					if action := arm.ActionOf(method, path); !slices.Contains(role.Actions, action) {
						t.Errorf("%s may not %s", item.Resource, action)
					}
				}
			}
			if slices.ContainsFunc(role.Actions, func(action string) bool { return strings.Contains(action, "*") }) {
				t.Errorf("the role has wildcards: %v", role.Actions)
			}
		})
	}
}

// A life is what clusters were seen to ask Azure for from creation to deletion: of each kind of request one, out of the simulator's log of the
// end-to-end scenarios planned (aso), typed and typed-pools (typed), self-managed and machine-pool (machines). Unused is what docs/plan.md explains.
type life struct {
	Examples, Unused []string
	Requests         []struct {
		Method, Path string
		Uses         []string
	}
}

func readLife(t *testing.T, file string) life {
	t.Helper()
	var l life
	raw, err := os.ReadFile(file)
	if err == nil {
		err = json.Unmarshal(raw, &l)
	}
	if err != nil {
		t.Fatal(err)
	}
	return l
}

// needed returns the actions in lower case, each with a request that is refused without it.
func (l life) needed() map[string]string {
	needed := map[string]string{}
	for _, r := range l.Requests {
		needed[strings.ToLower(arm.ActionOf(r.Method, r.Path))] = r.Method + " " + r.Path
		for _, used := range r.Uses {
			needed[strings.ToLower(arm.LinkActionOf(r.Path, used))] = r.Method + " " + r.Path + ", with " + used
		}
	}
	return needed
}

// TestRoleFitsLives holds roles against lives of all families: nothing of them is refused, and leaving any action out has something refused, but for
// those that docs/plan.md explains.
func TestRoleFitsLives(t *testing.T) {
	files, err := filepath.Glob("testdata/lives/*.json")
	if err != nil || len(files) < 3 {
		t.Fatal(files, err)
	}
	for _, file := range files {
		t.Run(filepath.Base(file), func(t *testing.T) {
			l := readLife(t, file)
			var objects []*unstructured.Unstructured
			for _, example := range l.Examples {
				objects = append(objects, manifests(t, example, nil)...)
			}
			role, mistakes, _, err := changes.MakeRole(context.Background(), changes.Input{Function: pipeline(), Sources: registry.Sources, Manifests: objects}, subscription)
			if err != nil || len(mistakes) > 0 {
				t.Fatal(err, mistakes)
			}
			needed := l.needed()
			for _, action := range role.Actions {
				_, used := needed[strings.ToLower(action)]
				delete(needed, strings.ToLower(action))
				if explained := slices.Contains(l.Unused, action); used == explained {
					t.Errorf("%s is in the role. A request needs it: %v. It is said to be unused: %v", action, used, explained)
				}
			}
			for action, request := range needed {
				t.Errorf("%s is not in the role, and needed for %s", action, request)
			}
			for _, action := range l.Unused {
				if !slices.Contains(role.Actions, action) || !strings.HasSuffix(action, "/delete") && !strings.HasPrefix(action, "Microsoft.Compute/disks/") {
					t.Errorf("%s is said to be unused, and not in the role, or docs/plan.md does not explain it", action)
				}
			}
		})
	}
}

// TestRole shows what is printed, and that it is what az reads.
func TestRole(t *testing.T) {
	t.Setenv("KUBECONFIG", "")
	streams, _, out, errs := genericiooptions.NewTestIOStreams()
	cmd := newCommand(streams)
	cmd.SetArgs([]string{"plan", "--offline", "-f", "../../examples/aks-byo-network", "--role", "--subscription", subscription})
	if code := exitCode(cmd.ExecuteContext(context.Background()), streams); code != 0 {
		t.Fatal(code, errs)
	}
	golden.Check(t, "testdata/role.golden.json", out.String())
	if !json.Valid(out.Bytes()) {
		t.Error("it is no JSON")
	}
}

// TestRoleNeedsSubscription shows what is said where nothing tells the subscription.
func TestRoleNeedsSubscription(t *testing.T) {
	streams, _, _, errs := genericiooptions.NewTestIOStreams()
	cmd := newCommand(streams)
	cmd.SetArgs([]string{"plan", "--offline", "-f", "../../examples/aks-aso", "--role"})
	want := "the manifests do not say which subscription they are for: name it with --subscription"
	if code := exitCode(cmd.ExecuteContext(context.Background()), streams); code != 1 || !strings.Contains(errs.String(), want) {
		t.Errorf("want 1 and %q, got %d and %q", want, code, errs)
	}
}
