package asomanaged

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"google.golang.org/protobuf/types/known/structpb"

	"github.com/crossplane-capz/crossplane-capz/internal/composer/composertest"
	"github.com/crossplane-capz/crossplane-capz/internal/refusal"
)

// groupSchema is what an API server says of ResourceGroups.
func groupSchema(t *testing.T) *structpb.Struct {
	t.Helper()
	text := dict("type", "string")
	schema, err := structpb.NewStruct(dict("type", "object", "properties", dict(
		"apiVersion", text, "kind", text, "metadata", dict("type", "object"), "status", dict("type", "object"),
		"spec", dict("type", "object", "required", list("location"), "properties", dict(
			"azureName", text, "managedBy", text, "location", dict("type", "string", "pattern", "^[a-z]+$"), "operatorSpec", dict("type", "object"),
			"tags", dict("type", "object", "additionalProperties", text),
		)),
	)))
	must(t, err)
	return schema
}

// refused has the API server refuse something of a composite resource, of which only Crossplane's message tells.
func refused(message string) edit { return composertest.Refused(message, nil) }

const (
	applyBad = `cannot compose resources: cannot apply composed resource "ResourceGroup.resources.azure.com/bad": `
	typed    = `failed to create typed patch object (ns/bad; resources.azure.com/v1api20200601, Kind=ResourceGroup): .spec.locaton: field not declared in schema`
	denied   = `admission webhook "w" denied the request: not today`
)

// TestRefusedByAPIServer has one entry that the API server refuses, or would: it is named, what there is of it stays as it was applied,
// and the others go on.
func TestRefusedByAPIServer(t *testing.T) {
	bad := func(edits ...edit) *unstr { return edited(group("bad"), edits...) }
	misspelled := bad(set("westeurope", "spec", "locaton"))
	misspelledText := `spec.resources[1].spec.locaton must be absent: ResourceGroup of resources.azure.com/v1api20200601 has no such field; did you mean location?`
	again := func(reason string) edit {
		return set(list(dict("resource", dict("group", "resources.azure.com", "version", "v1api20200601", "kind", "ResourceGroup", "name", "bad"), "ready", false, "reason", reason)), "status", "resources")
	}
	inEvents := composertest.Refused("Unsynced resources: ResourceGroup.resources.azure.com/bad", refusal.Answers{"ResourceGroup.resources.azure.com/bad": "not today"})
	tests := map[string]struct {
		entry   *unstr
		of      edit
		reason  string
		message string
	}{
		"a field that there is not":        {misspelled, refused(applyBad + typed), "InvalidField", misspelledText},
		"refused for another one":          {misspelled, refused(`cannot compose resources: cannot apply composed resource "other": ` + denied), "InvalidField", misspelledText},
		"told before":                      {misspelled, again("InvalidField"), "InvalidField", misspelledText},
		"of another type":                  {bad(set(list("a"), "spec", "managedBy")), refused(applyBad + typed), "InvalidField", `spec.resources[1].spec.managedBy is ["a"], but must be a string`},
		"an item of a map of another type": {bad(set(int64(1), "spec", "tags", "a.b")), refused(applyBad + typed), "InvalidField", `spec.resources[1].spec.tags["a.b"] is 1, but must be a string`},
		"not of the pattern":               {bad(set("West Europe", "spec", "location")), refused("Unsynced resources: ResourceGroup.resources.azure.com/bad"), "InvalidField", `spec.resources[1].spec.location is "West Europe", but must be text that matches ^[a-z]+$`},
		"without what it needs":            {bad(remove("spec", "location")), refused("Unsynced resources: ResourceGroup.resources.azure.com/bad"), "InvalidField", `spec.resources[1].spec.location is missing, but ResourceGroup of resources.azure.com/v1api20200601 needs it`},
		"invalid for what no schema says":  {bad(), refused("Unsynced resources: ResourceGroup.resources.azure.com/bad"), "RefusedByAPIServer", `spec.resources[1] (ResourceGroup bad) is refused by the API server: Crossplane's Events about this object have its answer`},
		"denied by a webhook":              {bad(), refused(applyBad + denied), "RefusedByAPIServer", `spec.resources[1] (ResourceGroup bad) is refused by the API server: ` + denied},
		"denied, of which Events tell":     {bad(), inEvents, "RefusedByAPIServer", `spec.resources[1] (ResourceGroup bad) is refused by the API server: not today`},
	}
	good := group("good")
	for title, tc := range tests {
		t.Run(title, func(t *testing.T) {
			w := world{Objects: []*unstr{cluster(), controlPlaneXR()}}.Serving(good.GroupVersionKind(), groupSchema(t))
			xr := edited(infraXR(good, tc.entry), tc.of)
			before := edited(group("bad"), set("c1", "metadata", "labels", "cluster.x-k8s.io/cluster-name"))
			for _, there := range []bool{false, true} {
				observed := []*unstr{exists(t, xr, good)}
				if there {
					observed = append(observed, exists(t, xr, before))
				}
				rsp := composers.Settle(t, w, request(t, xr, observed...))
				if isReady, _, _ := outcome(rsp, "good"); !isReady {
					t.Error("the good resource is not shown as ready")
				}
				_, reason, message := outcome(rsp, "bad")
				if diff := cmp.Diff([]string{tc.reason, tc.message}, []string{reason, message}); diff != "" {
					t.Errorf("status.resources: -want, +got:\n%s", diff)
				}
				for _, condition := range []string{"Ready", "ResourcesReady"} {
					got := contract(rsp, condition)
					if diff := cmp.Diff([]any{"False", tc.reason, tc.message}, []any{got["status"], got["reason"], got["message"]}); diff != "" {
						t.Errorf("%s: -want, +got:\n%s", condition, diff)
					}
				}
				kept := desired(t, rsp)[name(before)]
				if (kept != nil) != there || there && kept.Object["spec"].(map[string]any)["locaton"] != nil {
					t.Errorf("there %v: composed is %v", there, kept)
				}
			}
		})
	}
}

// TestNotRefused has what looks alike: the entry is composed.
func TestNotRefused(t *testing.T) {
	bad := edited(group("bad"), remove("spec", "location"))
	for title, of := range map[string]edit{
		"a webhook is not reachable": refused(applyBad + `Internal error occurred: failed calling webhook "w"`),
		"another one is refused":     refused(`cannot compose resources: cannot apply composed resource "other": ` + denied),
		"an older spec was":          annotate(refusal.Annotation, `{"spec":"of another one","answers":{"ResourceGroup.resources.azure.com/bad":"x"}}`),
		"provider-capz has no note":  set(list(dict("type", "Synced", "status", "False", "message", applyBad+denied)), "status", "conditions"),
		"the note is no note":        annotate(refusal.Annotation, `x`),
	} {
		t.Run(title, func(t *testing.T) {
			w := world{Objects: []*unstr{cluster(), controlPlaneXR()}}.Serving(bad.GroupVersionKind(), groupSchema(t))
			rsp := composers.Settle(t, w, request(t, edited(infraXR(bad), of)))
			if desired(t, rsp)[name(bad)] == nil {
				_, reason, message := outcome(rsp, "bad")
				t.Errorf("not composed: %s %s", reason, message)
			}
		})
	}
}

// TestWhyItIsNotReady shows that what waits for another composite's resource says which mistake keeps that from being ready, and nothing
// of ordinary progress.
func TestWhyItIsNotReady(t *testing.T) {
	rg := group("rg")
	for reason, want := range map[string]string{
		"InvalidField": "ResourceGroup rg (spec.owner) of AzureASOManagedCluster infra is ready: why",
		"Creating":     "ResourceGroup rg (spec.owner) of AzureASOManagedCluster infra is ready",
	} {
		item := statusItem(rg, false)
		item["reason"], item["message"] = reason, "why"
		w := aksWorld("p0").With(edited(infraXR(rg), set(list(item), "status", "resources")))
		rsp := composers.Settle(t, w, request(t, controlPlaneXR(owned(aks, "ManagedCluster", "mc", "rg"))))
		if _, _, message := outcome(rsp, "mc"); message != "waits until "+want {
			t.Errorf("%s: %q", reason, message)
		}
	}
}

// TestVersionTakenBack has a pool whose version is changed back with a field left in that only the other version has: it stays as it was
// applied, in that version.
func TestVersionTakenBack(t *testing.T) {
	schema, err := structpb.NewStruct(dict("properties", dict("apiVersion", dict(), "kind", dict(), "metadata", dict(), "spec", dict("properties", dict("owner", dict(), "mode", dict())))))
	must(t, err)
	before := aksPool("p0", inVersion(aksPreview), set("on", "spec", "localDNSProfile"))
	xr := edited(poolXR("p0", edited(before, inVersion(aks))), refused(`cannot compose resources: cannot apply composed resource "`+name(before)+`": `+typed))
	w := aksWorld("p0").With(ready(controlPlaneXR(aksCluster()))).Serving(gvk(aks, "ManagedClustersAgentPool"), schema)
	rsp := composers.Settle(t, w, request(t, xr, exists(t, xr, before)))
	_, reason, message := outcome(rsp, "p0")
	if reason != "InvalidField" || !strings.Contains(message, "spec.resources[0].spec.localDNSProfile must be absent: ManagedClustersAgentPool of "+aks) {
		t.Errorf("%s: %s", reason, message)
	}
	if kept := desired(t, rsp)[name(before)]; kept.GetAPIVersion() != aksPreview || kept.Object["spec"].(map[string]any)["localDNSProfile"] != "on" {
		t.Errorf("composed: %v", kept)
	}
}
