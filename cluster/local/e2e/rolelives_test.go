package e2e

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/google/uuid"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/crossplane-capz/crossplane-capz/cluster/azuresim/admin"
	"github.com/crossplane-capz/crossplane-capz/cluster/azuresim/arm"
	"github.com/crossplane-capz/crossplane-capz/internal/kubeyaml"
)

// recordLivesVariable has the lives write what they have asked Azure for into cluster/kubectl-capz/testdata/lives, which unit tests hold roles against.
const recordLivesVariable = "E2E_RECORD_LIVES"

// A cluster's whole life in each family. Its application may do what `kubectl capz plan --role` prints for its manifests, and no more; nobody
// else may do anything in the subscription.
var (
	asoByRole   = livesByRole("role-aso", asoFamily, down, func(w *world) error { return inFirst(w, asoCluster, "spec.tags", map[string]any{"changed": "yes"}) })
	typedByRole = livesByRole("role-typed", typedFamily, downTyped, tagTyped)
)

// livesByRole is the life of an AKS cluster.
func livesByRole(name string, f *family, last step, tag func(*world) error) *scenario {
	last.expect = append(slices.Clone(last.expect), roleKept)
	return &scenario{
		name: name, family: f, calmOnly: true,
		steps: []step{
			{
				name: "create with a role of its own", act: grantRole, lasts: 15 * time.Second,
				expect: []expectation{available, contractKept, kubeconfigWorks, replicas(systemPool, 2), replicas(userPool, 2)},
			},
			{name: "scale a pool", act: scaleTo(userPool, 3), expect: []expectation{replicas(userPool, 3), available}},
			{
				name: "upgrade all",
				act: all(func(w *world) error { return w.set(f.controlPlane, clusterName, "spec.version", newer) },
					func(w *world) error { return w.set(poolKind, systemPool, "spec.template.spec.version", newer) },
					func(w *world) error { return w.set(poolKind, userPool, "spec.template.spec.version", newer) }),
				expect: []expectation{kubelets(newer), available},
			},
			{name: "change the tags", act: tag, expect: []expectation{inAzure("/managedClusters/"+clusterName, "tags.changed", "yes"), available}},
			{
				name: "remove a pool", act: func(w *world) error { return w.remove(poolKind, userPool) }, goes: poolGone,
				expect: []expectation{gone(f.pool, userPool), notInAzure("/agentPools/pool1"), available},
			},
			last,
		},
	}
}

// machinesByRole is the life of a cluster of virtual machines with a scale set.
var machinesByRole = func() *scenario {
	last := downMachines
	last.expect = append(slices.Clone(last.expect), roleKept)
	up := func(machines, pool int) expectation {
		return func(w *world) []string {
			return slices.Concat(condition(clusterKind, clusterName, "Available", "True", "")(w),
				machinesOf(kubeadmControlPlaneKind, kubeadmControlPlane, 1)(w), machinesOf(deploymentKind, workers, machines)(w), poolUp(pool)(w))
		}
	}
	return &scenario{
		name: "role-machines", family: machineFamily, calmOnly: true,
		steps: []step{
			{name: "create with a role of its own", act: grantRole, expect: []expectation{up(1, 1), machinesKept}, lasts: 3 * booting},
			{name: "scale up", act: all(scaleWorkers(2), scalePool(2)), expect: []expectation{up(2, 2)}, lasts: booting},
			{name: "scale down", act: all(scaleWorkers(1), scalePool(1)), goes: []removal{aWorker, anInstance}, expect: []expectation{up(1, 1)}, lasts: booting},
			{
				name: "change the tags", act: tagMachines,
				expect: []expectation{machinesTagged("yes"), inAzure("/virtualMachineScaleSets/"+workersPool, "tags.changed", "yes"), up(1, 1)},
			},
			{
				name: "upgrade all", goes: []removal{aControlPlane, aWorker, anInstance}, lasts: 4 * booting,
				act: all(
					func(w *world) error {
						return w.set(kubeadmControlPlaneKind, kubeadmControlPlane, "spec.version", newerMachines)
					},
					func(w *world) error {
						return w.set(deploymentKind, workers, "spec.template.spec.version", newerMachines)
					},
					func(w *world) error { return w.set(poolKind, workersPool, "spec.template.spec.version", newerMachines) },
				),
				expect: []expectation{kubeletVersions(newerMachines), up(1, 1), machinesKept},
			},
			removeScaleSet,
			last,
		},
	}
}()

// A recordedLife is what is known of a cluster's life, by its scenario: the file testdata/lives of kubectl-capz.
type recordedLife struct {
	// Examples are the folders of examples that it is made of, and Unused the actions of its role that it does without: docs/plan.md says what for.
	Examples []string `json:"examples"`
	Unused   []string `json:"unused"`
	// Requests are one of each kind, by what a role has to allow for it.
	Requests []recordedRequest `json:"requests"`
}

type recordedRequest struct {
	Method string `json:"method"`
	Path   string `json:"path"`
	// Uses are the resources that its body refers to.
	Uses []string `json:"uses,omitempty"`
}

func (w *world) lifeFile() string {
	return filepath.Join(w.root, "cluster", "kubectl-capz", "testdata", "lives", strings.TrimSuffix(strings.TrimPrefix(w.namespace, "role-"), "-calm")+".json")
}

func (w *world) recordedLife() (recordedLife, error) {
	var life recordedLife
	raw, err := os.ReadFile(w.lifeFile())
	if err != nil {
		return life, err
	}
	return life, json.Unmarshal(raw, &life)
}

// roleClient is the application's client ID.
func (w *world) roleClient() string {
	return uuid.NewSHA1(uuid.NameSpaceURL, []byte(w.namespace+"/client")).String()
}

func (w *world) roleTenant() string {
	return uuid.NewSHA1(uuid.NameSpaceURL, []byte(w.namespace+"/tenant")).String()
}

// ofCloudController begins the user agent of the cloud controllers, and scaleSetNetworks is what they read beside what the role has. They sign in as
// the same application, as the example's machines have no identity of their own.
const (
	ofCloudController = "cloud-controller"
	scaleSetNetworks  = "Microsoft.Compute/virtualMachineScaleSets/virtualMachines/networkInterfaces/read"
)

// grantedRole is the note of the actions that the application has.
const grantedRole = "role"

// grantRole has the role printed for the life's manifests, registers the application with it and applies the manifests.
func grantRole(w *world) error {
	life, err := w.recordedLife()
	if err != nil {
		return err
	}
	var objects []*unstructured.Unstructured
	for _, example := range life.Examples {
		more, err := kubeyaml.Read(filepath.Join(w.root, "examples", example))
		if err != nil {
			return err
		}
		objects = append(objects, more...)
	}
	changes := []change{w.subscribe, withSpec(identityKind, "{tenantID: "+w.roleTenant()+", clientID: "+w.roleClient()+"}")}
	if w.family == machineFamily {
		changes = append(changes, ofVersion(olderMachines), withSpec(poolKind, "replicas: 1"))
	}
	for _, c := range changes {
		if objects, err = c(objects); err != nil {
			return err
		}
	}
	if w.noted[grantedRole] == nil {
		if w.noted[grantedRole], err = w.role(objects); err != nil {
			return err
		}
	}
	actions, _ := w.noted[grantedRole].([]string)
	if w.family == machineFamily {
		actions = append(slices.Clone(actions), scaleSetNetworks)
	}
	if err := w.azure.RegisterSubscription(w.ctx, admin.Subscription{ID: w.subscription, TenantID: w.roleTenant()}); err != nil {
		return err
	}
	if err := w.azure.RegisterApplication(w.ctx, admin.Application{
		TenantID: w.roleTenant(), ClientID: w.roleClient(), Secret: w.planted("client secret"), Subscriptions: []string{w.subscription}, Actions: actions,
	}); err != nil {
		return err
	}
	if err := w.signInAsRole(); err != nil {
		return err
	}
	return w.apply(objects...)
}

// signInAsRole has the credential of the namespace, and that of the identity, be the application's.
func (w *world) signInAsRole() error {
	secret := w.credential("aso-credential")
	secret.StringData["AZURE_TENANT_ID"], secret.StringData["AZURE_CLIENT_ID"] = w.roleTenant(), w.roleClient()
	live := &corev1.Secret{ObjectMeta: metav1.ObjectMeta{Namespace: w.namespace, Name: secret.Name}}
	patch, err := json.Marshal(map[string]any{"stringData": secret.StringData})
	if err != nil {
		return err
	}
	if err := w.client.Patch(w.ctx, live, client.RawPatch("application/merge-patch+json", patch)); err != nil {
		return err
	}
	if w.family == asoFamily {
		return nil
	}
	return w.create(w.password())
}

// role returns the actions of the role that is printed for objects.
func (w *world) role(objects []*unstructured.Unstructured) ([]string, error) {
	manifests, err := w.manifests(objects)
	if err != nil {
		return nil, err
	}
	out, _, err := w.kubectlCapz(manifests, "plan", "--offline", "--role", "--subscription", w.subscription, "--filename", "-")
	if err != nil {
		return nil, err
	}
	role := struct {
		Actions, NotActions, DataActions []string
		AssignableScopes                 []string
	}{}
	if err := json.Unmarshal(out, &role); err != nil {
		return nil, fmt.Errorf("kubectl capz plan --role: %w: %s", err, out)
	}
	if len(role.Actions) == 0 || len(role.NotActions)+len(role.DataActions) > 0 || !slices.Equal(role.AssignableScopes, []string{"/subscriptions/" + w.subscription}) {
		return nil, fmt.Errorf("kubectl capz plan --role: %s", out)
	}
	return role.Actions, nil
}

// manifests returns objects as a file of the scenario's namespace.
func (w *world) manifests(objects []*unstructured.Unstructured) (io.Reader, error) {
	var manifests bytes.Buffer
	for _, o := range objects {
		o = o.DeepCopy()
		o.SetNamespace(w.namespace)
		raw, err := o.MarshalJSON()
		if err != nil {
			return nil, err
		}
		fmt.Fprintf(&manifests, "---\n%s\n", raw)
	}
	return &manifests, nil
}

// roleKept expects that Azure has refused the application nothing, that nobody else was there, and that the life has used all that the role
// allows but what is explained.
func roleKept(w *world) []string {
	life, err := w.recordedLife()
	if err != nil {
		return []string{err.Error()}
	}
	requests, err := w.azure.Requests(w.ctx, admin.RequestFilter{Path: "^/subscriptions/" + w.subscription + "(/|$)"})
	if err != nil {
		return []string{err.Error()}
	}
	var wrong []string
	used, kinds := map[string]bool{}, map[string]recordedRequest{}
	for _, r := range requests {
		if strings.HasPrefix(r.UserAgent, ofCloudController) || strings.Contains(r.Path, healthPath) {
			continue // Scenario health turns that on for all clusters; it is in no role.
		}
		if r.ClientID != w.roleClient() {
			wrong = append(wrong, fmt.Sprintf("%s %s was sent by application %s", r.Method, r.Path, r.ClientID))
		}
		if r.Status == http.StatusForbidden || r.Status == http.StatusUnauthorized {
			wrong = append(wrong, fmt.Sprintf("%s %s was answered %d", r.Method, r.Path, r.Status))
		}
		actions := arm.ActionsOf(r.Method, r.Path, []byte(r.Body))
		for _, action := range actions {
			used[strings.ToLower(action)] = true
		}
		kind := strings.ToLower(strings.Join(actions, " "))
		if _, known := kinds[kind]; !known {
			kinds[kind] = recordedRequest{Method: r.Method, Path: r.Path, Uses: usesOf(r)}
		}
	}
	var unused []string
	actions, _ := w.noted[grantedRole].([]string)
	for _, action := range actions {
		if !used[strings.ToLower(action)] {
			unused = append(unused, action)
		}
	}
	if os.Getenv(recordLivesVariable) != "" {
		life.Unused, life.Requests = unused, nil
		for _, kind := range slices.Sorted(maps.Keys(kinds)) {
			life.Requests = append(life.Requests, kinds[kind])
		}
		wrong = append(wrong, w.keepLife(life)...)
	}
	if !slices.Equal(unused, life.Unused) {
		wrong = append(wrong, fmt.Sprintf("the role allows %v, which was not needed, and %s explains %v", unused, w.lifeFile(), life.Unused))
	}
	return wrong
}

func usesOf(r admin.Request) []string {
	var paths []string
	for _, link := range arm.LinksOf(r.Method, r.Path, []byte(r.Body)) {
		if !slices.Contains(paths, link.Path) {
			paths = append(paths, link.Path)
		}
	}
	return paths
}

// keepLife writes what is known of a life, with no ID of this run's.
func (w *world) keepLife(life recordedLife) []string {
	raw, err := json.MarshalIndent(life, "", "  ")
	if err == nil {
		raw = bytes.ReplaceAll(raw, []byte(w.subscription), []byte("00000000-0000-0000-0000-000000000001"))
		err = os.WriteFile(w.lifeFile(), append(raw, '\n'), 0o600)
	}
	if err != nil {
		return []string{err.Error()}
	}
	return nil
}
