package managed

import (
	"slices"
	"strings"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/google/go-cmp/cmp"
)

const usedCluster = `{apiVersion: containerservice.azure.com/v1api20250801, kind: ManagedCluster, metadata: {name: %s},
	spec: {azureName: their-cluster, owner: {name: their-group}},
	status: {id: /subscriptions/sub/resourceGroups/their-group/providers/Microsoft.ContainerService/managedClusters/their-cluster,
		fqdn: theirs.example.org, currentKubernetesVersion: 1.32.1,
		conditions: [{type: Ready, status: 'True', reason: Succeeded, observedGeneration: 1}]}}`

const managedClusterAnnotation = "infrastructure.cluster.x-k8s.io/managed-cluster"

func TestUsersManagedCluster(t *testing.T) {
	controlledBy := func(apiVersion, kind string) edit {
		return func(o *unstr) {
			o.SetOwnerReferences([]metav1.OwnerReference{{APIVersion: apiVersion, Kind: kind, Name: "x", UID: "another", Controller: new(true)}})
		}
	}
	extension := set([]any{map[string]any{"name": "flux", "extensionType": "microsoft.flux"}}, "spec", "extensions")
	cases := map[string]struct {
		xr        *unstr
		theirs    *unstr
		did       []string
		resources map[string]string
		endpoint  string
		condition string
	}{
		"found by name": {
			xr: controlPlane(t), theirs: object(t, usedCluster, "cp"),
			resources: map[string]string{"ManagedCluster cp": "user true Succeeded"}, endpoint: "theirs.example.org",
			condition: "True AllReady: ManagedCluster cp: is not composed here: it was applied by somebody else, and is only read",
		},
		"named": {
			xr: controlPlane(t, annotate(managedClusterAnnotation, "theirs")), theirs: object(t, usedCluster, "theirs"),
			resources: map[string]string{"ManagedCluster theirs": "user true Succeeded"}, endpoint: "theirs.example.org",
			condition: "True AllReady: ManagedCluster theirs: is not composed here: it was applied by somebody else, and is only read",
		},
		"controlled by something of theirs": {
			xr: controlPlane(t), theirs: edited(object(t, usedCluster, "cp"), controlledBy("argoproj.io/v1alpha1", "Application")),
			resources: map[string]string{"ManagedCluster cp": "user true Succeeded"}, endpoint: "theirs.example.org",
			condition: "True AllReady: ManagedCluster cp: is not composed here: it was applied by somebody else, and is only read",
		},
		"not ready": {
			xr: controlPlane(t), theirs: edited(object(t, usedCluster, "cp"), remove("status", "conditions")),
			resources: map[string]string{"ManagedCluster cp": "user false Reconciling"},
			condition: "False Reconciling: ManagedCluster cp: Azure Service Operator has not yet reported on it",
		},
		"named, not there": {
			xr:        controlPlane(t, annotate(managedClusterAnnotation, "theirs")),
			resources: map[string]string{"ManagedCluster cp": "false WaitingForResource"},
			condition: "False WaitingForResource: ManagedCluster cp: waits until ManagedCluster theirs exists, which metadata.annotations[" + managedClusterAnnotation + "] names",
		},
		"of another composite": {
			xr: controlPlane(t), theirs: edited(object(t, usedCluster, "cp"), controlledBy("infrastructure.cluster.x-k8s.io/v1beta1", "AzureASOManagedControlPlane")),
			did:       []string{"create ResourceGroup rg", "create VirtualNetwork net", "create VirtualNetworksSubnet nodes"},
			resources: map[string]string{"ManagedCluster cp": "false ControlledByOther", "ResourceGroup rg": "owned true Succeeded", "VirtualNetwork net": "owned true Succeeded", "VirtualNetworksSubnet net-nodes": "owned true Succeeded"},
			condition: "False ControlledByOther: ManagedCluster cp belongs to AzureASOManagedControlPlane x, and cannot belong to this object too; give one of them another name",
		},
		"with an extension of ours": {
			xr: controlPlane(t, extension), theirs: object(t, usedCluster, "cp"), did: []string{"create Extension flux"},
			resources: map[string]string{"ManagedCluster cp": "user true Succeeded", "Extension flux": "owned true Succeeded"}, endpoint: "theirs.example.org",
			condition: "True AllReady: ManagedCluster cp: is not composed here: it was applied by somebody else, and is only read",
		},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			w := aksWorld(t)
			if c.theirs != nil {
				w = w.With(c.theirs)
			}
			p := newPlay(t, w, c.xr)
			p.rounds(8)
			if diff := cmp.Diff(c.did, p.Did); diff != "" {
				t.Errorf("what ASO did in Azure: -want, +got:\n%s", diff)
			}
			if diff := cmp.Diff(c.resources, resources(p.Response)); diff != "" {
				t.Errorf("status.resources: -want, +got:\n%s", diff)
			}
			if got := condition(p.Response, "ManagedClusterRunning"); got != c.condition {
				t.Errorf("ManagedClusterRunning: -want, +got:\n%s", cmp.Diff(c.condition, got))
			}
			endpoint, _ := status(p.Response)["controlPlaneEndpoint"].(map[string]any)
			if host, _ := endpoint["host"].(string); host != c.endpoint {
				t.Errorf("endpoint: want %q, got %q", c.endpoint, host)
			}
			for _, o := range p.Live.Objects() {
				if o.GetKind() == "Extension" && o.Object["spec"].(map[string]any)["owner"].(map[string]any)["armId"] != "/subscriptions/sub/resourceGroups/their-group/providers/Microsoft.ContainerService/managedClusters/their-cluster" {
					t.Errorf("the extension is of another cluster: %v", o.Object["spec"])
				}
			}
		})
	}
}

// TestUsersManagedClusterGoes shows that nothing takes the place of what a user deletes.
func TestUsersManagedClusterGoes(t *testing.T) {
	theirs := object(t, usedCluster, "cp")
	p := newPlay(t, aksWorld(t, theirs), controlPlane(t))
	p.rounds(2)
	p.World = p.World.Without(theirs)
	p.rounds(4)
	if len(p.Did) > 0 || len(p.Live) > 3 || p.Live["ManagedCluster.containerservice.azure.com/cp"] != nil {
		t.Errorf("something was made in its place: %v %v", p.Did, sortedKeys(p.Live))
	}
	if got := condition(p.Response, "ManagedClusterRunning"); !strings.HasPrefix(got, "False Gone: ManagedCluster cp is gone; it was somebody else's") {
		t.Errorf("ManagedClusterRunning: %s", got)
	}
	if got := condition(p.Response, "Available"); !strings.HasPrefix(got, "True") {
		t.Errorf("what was initialized stays so: %s", got)
	}
	t.Run("and the user wants a new one", func(t *testing.T) {
		p.XR = edited(p.XR, annotate(managedClusterAnnotation, ""))
		p.rounds(8)
		if !slices.Contains(p.Did, "create ManagedCluster cp") {
			t.Errorf("not made: %v", p.Did)
		}
	})
}

// TestOursStaysWhenAnotherIsNamed shows that a ManagedCluster that was made is not dropped for one that a user names.
func TestOursStaysWhenAnotherIsNamed(t *testing.T) {
	p := newPlay(t, aksWorld(t, object(t, usedCluster, "theirs")), controlPlane(t))
	p.rounds(8)
	p.XR = edited(p.XR, annotate(managedClusterAnnotation, "theirs"))
	p.rounds(2)
	if p.Live["ManagedCluster.containerservice.azure.com/cp"] == nil {
		t.Fatal("dropped")
	}
	if got := condition(p.Response, "ManagedClusterRunning"); !strings.HasPrefix(got, `False IncompatibleValue: metadata.annotations[`+managedClusterAnnotation+`] is "theirs", but must be absent or "cp"`) {
		t.Errorf("ManagedClusterRunning: %s", got)
	}
}

// TestTheirsCameLate shows that what surrounds the cluster stays when it was made before the user's ManagedCluster came.
func TestTheirsCameLate(t *testing.T) {
	p := newPlay(t, world{Objects: []*unstr{cluster(t)}}, controlPlane(t)) // Without pools no ManagedCluster is made.
	p.rounds(6)
	delete(p.Live, "ManagedCluster.containerservice.azure.com/cp") // As if it had not been looked for yet.
	p.World = p.World.With(object(t, usedCluster, "cp"))
	p.rounds(3)
	if want := []string{"create ResourceGroup rg", "create VirtualNetwork net", "create VirtualNetworksSubnet nodes"}; !slices.Equal(want, p.Did) {
		t.Errorf("want %v, got %v", want, p.Did)
	}
}

func TestUsersNetwork(t *testing.T) {
	theirs := object(t, `{apiVersion: network.azure.com/v1api20201101, kind: VirtualNetwork, metadata: {name: net}, spec: {azureName: net, owner: {name: elsewhere}},
		status: {conditions: [{type: Ready, status: 'True', reason: Succeeded, observedGeneration: 1}]}}`)
	p := newPlay(t, aksWorld(t, theirs), controlPlane(t), "ResourceGroup rg", "VirtualNetworksSubnet nodes")
	p.rounds(8)
	if want := []string{"create ManagedCluster cp"}; !slices.Equal(want, p.Did) {
		t.Errorf("want %v, got %v", want, p.Did)
	}
	want := map[string]string{"ResourceGroup rg": "external true Succeeded", "VirtualNetwork net": "user true Succeeded",
		"VirtualNetworksSubnet net-nodes": "external true Succeeded", "ManagedCluster cp": "owned true Succeeded"}
	if diff := cmp.Diff(want, resources(p.Response)); diff != "" {
		t.Errorf("status.resources: -want, +got:\n%s", diff)
	}
}
