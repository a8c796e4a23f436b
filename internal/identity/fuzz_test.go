package identity

import (
	"encoding/base64"
	"strings"
	"testing"
)

const planted = "planted-4711-secret"

// FuzzSource puts anything into the Secret of an AzureClusterIdentity. A credential is made of it, or an Event reports what
// is wrong, without any part of it.
func FuzzSource(f *testing.F) {
	for _, s := range []string{"", "x", "-----BEGIN CERTIFICATE-----", "-----BEGIN PRIV" + "ATE KEY-----\nAAAA\n-----END PRIVATE KEY-----", "0\x82\x04\xff", "\x00\xff\u202e"} {
		for kind := range uint8(6) {
			f.Add(kind, []byte(s), []byte(s))
		}
	}
	types := []string{"ServicePrincipal", "ManualServicePrincipal", "ServicePrincipalCertificate", "WorkloadIdentity", "UserAssignedMSI", "UserAssignedIdentityCredential"}
	f.Fuzz(func(t *testing.T, kind uint8, content, password []byte) {
		encode := func(b []byte) string { return base64.StdEncoding.EncodeToString(append(b, planted...)) }
		source := replaced(theSource, "data: {clientSecret: aHVzaA==}",
			"data: {clientSecret: "+encode(content)+", certificate: "+encode(content)+", password: "+encode(password)+"}")
		m := manage(t, theCluster, theControlPlane, replaced(theIdentity, "type: ServicePrincipal", "type: "+types[int(kind)%len(types)]), source, theTeam)
		writes, event := m.reconcile()
		if strings.Contains(event, planted) || strings.Contains(strings.Join(writes, " "), planted) {
			t.Errorf("it reports what is secret: %s", event)
		}
		if made := m.credential(); (made == nil) == (event == "") {
			t.Errorf("credential %v, event %q", made != nil, event)
		}
	})
}
