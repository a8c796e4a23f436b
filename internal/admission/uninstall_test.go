package admission

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	admissionv1 "k8s.io/api/admission/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"
	"sigs.k8s.io/controller-runtime/pkg/client/interceptor"
	"sigs.k8s.io/controller-runtime/pkg/webhook/admission"
	"sigs.k8s.io/yaml"
)

const (
	poolDefinition  = `{apiVersion: apiextensions.crossplane.io/v2, kind: CompositeResourceDefinition, metadata: {name: pools}, spec: {group: infrastructure.cluster.x-k8s.io, names: {kind: AzureASOManagedMachinePool}, versions: [{name: v1alpha1, served: false}, {name: v1beta1, served: true}]}}`
	claimDefinition = `{apiVersion: apiextensions.crossplane.io/v2, kind: CompositeResourceDefinition, metadata: {name: x}, spec: {group: platform.capz.crossplane.io, names: {kind: XAKSCluster}, claimNames: {kind: AKSClusterClaim}, versions: [{name: v1alpha1, served: true}]}}`
	otherDefinition = `{apiVersion: apiextensions.crossplane.io/v2, kind: CompositeResourceDefinition, metadata: {name: o}, spec: {group: example.org, names: {kind: Other}, versions: [{name: v1, served: true}]}}`
	configuration   = `{apiVersion: pkg.crossplane.io/v1, kind: Configuration, metadata: {name: configuration-capz}, spec: {package: x/configuration-capz:v1}}`
)

// pools are composite resources.
func pools(count int) []string {
	var all []string
	for n := range count {
		all = append(all, fmt.Sprintf("{apiVersion: infrastructure.cluster.x-k8s.io/v1beta1, kind: AzureASOManagedMachinePool, metadata: {name: pool%d, namespace: team}}", n))
	}
	return all
}

func parse(t *testing.T, text string) *unstructured.Unstructured {
	t.Helper()
	o := &unstructured.Unstructured{}
	if err := yaml.Unmarshal([]byte(text), &o.Object); err != nil {
		t.Fatal(err)
	}
	return o
}

// guarded has the objects in an API server.
func guarded(t *testing.T, functions interceptor.Funcs, texts ...string) *Guard {
	t.Helper()
	scheme := runtime.NewScheme()
	if err := metav1.AddMetaToScheme(scheme); err != nil {
		t.Fatal(err)
	}
	builder := fake.NewClientBuilder().WithScheme(scheme).WithInterceptorFuncs(functions)
	for _, text := range []string{poolDefinition, claimDefinition, otherDefinition} {
		builder = builder.WithObjects(parse(t, text))
	}
	for _, text := range texts {
		// The fake client lists the metadata of nothing else.
		o := &metav1.PartialObjectMetadata{}
		if err := runtime.DefaultUnstructuredConverter.FromUnstructured(parse(t, text).Object, o); err != nil {
			t.Fatal(err)
		}
		builder = builder.WithObjects(o)
	}
	return &Guard{Reader: builder.Build()}
}

func deletion(t *testing.T, object string) admission.Request {
	t.Helper()
	o := parse(t, object)
	raw, err := o.MarshalJSON()
	if err != nil {
		t.Fatal(err)
	}
	gvk := o.GroupVersionKind()
	return admission.Request{AdmissionRequest: admissionv1.AdmissionRequest{
		Operation: admissionv1.Delete, Name: o.GetName(), OldObject: runtime.RawExtension{Raw: raw},
		Kind:     metav1.GroupVersionKind(gvk),
		Resource: metav1.GroupVersionResource(gvk.GroupVersion().WithResource(strings.ToLower(gvk.Kind) + "s")),
	}}
}

func TestGuard(t *testing.T) {
	const (
		xaks  = "{apiVersion: platform.capz.crossplane.io/v1alpha1, kind: XAKSCluster, metadata: {name: x1}}"
		claim = "{apiVersion: platform.capz.crossplane.io/v1alpha1, kind: AKSClusterClaim, metadata: {name: c1, namespace: app}}"
		other = "{apiVersion: example.org/v1, kind: Other, metadata: {name: o1}}"
	)
	cases := map[string]struct {
		deleted string
		there   []string
		// want is in the refusal; nothing means that the deletion is allowed.
		want string
	}{
		"package, nothing there":       {configuration, nil, ""},
		"package, others' things":      {configuration, []string{other}, ""},
		"package, one":                 {configuration, pools(1), "deleting Configuration configuration-capz would delete these, and their resources in Azure: 1 AzureASOManagedMachinePool (team/pool0); delete them yourself"},
		"package, many":                {configuration, pools(5), ": 5 AzureASOManagedMachinePool (team/pool0, team/pool1, team/pool2, 2 more); "},
		"package, several kinds":       {configuration, append(pools(1), xaks, claim), ": 1 AzureASOManagedMachinePool (team/pool0), 1 XAKSCluster (x1), 1 AKSClusterClaim (app/c1); "},
		"definition, nothing there":    {poolDefinition, nil, ""},
		"definition, another's things": {poolDefinition, []string{xaks, claim}, ""},
		"definition, one":              {poolDefinition, pools(1), "deleting CompositeResourceDefinition pools would delete these, and their resources in Azure: 1 AzureASOManagedMachinePool (team/pool0); "},
		"definition, a claim":          {claimDefinition, []string{claim}, ": 1 AKSClusterClaim (app/c1); "},
		"CRD, nothing there":           {strings.Replace(poolDefinition, "apiextensions.crossplane.io/v2, kind: CompositeResourceDefinition", "apiextensions.k8s.io/v1, kind: CustomResourceDefinition", 1), nil, ""},
		"CRD, one":                     {strings.Replace(poolDefinition, "apiextensions.crossplane.io/v2, kind: CompositeResourceDefinition", "apiextensions.k8s.io/v1, kind: CustomResourceDefinition", 1), pools(1), "deleting CustomResourceDefinition pools would"},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			response := guarded(t, interceptor.Funcs{}, c.there...).Handle(context.Background(), deletion(t, c.deleted))
			if response.Allowed != (c.want == "") {
				t.Fatalf("allowed: %v, %v", response.Allowed, response.Result)
			}
			if c.want != "" && !strings.Contains(response.Result.Message, c.want) {
				t.Errorf("does not say %q: %s", c.want, response.Result.Message)
			}
		})
	}
}

// TestGuardInDoubt shows that nothing is deleted of which it is not known what goes with it.
func TestGuardInDoubt(t *testing.T) {
	fails := interceptor.Funcs{List: func(context.Context, client.WithWatch, client.ObjectList, ...client.ListOption) error {
		return errors.New("the API server is busy")
	}}
	for name, object := range map[string]string{"package": configuration, "definition": poolDefinition} {
		response := guarded(t, fails).Handle(context.Background(), deletion(t, object))
		if response.Allowed || !strings.Contains(response.Result.Message, "the API server is busy") {
			t.Errorf("%s: %v", name, response)
		}
	}
	unreadable := deletion(t, poolDefinition)
	unreadable.OldObject.Raw = []byte("{")
	if response := guarded(t, interceptor.Funcs{}).Handle(context.Background(), unreadable); response.Allowed {
		t.Error("an object that cannot be read was allowed")
	}
	change := deletion(t, poolDefinition)
	change.Operation = admissionv1.Update
	if response := guarded(t, fails).Handle(context.Background(), change); !response.Allowed {
		t.Errorf("an update was refused: %v", response.Result)
	}
}
