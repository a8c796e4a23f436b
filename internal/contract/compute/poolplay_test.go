package compute

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/utils/ptr"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/crossplane-capz/crossplane-capz/apis/infrastructure/v1beta1"
	"github.com/crossplane-capz/crossplane-capz/apis/provider/v1alpha1"
	"github.com/crossplane-capz/crossplane-capz/internal/aso"
	"github.com/crossplane-capz/crossplane-capz/internal/azure"
	"github.com/crossplane-capz/crossplane-capz/internal/composite"
	"github.com/crossplane-capz/crossplane-capz/internal/contract/fixture"
	"github.com/crossplane-capz/crossplane-capz/internal/machines"
)

const (
	poolName = "mp0"
	setID    = groupID + "/providers/Microsoft.Compute/virtualMachineScaleSets/" + poolName
	poolYAML = `
apiVersion: infrastructure.cluster.x-k8s.io/v1beta1
kind: AzureMachinePool
metadata: {name: mp0}
spec: {location: westeurope, template: {vmSize: Standard_D2s_v3, osDisk: {osType: Linux}}, strategy: {rollingUpdate: {maxSurge: 1, maxUnavailable: 0, deletePolicy: Oldest}}}
`
	scaleSetYAML = `
apiVersion: compute.azure.com/v1api20220301
kind: VirtualMachineScaleSet
metadata:
  name: mp0
  labels: {cluster.x-k8s.io/cluster-name: my-cluster}
  finalizers: [` + aso.RemovalFinalizer + `]
  annotations: {serviceoperator.azure.com/credential-from: my-cluster-aso-secret, serviceoperator.azure.com/reconcile-policy: skip,
    serviceoperator.azure.com/resource-id: ` + setID + `,
    infrastructure.cluster.x-k8s.io/lifecycle: provider-created, infrastructure.cluster.x-k8s.io/ownership: owned}
spec:
  azureName: mp0
  owner: {name: rg}
  location: westeurope
  sku: {name: Standard_D2s_v3, tier: Standard, capacity: 2}
  tags: {sigs.k8s.io_cluster-api-provider-azure_cluster_my-cluster: owned}
  virtualMachineProfile:
    osProfile: {computerNamePrefix: mp0, adminUsername: capi}
    storageProfile: {imageReference: {communityGalleryImageId: /CommunityGalleries/g/Images/i/Versions/1.33.2}}
    networkProfile: {networkInterfaceConfigurations: [{name: mp0-nic-0, primary: true}]}
`
)

// An azurePool is an Azure with one scale set, whose instances are made at once.
type azurePool struct {
	t testing.TB
	// set is the scale set as it was written; nil while there is none. parts are those that were written, in order.
	set   map[string]any
	parts []string
	// instances have the images that they were made from, by name.
	instances map[string]string
	made      int
	// creating says since when instances are in creation, by name.
	creating map[string]time.Time
	// refuse is what the next changes are answered with.
	refuse *anAnswer
	// asked is how often each request was made; that of one instance is "GET instance", whichever.
	asked map[string]int
	// before is called before a change is carried out.
	before func()
}

// Do answers a request.
func (a *azurePool) Do(req *http.Request) (*http.Response, error) {
	what := "else"
	if at, below := strings.CutPrefix(req.URL.Path, setID); below {
		what = strings.NewReplacer("/virtualMachines/", "instance ", "/virtualMachines", "instances").Replace(at)
		what, _, _ = strings.Cut(what, " ")
		what = cmp.Or(what, "scale set")
	}
	a.asked[req.Method+" "+what]++
	status, body := a.answer(req)
	return &http.Response{StatusCode: status, Header: http.Header{"Content-Type": {"application/json"}}, Body: io.NopCloser(strings.NewReader(body)), Request: req}, nil
}

func (a *azurePool) answer(req *http.Request) (status int, body string) {
	at, below := strings.CutPrefix(req.URL.Path, setID)
	switch {
	case req.URL.Host == "login.microsoftonline.com":
		return http.StatusOK, entra(req.URL.Path)
	case strings.HasSuffix(req.URL.Path, "/skus"):
		return http.StatusOK, skus.body
	case !below:
		a.t.Errorf("Azure is asked %s %s", req.Method, req.URL.Path)
		return http.StatusInternalServerError, ""
	case a.set == nil && req.Method == http.MethodGet:
		return absent.status, absent.body
	case req.Method == http.MethodGet && at == "":
		return http.StatusOK, a.written(a.set)
	case req.Method == http.MethodGet && at == tagsOf:
		return http.StatusOK, a.written(map[string]any{"properties": map[string]any{"tags": a.set["tags"]}})
	case req.Method == http.MethodGet && at == "/virtualMachines":
		return http.StatusOK, a.list()
	case req.Method == http.MethodGet:
		if image, there := a.instances[strings.TrimPrefix(at, "/virtualMachines/")]; there {
			return http.StatusOK, a.written(instance(strings.TrimPrefix(at, "/virtualMachines/"), image))
		}
		return absent.status, absent.body
	case req.Method == http.MethodPatch && at == tagsOf:
		return a.tag(req)
	case req.Method == http.MethodDelete:
		a.lose(strings.TrimPrefix(at, "/virtualMachines/"))
		return http.StatusAccepted, ""
	}
	return a.put(req)
}

// lose takes an instance away, and its place in the capacity of the scale set.
func (a *azurePool) lose(name string) {
	delete(a.instances, name)
	a.set["sku"].(map[string]any)["capacity"] = float64(len(a.instances))
}

// put takes over what is sent, as Azure does: what is left out stays.
func (a *azurePool) put(req *http.Request) (status int, body string) {
	if a.before != nil {
		a.before()
	}
	if a.refuse != nil {
		return a.refuse.status, a.refuse.body
	}
	sent := map[string]any{}
	content, err := io.ReadAll(req.Body)
	if err != nil || json.Unmarshal(content, &sent) != nil {
		a.t.Errorf("a body that is no JSON: %v", err)
	}
	profile, whole := dig(sent, "properties", "virtualMachineProfile").(map[string]any)
	part := "capacity"
	switch {
	case whole && profile["networkProfile"] != nil:
		part, a.set = "whole", sent
	case whole:
		part = "model"
		a.set["sku"], a.set["tags"], a.set["zones"] = sent["sku"], sent["tags"], sent["zones"]
		dig(a.set, "properties", "virtualMachineProfile").(map[string]any)["storageProfile"] = profile["storageProfile"]
	default:
		a.set["sku"], a.set["tags"] = sent["sku"], sent["tags"] // What a PUT does not have is gone.
	}
	if data, _ := dig(sent, "properties", "virtualMachineProfile", "osProfile", "customData").(string); whole && data == "" {
		a.t.Error("the bootstrap data is not sent")
	}
	capacity := int(dig(a.set, "sku", "capacity").(float64))
	a.parts = append(a.parts, fmt.Sprint(part, " ", capacity))
	image, _ := dig(a.set, "properties", "virtualMachineProfile", "storageProfile", "imageReference", "communityGalleryImageId").(string)
	for ; len(a.instances) < capacity; a.made++ {
		a.instances[fmt.Sprint(a.made)] = image
	}
	return http.StatusOK, a.written(a.set)
}

// tag takes over tags, or takes some away.
func (a *azurePool) tag(req *http.Request) (status int, body string) {
	sent := struct {
		Operation  string
		Properties struct{ Tags map[string]any }
	}{}
	if err := json.NewDecoder(req.Body).Decode(&sent); err != nil {
		a.t.Error(err)
	}
	for tag, value := range sent.Properties.Tags {
		if has, _ := a.set["tags"].(map[string]any); sent.Operation == "Delete" {
			delete(has, tag)
		} else {
			has[tag] = value
		}
	}
	a.parts = append(a.parts, "tags")
	return http.StatusOK, "{}"
}

func (a *azurePool) written(of map[string]any) string {
	properties, _ := of["properties"].(map[string]any)
	if properties["provisioningState"] == nil {
		properties["provisioningState"] = "Succeeded"
	}
	content, err := json.Marshal(of)
	if err != nil {
		a.t.Error(err)
	}
	return string(content)
}

func (a *azurePool) list() string {
	var all []string
	for name, image := range a.instances {
		found := instance(name, image)
		if since, ok := a.creating[name]; ok {
			maps.Copy(found["properties"].(map[string]any), map[string]any{"provisioningState": "Creating", "timeCreated": since.Format(time.RFC3339)})
		}
		all = append(all, a.written(found))
	}
	slices.Sort(all)
	return `{"value": [` + strings.Join(all, ",") + `]}`
}

func instance(name, image string) map[string]any {
	number, _ := strconv.Atoi(name)
	return map[string]any{
		"id": setID + "/virtualMachines/" + name, "instanceId": name, "name": poolName + "_" + name, "sku": map[string]any{"name": "Standard_D2s_v3"},
		"properties": map[string]any{
			"timeCreated": time.Date(2026, 1, 2, 3, 4, number, 0, time.UTC).Format(time.RFC3339), "storageProfile": map[string]any{"imageReference": map[string]any{"communityGalleryImageId": image}},
		},
	}
}

func dig(in any, path ...string) any {
	for _, key := range path {
		of, ok := in.(map[string]any)
		if !ok {
			return nil
		}
		in = of[key]
	}
	return in
}

// A poolPlay has provider-capz, Cluster API core, function-capz and an Azure around an AzureMachinePool.
type poolPlay struct {
	*fixture.Management

	t     testing.TB
	azure *azurePool
	own   *Azure
	// unready are Nodes that are not ready, by the names of their Machines.
	unready map[string]bool
	// hold says that Cluster API makes no Machines for now.
	hold bool
}

func newPoolPlay(t testing.TB, replicas int32) *poolPlay {
	t.Helper()
	pool := &clusterv1.MachinePool{
		ObjectMeta: metav1.ObjectMeta{Namespace: "default", Name: poolName, UID: "machinepool", Labels: map[string]string{clusterv1.ClusterNameLabel: "my-cluster"}},
		Spec: clusterv1.MachinePoolSpec{ClusterName: "my-cluster", Replicas: &replicas, Template: clusterv1.MachineTemplateSpec{Spec: clusterv1.MachineSpec{
			ClusterName: "my-cluster", Version: "v1.33.2", Bootstrap: clusterv1.Bootstrap{DataSecretName: ptr.To("bootstrap")},
			InfrastructureRef: clusterv1.ContractVersionedObjectReference{APIGroup: composite.InfrastructureGroup, Kind: "AzureMachinePool", Name: poolName},
		}}},
	}
	xr := fixture.With(fixture.Parse(t, poolYAML), func(obj *unstructured.Unstructured) {
		obj.SetLabels(map[string]string{clusterv1.ClusterNameLabel: "my-cluster"})
		obj.SetOwnerReferences([]metav1.OwnerReference{{APIVersion: clusterv1.GroupVersion.String(), Kind: "MachinePool", Name: poolName, UID: "machinepool"}})
		obj.Object["spec"].(map[string]any)["crossplane"] = map[string]any{"resourceRefs": []any{
			map[string]any{"apiVersion": "compute.azure.com/v1api20220301", "kind": "VirtualMachineScaleSet", "name": poolName},
		}}
	})
	p := &poolPlay{t: t, azure: &azurePool{t: t, instances: map[string]string{}, asked: map[string]int{}}, unready: map[string]bool{}}
	p.Management = fixture.New(t, cluster(), fixture.With(fixture.Parse(t, azureClusterYAML), fixture.OfCluster), xr, pool,
		fixture.With(fixture.Parse(t, scaleSetYAML), fixture.Controlled(composite.AzureMachinePool.GroupVersionKind, poolName)),
		fixture.Parse(t, "{apiVersion: resources.azure.com/v1api20200601, kind: ResourceGroup, metadata: {name: rg}, status: {id: "+groupID+"}}"),
		secret("bootstrap", map[string]string{"value": hushBootstrap, "format": "cloud-config"}), credentialSecret())
	p.restart()
	return p
}

// restart has provider-capz start anew.
func (p *poolPlay) restart() {
	p.own = New(azure.Credentials{Operators: azure.Operators{Secrets: p.Management}, Transport: p.azure}, machines.NewClient(p.azure))
}

// rounds has provider-capz look so often, and Cluster API do its part in between.
func (p *poolPlay) rounds(n int) *poolPlay {
	p.t.Helper()
	for range n {
		pool := &Pool{API: p.API(), Azure: p.own, AzureJSON: &AzureJSON{p.own}}
		if _, err := pool.Reconcile(p.t.Context(), p.Scope(composite.AzureMachinePool, poolName)); err != nil {
			p.t.Fatal(err)
		}
		p.clusterAPI()
		p.own.scaleSets.Forget(setID) // Time goes on: the list of its instances is not that of before.
	}
	return p
}

// clusterAPI makes a Machine for each AzureMachinePoolMachine, and deletes those whose Machine is gone, which provider-capz then lets go.
func (p *poolPlay) clusterAPI() {
	p.t.Helper()
	for _, m := range p.members() {
		machine := &clusterv1.Machine{}
		err := p.Get(p.t.Context(), client.ObjectKey{Namespace: "default", Name: m.Name}, machine)
		_, had := m.Annotations["had-a-machine"]
		switch {
		case err != nil && had:
			p.must(client.IgnoreNotFound(p.Delete(p.t.Context(), p.Find(PoolMachineKind, m.Name))))
			p.letGo(m.Name)
		case err != nil && p.hold:
		case err != nil:
			p.must(p.Create(p.t.Context(), p.machineOf(m.Name)))
			obj := p.Find(PoolMachineKind, m.Name)
			obj.SetAnnotations(map[string]string{"had-a-machine": ""})
			p.must(p.Update(p.t.Context(), obj))
		default:
			ready := metav1.ConditionTrue
			if p.unready[m.Name] {
				ready = metav1.ConditionFalse
			}
			machine.Status.Conditions = []metav1.Condition{{Type: clusterv1.MachineNodeReadyCondition, Status: ready, Reason: "R", LastTransitionTime: metav1.Now()}}
			machine.Status.NodeRef.Name = m.Name
			p.must(p.Update(p.t.Context(), machine))
		}
	}
}

func (p *poolPlay) machineOf(name string) *clusterv1.Machine {
	return &clusterv1.Machine{
		ObjectMeta: metav1.ObjectMeta{Namespace: "default", Name: name, UID: fixture.UID("machine", name), Labels: map[string]string{
			clusterv1.ClusterNameLabel: "my-cluster", clusterv1.MachinePoolNameLabel: poolName}},
		Spec: clusterv1.MachineSpec{ClusterName: "my-cluster", Version: "v1.33.2",
			InfrastructureRef: clusterv1.ContractVersionedObjectReference{APIGroup: composite.InfrastructureGroup, Kind: "AzureMachinePoolMachine", Name: name}},
	}
}

// letGo has provider-capz look at an AzureMachinePoolMachine that is being deleted until it is gone.
func (p *poolPlay) letGo(name string) {
	p.t.Helper()
	own := &PoolMachine{API: p.API(), Azure: p.own, Watched: func(client.Object) bool { return true }}
	for range 3 {
		_, err := own.Reconcile(p.t.Context(), ctrl.Request{NamespacedName: client.ObjectKey{Namespace: "default", Name: name}})
		p.must(err)
	}
}

func (p *poolPlay) must(err error) {
	p.t.Helper()
	if err != nil {
		p.t.Fatal(err)
	}
}

// members returns the AzureMachinePoolMachines.
func (p *poolPlay) members() []v1beta1.AzureMachinePoolMachine {
	p.t.Helper()
	list := &unstructured.UnstructuredList{}
	list.SetGroupVersionKind(PoolMachineKind)
	p.must(p.List(p.t.Context(), list))
	var all []v1beta1.AzureMachinePoolMachine
	for i := range list.Items {
		m, ok := read[v1beta1.AzureMachinePoolMachine](&list.Items[i])
		if !ok {
			p.t.Fatalf("%s is of another shape", list.Items[i].GetName())
		}
		all = append(all, *m)
	}
	return all
}

// names returns those of the AzureMachinePoolMachines.
func (p *poolPlay) names() string {
	var names []string
	for _, m := range p.members() {
		names = append(names, m.Name)
	}
	slices.Sort(names)
	return strings.Join(names, " ")
}

func (p *poolPlay) facts() v1alpha1.MachineFacts {
	p.t.Helper()
	facts, err := v1alpha1.ReadMachineFacts(p.Find(composite.AzureMachinePool.GroupVersionKind, poolName).GetAnnotations())
	p.must(err)
	return facts
}

// scale has the MachinePool have so many replicas.
func (p *poolPlay) scale(replicas int32) {
	p.t.Helper()
	pool := &clusterv1.MachinePool{}
	p.must(p.Get(p.t.Context(), client.ObjectKey{Namespace: "default", Name: poolName}, pool))
	pool.Spec.Replicas = &replicas
	p.must(p.Update(p.t.Context(), pool))
}

// model has function-capz compose another image.
func (p *poolPlay) model(version string) {
	p.t.Helper()
	set := p.Find(machines.ScaleSetKind, poolName)
	p.must(unstructured.SetNestedField(set.Object, "/CommunityGalleries/g/Images/i/Versions/"+version, "spec", "virtualMachineProfile", "storageProfile", "imageReference", "communityGalleryImageId"))
	p.must(p.Update(p.t.Context(), set))
}

// tells returns whether an object but a Secret, or an Event, has a secret.
func (p *poolPlay) tells() bool {
	p.t.Helper()
	all := bytes.Buffer{}
	for _, gvk := range []string{"AzureMachinePool", "AzureMachinePoolMachine"} {
		list := &unstructured.UnstructuredList{}
		list.SetGroupVersionKind(v1beta1.GroupVersion.WithKind(gvk))
		p.must(p.List(p.t.Context(), list))
		content, err := json.Marshal(list)
		p.must(err)
		all.Write(content)
	}
	all.WriteString(strings.Join(p.TakeEvents(), "\n"))
	return strings.Contains(all.String(), "for-nobody-to-see") || strings.Contains(all.String(), hushPrincipal) || strings.Contains(all.String(), "Zm9yLW5vYm9keS10by1zZWU")
}
