package e2e

import (
	"context"
	"crypto/rand"
	"encoding/base64"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/wait"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/crossplane-capz/crossplane-capz/internal/leaks"
)

// The canary is a Secret whose value is written where the search looks. A search that does not find it there finds nothing else.
const (
	canaryName      = "canary"
	canaryNamespace = "default"
	canarySource    = "Secret " + canaryNamespace + "/" + canaryName
)

// canaryPlaces are where it has to be found: the beginning of each place.
var canaryPlaces = []string{
	"e2e/output.log", "e2e/logs/canary.log", "configmaps/default/canary", infrastructureGroup + "/azureclusteridentities/default/canary",
	"requests to crossplane-capz-function-capz",
}

// plantCanary writes the value of a Secret in every sort of place. A composite resource has it until Crossplane has sent it to
// function-capz.
func plantCanary(e *environment) error {
	value := rand.Text()
	meta := metav1.ObjectMeta{Namespace: canaryNamespace, Name: canaryName}
	identity := object(identityKind, canaryNamespace, canaryName)
	identity.SetAnnotations(map[string]string{"e2e.crossplane-capz/canary": value})
	identity.Object["spec"] = map[string]any{
		"type": "WorkloadIdentity", "tenantID": "00000000-0000-0000-0000-000000000002", "clientID": "00000000-0000-0000-0000-000000000003",
	}
	for _, o := range []client.Object{
		&corev1.Secret{ObjectMeta: meta, StringData: map[string]string{"clientSecret": value}},
		&corev1.ConfigMap{ObjectMeta: meta, Data: map[string]string{"text": "x" + base64.StdEncoding.EncodeToString([]byte("a "+value))}},
		identity,
	} {
		if err := e.client.Create(e.ctx, o); err != nil {
			return fmt.Errorf("the canary: %w", err)
		}
	}
	say("the search for secrets has to find %s", value)
	log := filepath.Join(filepath.Dir(e.stack.LogFile("")), canaryName+".log")
	if err := os.WriteFile(log, fmt.Appendf(nil, "two\nlines with %q\n", value), 0o600); err != nil {
		return err
	}
	err := wait.PollUntilContextTimeout(e.ctx, checkInterval, time.Minute, true, func(ctx context.Context) (bool, error) {
		err := e.client.Get(ctx, client.ObjectKeyFromObject(identity), identity)
		return slices.ContainsFunc(mapsAt(identity, "status", "conditions"), func(c map[string]any) bool {
			return c["type"] == "Synced" && c["status"] == "True"
		}), err
	})
	if err != nil {
		return fmt.Errorf("the canary is not composed: %w; its conditions are %v", err, mapsAt(identity, "status", "conditions"))
	}
	return e.client.Delete(e.ctx, identity)
}

// withoutCanary returns the other findings, and an error when the canary was not found everywhere.
func withoutCanary(findings []leaks.Finding) ([]leaks.Finding, error) {
	found := map[string]bool{}
	others := slices.DeleteFunc(findings, func(f leaks.Finding) bool {
		for _, place := range canaryPlaces {
			found[place] = found[place] || f.Source == canarySource && strings.HasPrefix(f.Where, place)
		}
		return f.Source == canarySource
	})
	var errs []error
	for _, place := range canaryPlaces {
		if !found[place] {
			errs = append(errs, fmt.Errorf("the canary was not found in %s, so nothing else would have been", place))
		}
	}
	return others, errors.Join(errs...)
}
