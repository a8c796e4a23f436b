package node

import (
	"strings"
	"testing"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/intstr"
)

func TestResolve(t *testing.T) {
	d := deployment(func(c *corev1.Container) { c.Ports = []corev1.ContainerPort{{Name: "grpc", ContainerPort: 31000}} })
	service := func(name, function string, target intstr.IntOrString) corev1.Service {
		return corev1.Service{
			ObjectMeta: metav1.ObjectMeta{Name: name},
			Spec: corev1.ServiceSpec{
				Selector: map[string]string{"pkg.crossplane.io/function": function},
				Ports:    []corev1.ServicePort{{Port: 9443, TargetPort: target}},
			},
		}
	}
	n := &Node{
		Namespace: "crossplane-system", pods: []appsv1.Deployment{*d},
		services: []corev1.Service{
			service("function", "function", intstr.FromString("grpc")), service("by-number", "function", intstr.FromInt32(77)),
			service("other", "other", intstr.FromString("grpc")), service("no-port", "function", intstr.FromString("web")),
			{ObjectMeta: metav1.ObjectMeta{Name: "kubernetes"}, Spec: corev1.ServiceSpec{Ports: []corev1.ServicePort{{Port: 443}}}},
		},
	}
	cases := map[string]struct{ host, want, fails string }{
		"ByPortName":     {host: "function.crossplane-system:9443", want: "127.0.0.1:31000"},
		"ByPortNumber":   {host: "by-number.crossplane-system:9443", want: "127.0.0.1:77"},
		"FullName":       {host: "function.crossplane-system.svc.cluster.local:9443", want: "127.0.0.1:31000"},
		"WrongPort":      {host: "function.crossplane-system:443", fails: "no port 443"},
		"NoSuchService":  {host: "functions.crossplane-system:9443", fails: "no Service functions"},
		"OtherNamespace": {host: "function.default:9443", fails: "no Service of namespace crossplane-system"},
		"Internet":       {host: "xpkg.crossplane.io:443", fails: "no Service of namespace"},
		"NothingRuns":    {host: "other.crossplane-system:9443", fails: "selects no Deployment with port grpc"},
		"NoNamedPort":    {host: "no-port.crossplane-system:9443", fails: "selects no Deployment with port web"},
		"NoSelector":     {host: "kubernetes.crossplane-system:443", fails: "selects nothing"},
		"NoPort":         {host: "function.crossplane-system", fails: "missing port"},
		"BadPort":        {host: "function.crossplane-system:grpc", fails: "port of"},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			got, err := n.resolve(tc.host)
			if tc.fails != "" {
				if err == nil || !strings.Contains(err.Error(), tc.fails) {
					t.Fatalf("resolve() = %q, %v, want an error with %q", got, err, tc.fails)
				}
				return
			}
			if err != nil || got != tc.want {
				t.Errorf("resolve() = %q, %v, want %q", got, err, tc.want)
			}
		})
	}
}
