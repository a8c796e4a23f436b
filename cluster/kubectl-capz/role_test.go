package main

import (
	"context"
	"encoding/json"
	"net/http"
	"slices"
	"strings"
	"testing"

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
