package node

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/intstr"

	"github.com/crossplane-capz/crossplane-capz/cluster/local/process"
)

// deployment returns one of a single container, as the package manager makes them.
func deployment(change func(*corev1.Container)) *appsv1.Deployment {
	d := &appsv1.Deployment{ObjectMeta: metav1.ObjectMeta{Namespace: "crossplane-system", Name: "function-1a2b"}}
	d.Spec.Template.Labels = map[string]string{"pkg.crossplane.io/function": "function"}
	d.Spec.Template.Spec.Containers = []corev1.Container{{Name: "package-runtime", Image: "127.0.0.1:5000/acme/function:v1"}}
	if change != nil {
		change(&d.Spec.Template.Spec.Containers[0])
	}
	return d
}

func TestLocalize(t *testing.T) {
	m := mounts{"/tls/server": "/state/pods/f/server", "/tls/client": "/state/pods/f/client"}
	cases := map[string]struct{ value, want string }{
		"Mount":          {"/tls/server", "/state/pods/f/server"},
		"FileInMount":    {"/tls/client/tls.crt", "/state/pods/f/client/tls.crt"},
		"FlagWithFile":   {"--certs=/tls/server/tls.key", "--certs=/state/pods/f/server/tls.key"},
		"OtherPath":      {"/tls/servers", "/tls/servers"},
		"FlagWithOther":  {"--address=:9443", "--address=:9443"},
		"MountNotAtHead": {"x/tls/server", "x/tls/server"},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			if diff := cmp.Diff(tc.want, m.localize(tc.value)); diff != "" {
				t.Errorf("localize(): -want, +got:\n%s", diff)
			}
		})
	}
}

func TestEnvironment(t *testing.T) {
	field := func(path string) *corev1.EnvVarSource {
		return &corev1.EnvVarSource{FieldRef: &corev1.ObjectFieldSelector{FieldPath: path}}
	}
	cases := map[string]struct {
		env   []corev1.EnvVar
		want  []string
		fails string
	}{
		"ValuesFollowTheGiven": {env: []corev1.EnvVar{{Name: "A", Value: "1"}}, want: []string{"HOME=/h", "A=1"}},
		"MountsAreReplaced":    {env: []corev1.EnvVar{{Name: "DIR", Value: "/tls/server"}}, want: []string{"HOME=/h", "DIR=/s"}},
		"ReferencesAreExpanded": {
			env:  []corev1.EnvVar{{Name: "A", Value: "1"}, {Name: "B", Value: "$(A)$$(A) $(NONE)"}},
			want: []string{"HOME=/h", "A=1", "B=1$(A) $(NONE)"},
		},
		"FieldsOfThePod": {
			env: []corev1.EnvVar{
				{Name: "NS", ValueFrom: field("metadata.namespace")},
				{Name: "F", ValueFrom: field("metadata.labels['pkg.crossplane.io/function']")},
			},
			want: []string{"HOME=/h", "NS=crossplane-system", "F=function"},
		},
		"UnknownField": {env: []corev1.EnvVar{{Name: "IP", ValueFrom: field("status.podIP")}}, fails: "variable IP: this node does not know the field status.podIP"},
		"Secret":       {env: []corev1.EnvVar{{Name: "S", ValueFrom: &corev1.EnvVarSource{SecretKeyRef: &corev1.SecretKeySelector{}}}}, fails: "variable S"},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			d := deployment(func(c *corev1.Container) { c.Env = tc.env })
			got, err := environment(d, []string{"HOME=/h"}, mounts{"/tls/server": "/s"})
			if tc.fails != "" {
				if err == nil || !strings.Contains(err.Error(), tc.fails) {
					t.Fatalf("environment() error = %v, want one with %q", err, tc.fails)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("environment(): -want, +got:\n%s", diff)
			}
		})
	}
}

func TestCommandLine(t *testing.T) {
	image := Image{Command: []string{"/bin/f", "--default"}, Entrypoint: 1}
	cases := map[string]struct {
		container corev1.Container
		want      []string
	}{
		"OfTheImage":      {want: []string{"/bin/f", "--default"}},
		"ArgsOfThePod":    {container: corev1.Container{Args: []string{"--ns", "$(NS)"}}, want: []string{"/bin/f", "--ns", "crossplane-system"}},
		"CommandOfThePod": {container: corev1.Container{Command: []string{"/bin/g"}}, want: []string{"/bin/g"}},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			got := commandLine(&tc.container, image, nil, []string{"NS=crossplane-system"})
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("commandLine(): -want, +got:\n%s", diff)
			}
		})
	}
}

func TestProbeOf(t *testing.T) {
	ports := []corev1.ContainerPort{{Name: "grpc", ContainerPort: 1234}}
	httpGet := func(port intstr.IntOrString) *corev1.Probe {
		return &corev1.Probe{ProbeHandler: corev1.ProbeHandler{HTTPGet: &corev1.HTTPGetAction{Path: "/readyz", Port: port}}}
	}
	cases := map[string]struct {
		probe *corev1.Probe
		want  process.Probe
		fails bool
	}{
		"None":        {},
		"TCP":         {probe: &corev1.Probe{ProbeHandler: corev1.ProbeHandler{TCPSocket: &corev1.TCPSocketAction{Port: intstr.FromString("grpc")}}}, want: process.Probe{Address: "127.0.0.1:1234"}},
		"HTTP":        {probe: httpGet(intstr.FromInt32(8080)), want: process.Probe{URL: "http://127.0.0.1:8080/readyz"}},
		"UnknownPort": {probe: httpGet(intstr.FromString("health")), fails: true},
		"UnknownKind": {probe: &corev1.Probe{ProbeHandler: corev1.ProbeHandler{Exec: &corev1.ExecAction{}}}, fails: true},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			got, err := probeOf(&corev1.Container{Ports: ports, ReadinessProbe: tc.probe})
			if (err != nil) != tc.fails {
				t.Fatalf("probeOf() error = %v, want one: %v", err, tc.fails)
			}
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("probeOf(): -want, +got:\n%s", diff)
			}
		})
	}
}
