package settings

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"

	"github.com/crossplane-capz/crossplane-capz/apis/provider/v1alpha1"
)

var flags = Settings{Namespace: "all-clusters", Concurrency: 10, SyncPeriod: 10 * time.Minute}

func TestWith(t *testing.T) {
	cases := map[string]struct {
		spec v1alpha1.ProviderConfigSpec
		want Settings
		err  string
	}{
		"Empty": {want: flags},
		"Everything": {
			spec: v1alpha1.ProviderConfigSpec{
				Namespace: "n", WatchFilter: "W.1", Concurrency: ptr.To[int32](3), SyncPeriod: &metav1.Duration{Duration: time.Hour},
				LogLevel: v1alpha1.LogLevelDebug, AzureServiceOperatorNamespaces: []string{"aso"},
			},
			want: Settings{OperatorNamespaces: []string{"aso"}, Namespace: "n", WatchFilter: "W.1", Concurrency: 3, SyncPeriod: time.Hour, Debug: true},
		},
		"Namespace": {
			spec: v1alpha1.ProviderConfigSpec{Namespace: "A"},
			err:  `spec.namespace is "A", but a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end with an alphanumeric character (e.g. 'my-name',  or '123-abc', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?')`,
		},
		"WatchFilter": {
			spec: v1alpha1.ProviderConfigSpec{WatchFilter: "-"},
			err:  `spec.watchFilter is "-", but a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyValue',  or 'my_value',  or '12345', regex used for validation is '(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?')`,
		},
		"Concurrency": {
			spec: v1alpha1.ProviderConfigSpec{Concurrency: ptr.To[int32](0)},
			err:  "spec.concurrency is 0, but must be at least 1",
		},
		"SyncPeriod": {
			spec: v1alpha1.ProviderConfigSpec{SyncPeriod: &metav1.Duration{Duration: time.Second}},
			err:  "spec.syncPeriod is 1s, but must be at least 1m0s",
		},
		"AzureServiceOperatorNamespaces": {
			spec: v1alpha1.ProviderConfigSpec{AzureServiceOperatorNamespaces: []string{"aso", "team/a"}},
			err:  `spec.azureServiceOperatorNamespaces[1] is "team/a", but a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end with an alphanumeric character (e.g. 'my-name',  or '123-abc', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?')`,
		},
		"ResourceHealth": {
			spec: v1alpha1.ProviderConfigSpec{ResourceHealth: &v1alpha1.ResourceHealthSettings{Interval: &metav1.Duration{Duration: time.Minute}}},
			want: Settings{Namespace: flags.Namespace, Concurrency: flags.Concurrency, SyncPeriod: flags.SyncPeriod, ResourceHealth: time.Minute},
		},
		"ResourceHealthAtDefault": {
			spec: v1alpha1.ProviderConfigSpec{ResourceHealth: &v1alpha1.ResourceHealthSettings{}},
			want: Settings{Namespace: flags.Namespace, Concurrency: flags.Concurrency, SyncPeriod: flags.SyncPeriod, ResourceHealth: 5 * time.Minute},
		},
		"ResourceHealthTooOften": {
			spec: v1alpha1.ProviderConfigSpec{ResourceHealth: &v1alpha1.ResourceHealthSettings{Interval: &metav1.Duration{Duration: time.Second}}},
			err:  "spec.resourceHealth.interval is 1s, but must be at least 1m0s",
		},
		"LogLevel": {
			spec: v1alpha1.ProviderConfigSpec{LogLevel: "Trace"},
			err:  `spec.logLevel is "Trace", but must be Info or Debug`,
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			got, err := flags.With(tc.spec)
			if tc.err != "" {
				if err == nil || err.Error() != tc.err {
					t.Errorf("error is %v, want %s", err, tc.err)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}
