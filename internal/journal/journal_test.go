package journal

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strings"
	"testing"

	"github.com/Azure/azure-sdk-for-go/sdk/azcore/policy"
	"github.com/Azure/azure-sdk-for-go/sdk/azcore/runtime"
	"github.com/go-logr/logr/funcr"
	"github.com/google/go-cmp/cmp"
	admissionv1 "k8s.io/api/admission/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	kuberuntime "k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/tools/events"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"
	"sigs.k8s.io/controller-runtime/pkg/client/interceptor"
	"sigs.k8s.io/controller-runtime/pkg/webhook/admission"

	"github.com/crossplane-capz/crossplane-capz/apis/provider/v1alpha1"
	"github.com/crossplane-capz/crossplane-capz/internal/traces"
)

// logOf returns what is logged while do runs, a line each.
func logOf(t *testing.T, verbosity int, do func(ctx context.Context) error) []string {
	t.Helper()
	var lines []string
	log := funcr.New(func(_, args string) { lines = append(lines, args) }, funcr.Options{Verbosity: verbosity})
	if err := do(ctrl.LoggerInto(t.Context(), log)); err != nil {
		t.Fatal(err)
	}
	return lines
}

func managementCluster(t *testing.T, objects ...client.Object) client.Client {
	t.Helper()
	scheme := kuberuntime.NewScheme()
	for _, add := range []func(*kuberuntime.Scheme) error{corev1.AddToScheme, v1alpha1.AddToScheme} {
		if err := add(scheme); err != nil {
			t.Fatal(err)
		}
	}
	return Logging(fake.NewClientBuilder().WithScheme(scheme).WithObjects(objects...).WithStatusSubresource(&v1alpha1.ProviderConfig{}).Build())
}

func TestWrites(t *testing.T) {
	const value = "hush"
	secret := func() *corev1.Secret {
		return &corev1.Secret{ObjectMeta: metav1.ObjectMeta{Namespace: "team", Name: "it"}, Data: map[string][]byte{"value": []byte(value)}}
	}
	config := func() *v1alpha1.ProviderConfig {
		return &v1alpha1.ProviderConfig{ObjectMeta: metav1.ObjectMeta{Name: "default"}}
	}
	facts := &v1alpha1.ClusterFacts{ObjectMeta: metav1.ObjectMeta{Namespace: "team", Name: "it"}}
	tests := map[string]struct {
		there     []client.Object
		verbosity int
		do        func(context.Context, client.Client) error
		want      []string
	}{
		"a Secret is created": {
			do:   func(ctx context.Context, c client.Client) error { return c.Create(ctx, secret()) },
			want: []string{`"level"=0 "msg"="Created" "kind"="Secret" "object"="team/it"`},
		},
		"one that is there is not": {
			there: []client.Object{secret()},
			do: func(ctx context.Context, c client.Client) error {
				return client.IgnoreAlreadyExists(c.Create(ctx, secret()))
			},
		},
		"a Secret is changed": {
			there: []client.Object{secret()},
			do: func(ctx context.Context, c client.Client) error {
				changed := secret()
				changed.Data, changed.Labels = map[string][]byte{"other": []byte(value)}, map[string]string{"for": "it"}
				return c.Patch(ctx, changed, client.MergeFrom(secret()))
			},
			want: []string{`"level"=0 "msg"="Patched" "kind"="Secret" "object"="team/it" "set"=["data.other" "metadata.labels.for"] "removed"=["data.value"]`},
		},
		"what becomes of a change is not known, as nobody waits for the answer": {
			there: []client.Object{config()},
			do: func(ctx context.Context, c client.Client) error {
				broken := Logging(interceptor.NewClient(c.(client.WithWatch), interceptor.Funcs{ //nolint:forcetypeassert // It is made so.
					Patch: func(_ context.Context, _ client.WithWatch, obj client.Object, patch client.Patch, _ ...client.PatchOption) error {
						if _, err := patch.Data(obj); err != nil {
							return err
						}
						return &url.Error{Op: "Patch", URL: "https://api", Err: context.Canceled}
					},
				}))
				err := broken.Patch(ctx, config(), client.RawPatch(types.MergePatchType, []byte(`{"spec":{"watchFilter":"x"}}`)))
				if !errors.Is(err, context.Canceled) {
					t.Errorf("the error is %v", err)
				}
				return nil
			},
			want: []string{`"level"=0 "msg"="Patched, or not: there was no answer" "kind"="ProviderConfig" "object"="/default" "set"=["spec.watchFilter"]`},
		},
		"nothing of it changes": {
			there: []client.Object{secret()},
			do: func(ctx context.Context, c client.Client) error {
				return c.Patch(ctx, secret(), client.MergeFrom(secret()))
			},
		},
		"one is deleted": {
			there: []client.Object{secret()},
			do:    func(ctx context.Context, c client.Client) error { return c.Delete(ctx, secret()) },
			want:  []string{`"level"=0 "msg"="Deleted" "kind"="Secret" "object"="team/it"`},
		},
		"a status is changed": {
			there: []client.Object{config()},
			do: func(ctx context.Context, c client.Client) error {
				return c.Status().Patch(ctx, config(), client.RawPatch(types.MergePatchType, []byte(`{"status":{"conditions":[]}}`)))
			},
			want: []string{`"level"=0 "msg"="Patched status" "kind"="ProviderConfig" "object"="/default" "set"=["status.conditions"]`},
		},
		"something is applied": {
			do: func(ctx context.Context, c client.Client) error {
				obj := &unstructured.Unstructured{Object: map[string]any{"data": map[string]any{"value": value}}}
				obj.SetAPIVersion("v1")
				obj.SetKind("ConfigMap")
				obj.SetNamespace("team")
				obj.SetName("it")
				return c.Apply(ctx, client.ApplyConfigurationFromUnstructured(obj), client.FieldOwner("test"))
			},
			want: []string{`"level"=0 "msg"="Applied" "kind"="ConfigMap" "object"="team/it" "set"=["data.value"]`},
		},
		"ClusterFacts are for those who debug": {
			verbosity: debug,
			do:        func(ctx context.Context, c client.Client) error { return c.Create(ctx, facts.DeepCopy()) },
			want:      []string{`"level"=1 "msg"="Created" "kind"="ClusterFacts" "object"="team/it"`},
		},
		"and for nobody else": {
			do: func(ctx context.Context, c client.Client) error { return c.Create(ctx, facts.DeepCopy()) },
		},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			c := managementCluster(t, tc.there...)
			got := logOf(t, tc.verbosity, func(ctx context.Context) error { return tc.do(ctx, c) })
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("logged (-want +got):\n%s", diff)
			}
			if slices.ContainsFunc(got, func(line string) bool { return strings.Contains(line, value) }) {
				t.Errorf("a value is in the log: %q", got)
			}
		})
	}
}

func TestFields(t *testing.T) {
	tests := map[string]struct {
		kind  types.PatchType
		patch string
		want  fields
	}{
		"nothing":                     {kind: types.MergePatchType, patch: `{}`},
		"only which state":            {kind: types.MergePatchType, patch: `{"metadata":{"resourceVersion":"1"}}`},
		"only which object":           {kind: types.MergePatchType, patch: `{"apiVersion":"v1","kind":"Secret","metadata":{"name":"it"}}`},
		"a list":                      {kind: types.MergePatchType, patch: `{"metadata":{"finalizers":["a"]}}`, want: fields{set: []string{"metadata.finalizers"}}},
		"set and removed":             {kind: types.MergePatchType, patch: `{"metadata":{"annotations":{"a.b/c":"1","d":null}}}`, want: fields{set: []string{"metadata.annotations.a.b/c"}, removed: []string{"metadata.annotations.d"}}},
		"deeper than what is named":   {kind: types.MergePatchType, patch: `{"spec":{"a":{"b":{"c":{"d":1}}}}}`, want: fields{set: []string{"spec.a.b"}}},
		"an empty object":             {kind: types.MergePatchType, patch: `{"spec":{"a":{}}}`},
		"no JSON":                     {kind: types.MergePatchType, patch: `no`},
		"operations":                  {kind: types.JSONPatchType, patch: `[{"op":"test","path":"/spec"},{"op":"replace","path":"/metadata/annotations/a~1b","value":1},{"op":"remove","path":"/spec/c"}]`, want: fields{set: []string{"metadata.annotations.a/b"}, removed: []string{"spec.c"}}},
		"operations that are no JSON": {kind: types.JSONPatchType, patch: `no`},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			got := fieldsOf(tc.kind, []byte(tc.patch))
			if diff := cmp.Diff(tc.want, got, cmp.AllowUnexported(fields{})); diff != "" {
				t.Errorf("fieldsOf (-want +got):\n%s", diff)
			}
		})
	}
}

// answering is Azure that has one answer.
type answering struct{ status int }

func (a answering) Do(req *http.Request) (*http.Response, error) {
	if a.status == 0 {
		return nil, fmt.Errorf("%s is out of reach", req.URL.Host)
	}
	answer := httptest.NewRecorder()
	answer.Header().Set(traces.HeaderCorrelation, "c0ffee")
	answer.WriteHeader(a.status)
	return answer.Result(), nil
}

func TestAzure(t *testing.T) {
	tests := map[string]struct {
		method string
		status int
		want   []string
	}{
		"a deletion": {method: http.MethodDelete, status: http.StatusAccepted, want: []string{
			`"level"=0 "msg"="Sent to Azure" "method"="DELETE" "resource"="/subscriptions/it" "status"=202 "correlation"="c0ffee"`}},
		"one that is refused": {method: http.MethodPut, status: http.StatusForbidden, want: []string{
			`"level"=0 "msg"="Sent to Azure" "method"="PUT" "resource"="/subscriptions/it" "status"=403 "correlation"="c0ffee"`}},
		"a look":    {method: http.MethodGet, status: http.StatusOK},
		"no answer": {method: http.MethodPut, want: []string{`"level"=0 "msg"="Sent to Azure, and not answered" "method"="PUT" "resource"="/subscriptions/it"`}},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			pipeline := runtime.NewPipeline("test", "", runtime.PipelineOptions{}, &policy.ClientOptions{
				Transport: answering{tc.status}, Retry: policy.RetryOptions{MaxRetries: -1}, PerRetryPolicies: []policy.Policy{Azure{}},
			})
			got := logOf(t, 0, func(ctx context.Context) error {
				address := url.URL{Scheme: "https", Host: "management.azure.com", Path: "/subscriptions/it", RawQuery: "api-version=1"}
				req, err := runtime.NewRequest(ctx, tc.method, address.String())
				if err != nil {
					return err
				}
				if _, err := pipeline.Do(req); err != nil && tc.status != 0 {
					return err
				}
				return nil
			})
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("logged (-want +got):\n%s", diff)
			}
		})
	}
}

func TestRefusals(t *testing.T) {
	tests := map[string]struct {
		answer admission.Response
		want   []string
	}{
		"allowed": {answer: admission.Allowed("")},
		"refused": {answer: admission.Denied("spec.location cannot change"), want: []string{
			`"level"=0 "msg"="Refused" "operation"="UPDATE" "kind"="AzureCluster" "object"="team/it" "message"="spec.location cannot change"`}},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			handler := logsRefusals(admission.HandlerFunc(func(context.Context, admission.Request) admission.Response { return tc.answer }))
			got := logOf(t, 0, func(ctx context.Context) error {
				handler.Handle(ctx, admission.Request{AdmissionRequest: admissionv1.AdmissionRequest{
					Operation: admissionv1.Update, Kind: metav1.GroupVersionKind{Kind: "AzureCluster"}, Namespace: "team", Name: "it",
				}})
				return nil
			})
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("logged (-want +got):\n%s", diff)
			}
		})
	}
}

func TestRecorder(t *testing.T) {
	var lines []string
	recorded := events.NewFakeRecorder(1)
	recorder := &loggingRecorder{
		EventRecorder: recorded, client: managementCluster(t),
		log: funcr.New(func(_, args string) { lines = append(lines, args) }, funcr.Options{}),
	}
	about := &corev1.Secret{ObjectMeta: metav1.ObjectMeta{Namespace: "team", Name: "it"}}
	recorder.Eventf(about, nil, corev1.EventTypeWarning, "Odd", "Look", "%s is odd", "it")
	want := []string{`"level"=0 "msg"="Reported" "kind"="Secret" "object"="team/it" "type"="Warning" "reason"="Odd" "note"="it is odd"`}
	if diff := cmp.Diff(want, lines); diff != "" {
		t.Errorf("logged (-want +got):\n%s", diff)
	}
	if got := <-recorded.Events; !strings.Contains(got, "it is odd") {
		t.Errorf("the Event is %q", got)
	}
}
