package objects

import (
	"context"
	"slices"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/crossplane-capz/crossplane-capz/internal/contract/names"
	"github.com/crossplane-capz/crossplane-capz/internal/telemetry"
)

// A Credential is what is told of one that a composite resource has. Nothing of it is secret.
type Credential struct {
	// Identity is the AzureClusterIdentity, Type what is in its spec.type.
	Identity client.ObjectKey
	Type     string
	// End is when its certificate ends; zero where it has none.
	End time.Time
}

// Credential says which credential a composite resource has.
func (o *Objects) Credential(kind string, of client.ObjectKey, credential Credential) {
	if o == nil {
		return
	}
	o.change(func(v *view) {
		if v.credentials != nil {
			v.credentials[kind+" "+of.String()] = credential
		}
	})
}

// NoCredential says that a composite resource has none, or is gone.
func (o *Objects) NoCredential(kind string, of client.ObjectKey) {
	if o == nil {
		return
	}
	o.change(func(v *view) { delete(v.credentials, kind+" "+of.String()) })
}

// collectCredentials sends how long the identities in use are valid.
func (v view) collectCredentials(now time.Time, to chan<- prometheus.Metric) {
	counted, ends := telemetry.Credentials.Values(), telemetry.CredentialEnds.Values()
	identities := map[client.ObjectKey]Credential{}
	for _, c := range v.credentials {
		identities[c.Identity] = c
	}
	var ending []Credential
	for _, c := range identities {
		left := telemetry.LeftUnknown
		if !c.End.IsZero() {
			left = telemetry.CredentialLeft(c.End.Sub(now))
			ending = append(ending, c)
		}
		counted.Add(1, c.Type, left)
	}
	slices.SortFunc(ending, func(a, b Credential) int {
		if d := a.End.Compare(b.End); d != 0 {
			return d
		}
		return slices.Compare([]string{a.Identity.Namespace, a.Identity.Name}, []string{b.Identity.Namespace, b.Identity.Name})
	})
	for _, c := range ending[:min(len(ending), telemetry.MostCredentials)] {
		ends.Add(float64(c.End.Unix()), c.Identity.Namespace, c.Identity.Name)
	}
	counted.Collect(to)
	ends.Collect(to)
}

// collectTokens sends how long the tokens in kubeconfig Secrets are valid. Those of a control plane that is paused or on its way out are not
// renewed.
func (v view) collectTokens(ctx context.Context, now time.Time, states map[types.UID]string, to chan<- prometheus.Metric) {
	list, counted := &metav1.PartialObjectMetadataList{}, telemetry.Tokens.Values()
	list.SetGroupVersionKind(corev1.SchemeGroupVersion.WithKind("Secret"))
	if !v.clusters || !v.list(ctx, list) {
		return
	}
	for i := range list.Items {
		expires, err := time.Parse(time.RFC3339, list.Items[i].Annotations[names.TokenExpiresAtAnnotation])
		owner := metav1.GetControllerOf(&list.Items[i])
		if err != nil || owner == nil {
			continue
		}
		if state := states[owner.UID]; state == "" || state == telemetry.StatePaused || state == telemetry.StateDeleting {
			continue
		}
		counted.Add(1, telemetry.TokenLeft(expires.Sub(now)))
	}
	counted.Collect(to)
}
