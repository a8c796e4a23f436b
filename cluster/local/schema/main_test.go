package schema

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	arv1 "k8s.io/api/admissionregistration/v1"
	authorizationv1 "k8s.io/api/authorization/v1"
	"k8s.io/apiextensions-apiserver/pkg/apihelpers"
	extv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/client-go/rest"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/crossplane-capz/crossplane-capz/apis/infrastructure/v1alpha1"
	"github.com/crossplane-capz/crossplane-capz/apis/infrastructure/v1beta1"
	"github.com/crossplane-capz/crossplane-capz/cluster/local/parts"
	"github.com/crossplane-capz/crossplane-capz/cluster/local/stack"
)

// server is the API server that the tests of this package share.
var server struct {
	config *rest.Config
	// client refuses fields that the API server would drop.
	client  client.Client
	kubectl string
	// kubeconfig is the file for kubectl.
	kubeconfig string
}

func TestMain(m *testing.M) {
	code, err := run(m)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	os.Exit(code)
}

func run(m *testing.M) (code int, err error) {
	ctx, cancel := context.WithTimeout(context.Background(), 20*time.Minute)
	defer cancel()
	root, err := filepath.Abs(checkout)
	if err != nil {
		return 0, err
	}
	builder := &parts.Builder{Root: root, Log: os.Stderr}
	if err := builder.Build(ctx, partsBut(parts.Kubernetes, parts.ControllerGen)...); err != nil {
		return 0, err
	}
	s, err := stack.Up(ctx, stack.Options{
		Root: root, StateDir: filepath.Join(root, ".local", "schema"), Log: os.Stderr,
		Without: componentsBut(stack.Etcd, stack.APIServer),
	})
	if err != nil {
		return 0, err
	}
	defer func() { err = errors.Join(err, s.Down()) }()
	if err := connect(s); err != nil {
		return 0, err
	}
	if err := install(ctx, builder); err != nil {
		return 0, err
	}
	return m.Run(), nil
}

func partsBut(wanted ...string) []string {
	var out []string
	for _, p := range parts.All() {
		if !slices.Contains(wanted, p.Name) {
			out = append(out, p.Name)
		}
	}
	return out
}

func componentsBut(wanted ...string) []string {
	return slices.DeleteFunc(stack.Components(), func(name string) bool { return slices.Contains(wanted, name) })
}

func connect(s *stack.Stack) error {
	config, err := s.RESTConfig()
	if err != nil {
		return err
	}
	config.WarningHandler = rest.NoWarnings{}
	scheme := runtime.NewScheme()
	for _, add := range []func(*runtime.Scheme) error{arv1.AddToScheme, authorizationv1.AddToScheme, extv1.AddToScheme, v1beta1.AddToScheme, v1alpha1.AddToScheme} {
		if err := add(scheme); err != nil {
			return err
		}
	}
	c, err := client.New(config, client.Options{Scheme: scheme})
	if err != nil {
		return err
	}
	server.config, server.client = config, client.WithFieldValidation(c, metav1.FieldValidationStrict)
	server.kubectl, server.kubeconfig = s.Bin("kubectl"), s.Kubeconfig()
	return nil
}

// install installs this project's kinds, Cluster API's, and those of ASO's that the examples use, and waits until the API
// server serves them. There are no conversion webhooks: only what was written at a version is read at it.
func install(ctx context.Context, builder *parts.Builder) error {
	crds, err := ownCRDs()
	if err != nil {
		return err
	}
	var all []*extv1.CustomResourceDefinition
	for _, crd := range crds {
		all = append(all, crd)
	}
	capi, err := builder.CAPIDir(ctx)
	if err != nil {
		return err
	}
	var files []string
	for _, pattern := range []string{"core/config/crd/bases/cluster.x-k8s.io_*.yaml", "bootstrap/kubeadm/config/crd/bases/*.yaml", "controlplane/kubeadm/config/crd/bases/*.yaml"} {
		found, err := filepath.Glob(filepath.Join(capi, filepath.FromSlash(pattern)))
		if err != nil {
			return err
		}
		files = append(files, found...)
	}
	for _, kind := range asoKinds {
		files = append(files, filepath.Join(builder.ASOManifests(), "crd", kind))
	}
	for _, file := range files {
		crd := &extv1.CustomResourceDefinition{}
		if err := readYAML(file, crd); err != nil {
			return err
		}
		all = append(all, crd)
	}
	for _, crd := range all {
		if err := server.client.Create(ctx, crd); err != nil {
			return fmt.Errorf("installing %s: %w", crd.Name, err)
		}
	}
	for _, crd := range all {
		if err := awaitServed(ctx, crd.Name); err != nil {
			return err
		}
	}
	return nil
}

// asoKinds are the files of the ASO kinds that the examples and policies use.
var asoKinds = []string{
	"authorization.azure.com_roleassignments.yaml",
	"compute.azure.com_virtualmachines.yaml",
	"compute.azure.com_virtualmachinescalesets.yaml",
	"containerservice.azure.com_maintenanceconfigurations.yaml",
	"containerservice.azure.com_managedclusters.yaml",
	"containerservice.azure.com_managedclustersagentpools.yaml",
	"managedidentity.azure.com_userassignedidentities.yaml",
	"network.azure.com_virtualnetworks.yaml",
	"network.azure.com_virtualnetworkssubnets.yaml",
	"network.azure.com_virtualnetworksvirtualnetworkpeerings.yaml",
	"resources.azure.com_resourcegroups.yaml",
}

// awaitServed waits until the API server serves a kind, and says so when another kind has its names.
func awaitServed(ctx context.Context, name string) error {
	err := wait.PollUntilContextCancel(ctx, 50*time.Millisecond, true, func(ctx context.Context) (bool, error) {
		crd := &extv1.CustomResourceDefinition{}
		if err := server.client.Get(ctx, client.ObjectKey{Name: name}, crd); err != nil {
			return false, err
		}
		if served, err := stack.Serves(server.client.RESTMapper(), crd); served || err != nil {
			return served, err
		}
		if names := apihelpers.FindCRDCondition(crd, extv1.NamesAccepted); names != nil && names.Status == extv1.ConditionFalse {
			return false, errors.New(names.Message)
		}
		return false, nil
	})
	if err != nil {
		return fmt.Errorf("%s is not served: %w", name, err)
	}
	return nil
}
