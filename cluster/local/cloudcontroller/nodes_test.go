package cloudcontroller

import (
	"context"
	"errors"
	"log/slog"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes/fake"
)

// inventory has machines by name, and fails when err is set.
type inventory struct {
	all map[string]*machine
	err error
}

func (i inventory) machine(_ context.Context, node string) (*machine, error) {
	return i.all[node], i.err
}

func (i inventory) addresses(context.Context, *machine) (private, public []string, err error) {
	return []string{"10.1.0.4"}, []string{"20.0.0.1"}, i.err
}

const someID = "/subscriptions/s/resourceGroups/Group/providers/Microsoft.Compute/virtualMachines/n"

func someMachine() *machine {
	m := &machine{ID: someID, Location: "westeurope", Zones: []string{"2"}}
	m.Properties.HardwareProfile.VMSize = "Standard_D2s_v5"
	return m
}

// node returns a Node named n as a kubelet makes it.
func node(alter ...func(*corev1.Node)) *corev1.Node {
	n := &corev1.Node{
		ObjectMeta: metav1.ObjectMeta{Name: "n", UID: "u"},
		Spec:       corev1.NodeSpec{Taints: []corev1.Taint{{Key: uninitialized, Value: "true"}, {Key: "other"}}},
		Status:     corev1.NodeStatus{Conditions: []corev1.NodeCondition{{Type: corev1.NodeReady, Status: corev1.ConditionUnknown}}},
	}
	for _, a := range alter {
		a(n)
	}
	return n
}

// known makes a Node one that has been initialized.
func known(n *corev1.Node) {
	describe(n, someMachine())
	n.Status.Addresses = nodeAddresses("n", []string{"10.1.0.4"}, []string{"20.0.0.1"})
}

func isReady(n *corev1.Node) { n.Status.Conditions[0].Status = corev1.ConditionTrue }

func TestSync(t *testing.T) {
	cases := map[string]struct {
		node   *corev1.Node
		azure  inventory
		want   *corev1.Node
		failed string
	}{
		"New":              {node: node(), azure: inventory{all: map[string]*machine{"n": someMachine()}}, want: node(known)},
		"NewAndReady":      {node: node(isReady), azure: inventory{all: map[string]*machine{"n": someMachine()}}, want: node(isReady, known)},
		"NewWithoutVM":     {node: node(), want: node(), failed: "Azure has no virtual machine"},
		"Ready":            {node: node(known, isReady), want: node(known, isReady)},
		"NotReady":         {node: node(known), azure: inventory{all: map[string]*machine{"n": someMachine()}}, want: node(known)},
		"NotReadyAndGone":  {node: node(known)},
		"ReadyThoughGone":  {node: node(known, isReady), want: node(known, isReady)},
		"AzureIsSilent":    {node: node(), azure: inventory{err: errors.New("silent")}, want: node(), failed: "silent"},
		"UnknownIfGone":    {node: node(known), azure: inventory{err: errors.New("silent")}, want: node(known), failed: "silent"},
		"WithoutAddresses": {node: node(known, isReady, func(n *corev1.Node) { n.Status.Addresses = nil }), azure: inventory{all: map[string]*machine{"n": someMachine()}}, want: node(known, isReady)},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			workload := fake.NewClientset(tc.node)
			n := &nodes{workload: workload, azure: tc.azure, log: slog.New(slog.DiscardHandler)}
			err := n.sync(t.Context())
			if (err != nil) != (tc.failed != "") || err != nil && !strings.Contains(err.Error(), tc.failed) {
				t.Errorf("sync() = %v, want %q", err, tc.failed)
			}
			list, err := workload.CoreV1().Nodes().List(t.Context(), metav1.ListOptions{})
			if err != nil {
				t.Fatal(err)
			}
			var got *corev1.Node
			if len(list.Items) > 0 {
				got = &list.Items[0]
				got.ManagedFields = nil
			}
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("-want, +got:\n%s", diff)
			}
		})
	}
}

func TestDescribe(t *testing.T) {
	n := node()
	describe(n, someMachine())
	if want := "azure:///subscriptions/s/resourceGroups/group/providers/Microsoft.Compute/virtualMachines/n"; n.Spec.ProviderID != want {
		t.Errorf("providerID is %s, want %s", n.Spec.ProviderID, want)
	}
	want := map[string]string{
		"node.kubernetes.io/instance-type": "Standard_D2s_v5", "beta.kubernetes.io/instance-type": "Standard_D2s_v5",
		"topology.kubernetes.io/region": "westeurope", "failure-domain.beta.kubernetes.io/region": "westeurope",
		"topology.kubernetes.io/zone": "westeurope-2", "failure-domain.beta.kubernetes.io/zone": "westeurope-2",
	}
	if diff := cmp.Diff(want, n.Labels); diff != "" {
		t.Errorf("labels: -want, +got:\n%s", diff)
	}
	if diff := cmp.Diff([]corev1.Taint{{Key: "other"}}, n.Spec.Taints); diff != "" {
		t.Errorf("taints: -want, +got:\n%s", diff)
	}
	if zone := (&machine{}).zone(); zone != "0" {
		t.Errorf("the zone where there are none is %q", zone)
	}
}
