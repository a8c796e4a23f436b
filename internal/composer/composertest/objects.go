package composertest

import (
	"fmt"
	"strings"
	"testing"

	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/yaml"
)

// Namespace is that of every object that Stored reads.
const Namespace = "ns"

// Stored reads an object from YAML, formatted with the arguments, as the API server would have it.
func Stored(t testing.TB, text string, args ...any) *unstructured.Unstructured {
	t.Helper()
	o := &unstructured.Unstructured{Object: map[string]any{}}
	Must(t, yaml.Unmarshal(fmt.Appendf(nil, text, args...), &o.Object))
	o.SetNamespace(Namespace)
	o.SetUID(types.UID("uid-" + o.GetKind() + "-" + o.GetName()))
	o.SetGeneration(1)
	o.SetCreationTimestamp(metav1.NewTime(created))
	return o
}

// Owned makes an object of Cluster API the owner of o, and returns o.
func Owned(o *unstructured.Unstructured, kind, name string) *unstructured.Unstructured {
	o.SetOwnerReferences([]metav1.OwnerReference{{APIVersion: "cluster.x-k8s.io/v1beta2", Kind: kind, Name: name, UID: types.UID("uid-" + kind + "-" + name)}})
	return o
}

// Must ends the test with err, if there is one.
func Must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// Condition is ContractCondition as status, reason and message.
func Condition(rsp *fnv1.RunFunctionResponse, conditionType string) string {
	m := ContractCondition(rsp, conditionType)
	if m == nil {
		return ""
	}
	return strings.TrimSpace(fmt.Sprintf("%v %v: %v", m["status"], m["reason"], m["message"]))
}
