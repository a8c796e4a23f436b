package e2e

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/yaml"
)

const (
	platformGroup = "platform.capz.crossplane.io"
	// teamMember is the account of the person of an application team.
	teamMember = "member"
)

var (
	teamClusterKind    = schema.GroupVersionKind{Group: platformGroup, Version: "v1alpha1", Kind: "AKSCluster"}
	teamClaimKind      = schema.GroupVersionKind{Group: platformGroup, Version: "v1alpha1", Kind: "AKSClusterClaim"}
	roleBindingKind    = schema.GroupVersionKind{Group: "rbac.authorization.k8s.io", Version: "v1", Kind: "RoleBinding"}
	errUserHasNoConfig = errors.New("the member of the team has no token yet")
)

// readPlatform reads a file of examples/platform.
func (w *world) readPlatform(file string) ([]*unstructured.Unstructured, error) {
	raw, err := os.ReadFile(filepath.Join(w.root, "examples", "platform", file))
	if err != nil {
		return nil, err
	}
	return parse(w.rewritten(string(raw)))
}

// rewritten returns a file of examples/platform as the scenario has noted to change it.
func (w *world) rewritten(text string) string {
	if r, ok := w.noted["rewrite"].(*strings.Replacer); ok {
		return r.Replace(text)
	}
	return text
}

// applyPlatform applies files of examples/platform that all teams share.
func (w *world) applyPlatform(files ...string) error {
	for _, file := range files {
		objects, err := w.readPlatform(file)
		if err != nil {
			return err
		}
		for _, u := range objects {
			err := w.client.Apply(w.ctx, client.ApplyConfigurationFromUnstructured(u), client.FieldOwner(fieldOwner), client.ForceOwnership)
			if err != nil {
				return fmt.Errorf("apply %s %s: %w", u.GetKind(), u.GetName(), err)
			}
		}
	}
	return nil
}

// holdToRules has the platform team hold this team to the Compositions with its rules.
func holdToRules(w *world) error {
	if err := w.applyPlatform("admission.yaml"); err != nil {
		return err
	}
	patch := client.RawPatch(types.MergePatchType, []byte(`{"metadata": {"labels": {"environment": "production"}}}`))
	return w.client.Patch(w.ctx, &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: w.namespace}}, patch)
}

// offer does what the platform team does for an application team: the ClusterClass and Compositions, which all teams
// share, and rights in the team's namespace for the account member.
func offer(w *world) error {
	if err := w.applyPlatform("clusterclass.yaml", "composition.yaml"); err != nil {
		return err
	}
	rights, err := w.readPlatform("rbac.yaml")
	if err != nil {
		return err
	}
	for _, u := range rights {
		if u.GetKind() == "Namespace" {
			continue // The scenario's own takes its place.
		}
		if u.GroupVersionKind() == roleBindingKind {
			u.Object["subjects"] = []any{map[string]any{"kind": "ServiceAccount", "name": teamMember, "namespace": w.namespace}}
		}
		if err := w.apply(u); err != nil {
			return err
		}
	}
	account := &corev1.ServiceAccount{ObjectMeta: metav1.ObjectMeta{Namespace: w.namespace, Name: teamMember}}
	if err := client.IgnoreAlreadyExists(w.client.Create(w.ctx, account)); err != nil {
		return err
	}
	return w.logIn()
}

// logIn writes a kubeconfig with a token of the member's own.
func (w *world) logIn() error {
	file := filepath.Join(w.t.TempDir(), "kubeconfig")
	if err := w.stack.WriteAccountKubeconfig(w.ctx, file, types.NamespacedName{Namespace: w.namespace, Name: teamMember}); err != nil {
		return err
	}
	w.noted[teamMember] = file
	return nil
}

// kubectl runs kubectl as the member of the team, and returns what it prints.
func (w *world) kubectl(stdin string, args ...string) (string, error) {
	file, ok := w.noted[teamMember].(string)
	if !ok {
		return "", errUserHasNoConfig
	}
	return w.kubectlWith(file, stdin, args...)
}

func (w *world) kubectlWith(kubeconfig, stdin string, args ...string) (string, error) {
	cmd := exec.CommandContext(w.ctx, w.stack.Bin("kubectl"), append([]string{"--kubeconfig", kubeconfig}, args...)...)
	cmd.Stdin = strings.NewReader(stdin)
	// Nothing of the person who runs the tests.
	cmd.Env = []string{"HOME=" + filepath.Dir(kubeconfig)}
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		return string(out), fmt.Errorf("kubectl %s: %w: %s", strings.Join(args, " "), err, strings.TrimSpace(stderr.String()))
	}
	return string(out), nil
}

// asks has the member run kubectl.
func asks(args ...string) func(*world) error {
	return func(w *world) error {
		_, err := w.kubectl("", args...)
		return err
	}
}

// applies has the member apply a file of examples/platform, changed.
func applies(file string, changes ...func(*unstructured.Unstructured) error) func(*world) error {
	return appliesWith(nil, file, changes...)
}

// tries is applies without effect.
func tries(file string, changes ...func(*unstructured.Unstructured) error) func(*world) error {
	return appliesWith([]string{"--dry-run=server"}, file, changes...)
}

func appliesWith(args []string, file string, changes ...func(*unstructured.Unstructured) error) func(*world) error {
	args = append([]string{"apply", "--server-side", "--filename", "-"}, args...)
	return func(w *world) error {
		objects, err := w.readPlatform(file)
		if err != nil {
			return err
		}
		for _, u := range objects {
			u.SetNamespace(w.namespace)
			for _, change := range changes {
				if err := change(u); err != nil {
					return err
				}
			}
			raw, err := yaml.Marshal(u.Object)
			if err != nil {
				return err
			}
			if _, err := w.kubectl(string(raw), args...); err != nil {
				return err
			}
		}
		return nil
	}
}

// with sets a field, given as in "spec.version", of what is applied; nil takes it away.
func with(path string, value any) func(*unstructured.Unstructured) error {
	return func(u *unstructured.Unstructured) error { return setField(u.Object, path, value) }
}

// row expects what `kubectl get` prints in the member's terminal: the value of each named column.
func row(kind, name string, want map[string]string) expectation {
	return func(w *world) []string {
		out, err := w.kubectl("", "get", kind, name)
		if err != nil {
			return []string{err.Error()}
		}
		lines := strings.Split(strings.TrimSpace(out), "\n")
		if len(lines) != 2 {
			return []string{fmt.Sprintf("kubectl get %s %s prints %q", kind, name, out)}
		}
		var missing []string
		for column, value := range want {
			at := strings.Index(lines[0], column)
			have := ""
			if at >= 0 && at < len(lines[1]) {
				have, _, _ = strings.Cut(lines[1][at:], " ")
			}
			if value == have || strings.HasSuffix(value, "*") && strings.HasPrefix(have, strings.TrimSuffix(value, "*")) {
				continue
			}
			missing = append(missing, fmt.Sprintf("column %s of %s %s is %q, want %q", column, kind, name, have, value))
		}
		if len(missing) > 0 {
			missing = append(missing, strings.TrimSpace(out))
		}
		return missing
	}
}

// connection returns the kubeconfig that the member reads from a connection Secret.
func (w *world) connection(secret string) ([]byte, error) {
	out, err := w.kubectl("", "get", "secret", secret, "--output", "go-template={{.data.kubeconfig | base64decode}}")
	return []byte(out), err
}

// reached expects the member to read a kubeconfig from the connection Secret, and kubectl to list that many nodes with
// nothing else.
func reached(secret string, count int) expectation {
	return func(w *world) []string {
		kubeconfig, err := w.connection(secret)
		if err != nil {
			return []string{err.Error()}
		}
		file := filepath.Join(w.t.TempDir(), "kubeconfig")
		if err := os.WriteFile(file, kubeconfig, 0o600); err != nil {
			return []string{err.Error()}
		}
		out, err := w.kubectlWith(file, "", "get", "nodes", "--output", "name")
		if err != nil {
			return []string{err.Error()}
		}
		if have := len(strings.Fields(out)); have != count {
			return []string{fmt.Sprintf("the connection Secret %s leads to %d nodes, want %d", secret, have, count)}
		}
		return nil
	}
}

// beyond are requests that a member of a team may not make, as kubectl's arguments.
var beyond = []string{
	"get aksclusters --namespace default",
	"get aksclusters --all-namespaces",
	"get aksclusterclaims --namespace default",
	"get xaksclusters",
	"get clusters.cluster.x-k8s.io",
	"delete clusters.cluster.x-k8s.io NAME",
	"get machinepools",
	"get azureasomanagedclusters",
	"get azureasomanagedcontrolplanes",
	"get azureasomanagedmachinepools",
	"get managedclusters.containerservice.azure.com",
	"delete resourcegroups.resources.azure.com NAME",
	"get clusterclasses --namespace capz-platform",
	"get clusterclasses",
	"get compositeresourcedefinitions",
	"get compositions",
	"get functions.pkg.crossplane.io",
	"get secrets",
	"get secret NAME-kubeconfig",
	"get secret aso-credential",
	"delete secret NAME-connection",
	"get secrets --namespace crossplane-system",
	"get configmaps",
	"get pods",
	"get namespaces",
	"get roles",
	"create serviceaccount other",
	"create rolebinding more --clusterrole admin --serviceaccount default:default",
	"create token member",
	"get nodes",
}

// confined expects that every request of beyond is refused.
func confined(name string) expectation {
	return func(w *world) []string {
		var missing []string
		for _, request := range beyond {
			_, err := w.kubectl("", strings.Fields(strings.ReplaceAll(request, "NAME", name))...)
			if err == nil || !strings.Contains(strings.ToLower(err.Error()), "forbidden") {
				missing = append(missing, fmt.Sprintf("kubectl %s is not refused: %v", request, err))
			}
		}
		return missing
	}
}

// refusedToTeam expects an apply to be refused with a text.
func refusedToTeam(text string, apply func(*world) error) func(*world) error {
	return func(w *world) error {
		err := apply(w)
		if err == nil {
			return fmt.Errorf("was taken, though it must be refused with %q", text)
		}
		if !strings.Contains(err.Error(), text) {
			return fmt.Errorf("was refused without %q: %w", text, err)
		}
		return nil
	}
}
