package identity

import (
	"context"
	"encoding/base64"
	"strings"
	"testing"

	"github.com/prometheus/client_golang/prometheus/testutil"
	"github.com/prometheus/common/expfmt"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/crossplane-capz/crossplane-capz/internal/telemetry/objects"
)

// TestTold tells in metrics which identity a control plane has and when its certificate ends, until the control plane is gone.
func TestTold(t *testing.T) {
	cases := map[string]struct {
		identity, source string
		want             []string
	}{
		"client secret": {identity: theIdentity, source: theSource, want: []string{`capz_credentials{left="unknown",type="ServicePrincipal"} 1`}},
		"certificate": {
			identity: replaced(theIdentity, "ServicePrincipal", "ServicePrincipalCertificate"),
			source:   replaced(theSource, "clientSecret: aHVzaA==", "certificate: "+base64.StdEncoding.EncodeToString([]byte(certificate(t)))),
			want:     []string{`capz_credentials{left="1d",type="ServicePrincipalCertificate"} 1`, `capz_credential_end_timestamp_seconds{identity="id",identity_namespace="ids"} `},
		},
		"a mistake": {identity: replaced(theIdentity, "ServicePrincipal", "ServicePrincipalCertificate"), source: theSource},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			m := manage(t, theCluster, theControlPlane, theTeam, c.identity, c.source)
			m.told = objects.New()
			m.told.Begin(m.Client, func(metav1.Object) bool { return true })
			m.reconcile()
			tell := func() string {
				got, err := testutil.CollectAndFormat(m.told, expfmt.TypeTextPlain, "capz_credentials", "capz_credential_end_timestamp_seconds")
				if err != nil {
					t.Fatal(err)
				}
				return string(got)
			}
			for _, line := range c.want {
				if !strings.Contains(tell(), line) {
					t.Errorf("got %s, want %s", tell(), line)
				}
			}
			if len(c.want) == 0 && tell() != "" {
				t.Errorf("got %s, want none", tell())
			}
			if err := m.Delete(context.Background(), object(t, theControlPlane)); err != nil {
				t.Fatal(err)
			}
			m.reconcile()
			if tell() != "" {
				t.Errorf("got %s after the control plane is gone", tell())
			}
		})
	}
}
