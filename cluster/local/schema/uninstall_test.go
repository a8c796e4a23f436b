package schema

import (
	"context"
	"encoding/json"
	"encoding/pem"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	admissionv1 "k8s.io/api/admission/v1"
	arv1 "k8s.io/api/admissionregistration/v1"
	extv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/yaml"

	"github.com/crossplane-capz/crossplane-capz/cluster/local/parts"
)

// asked is in every answer of the webhook that this test serves.
const asked = "the webhook was asked"

// TestUninstallWebhookMatches says of which deletions provider-capz is asked, and that it is not of any other.
func TestUninstallWebhookMatches(t *testing.T) {
	installCrossplaneKinds(t)
	cases := map[string]struct {
		object string
		want   bool
	}{
		"the Configuration":           {configurationOf("xpkg.crossplane.io/crossplane-capz/configuration-capz:v0.1.0"), true},
		"from a mirror":               {configurationOf("registry.example.org/mirror/configuration-capz@sha256:" + strings.Repeat("0", 64)), true},
		"another Configuration":       {configurationOf("xpkg.crossplane.io/example/configuration-other:v1"), false},
		"the active revision":         {revisionOf("configuration-capz", "Active"), true},
		"a revision of the past":      {revisionOf("configuration-capz", "Inactive"), false},
		"another's active revision":   {revisionOf("configuration-other", "Active"), false},
		"a definition":                {definitionOf("infrastructure.cluster.x-k8s.io", "AzureASOManagedGuesses"), true},
		"a platform definition":       {definitionOf("platform.capz.crossplane.io", "Guesses"), true},
		"a definition of another":     {definitionOf("infrastructure.cluster.x-k8s.io", "DockerGuesses"), false},
		"a definition elsewhere":      {definitionOf("example.org", "AzureGuesses"), false},
		"a CRD of a definition":       {crdOf("infrastructure.cluster.x-k8s.io", "AzureGuesses", true), true},
		"a platform CRD":              {crdOf("platform.capz.crossplane.io", "Guesses", true), true},
		"CAPZ's own CRD":              {crdOf("infrastructure.cluster.x-k8s.io", "AzureGuesses", false), false},
		"a CRD of another definition": {crdOf("example.org", "AzureGuesses", true), false},
	}
	objects := map[string]*unstructured.Unstructured{}
	for name, c := range cases {
		objects[name] = createGuarded(t, c.object)
	}
	serveUninstallWebhook(t)
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			err := server.client.Delete(context.Background(), objects[name], client.DryRunAll)
			if got := err != nil && strings.Contains(err.Error(), asked); got != c.want || err != nil && !got {
				t.Errorf("asked: %v, want %v: %v", got, c.want, err)
			}
		})
	}
}

// createGuarded creates an object and deletes it when the test ends, as soon as the webhook is not asked any more.
func createGuarded(t *testing.T, text string) *unstructured.Unstructured {
	t.Helper()
	o := &unstructured.Unstructured{}
	if err := yaml.Unmarshal([]byte(text), &o.Object); err != nil {
		t.Fatal(err)
	}
	if err := server.client.Create(context.Background(), o); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		err := server.client.Delete(context.Background(), o)
		for deadline := time.Now().Add(time.Minute); err != nil && time.Now().Before(deadline); err = server.client.Delete(context.Background(), o) {
			time.Sleep(50 * time.Millisecond)
		}
		if err != nil {
			t.Error(err)
		}
	})
	return o
}

func configurationOf(image string) string {
	return "{apiVersion: pkg.crossplane.io/v1, kind: Configuration, metadata: {generateName: c-}, spec: {package: '" + image + "'}}"
}

func revisionOf(image, state string) string {
	return "{apiVersion: pkg.crossplane.io/v1, kind: ConfigurationRevision, metadata: {generateName: r-}, spec: {desiredState: " + state +
		", revision: 1, image: 'xpkg.crossplane.io/x/" + image + ":v1'}}"
}

func definitionOf(group, kind string) string {
	plural := strings.ToLower(kind)
	return "{apiVersion: apiextensions.crossplane.io/v2, kind: CompositeResourceDefinition, metadata: {name: " + plural + "." + group + "}, spec: {group: " + group +
		", names: {kind: " + kind + ", plural: " + plural + "}, scope: Namespaced, versions: [{name: v1, served: true, referenceable: true, schema: {openAPIV3Schema: {type: object}}}]}}"
}

func crdOf(group, kind string, ofDefinition bool) string {
	plural, owners := strings.ToLower(kind), ""
	if ofDefinition {
		owners = ", ownerReferences: [{apiVersion: apiextensions.crossplane.io/v1, kind: CompositeResourceDefinition, name: x, uid: x, controller: true}]"
	}
	if !ofDefinition {
		plural += "s"
		kind += "s"
	}
	return "{apiVersion: apiextensions.k8s.io/v1, kind: CustomResourceDefinition, metadata: {name: " + plural + "." + group + owners + "}, spec: {group: " + group +
		", names: {kind: " + kind + ", plural: " + plural + ", singular: " + plural + "}, scope: Namespaced, versions: [{name: v1, served: true, storage: true, schema: {openAPIV3Schema: {type: object}}}]}}"
}

// serveUninstallWebhook installs the webhook of the package, answered by this test, and waits until it is asked.
func serveUninstallWebhook(t *testing.T) {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(checkout, "package", "provider", "webhooks.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	_, document, found := strings.Cut(string(text), "\n---\n")
	config := &arv1.ValidatingWebhookConfiguration{}
	if err := yaml.UnmarshalStrict([]byte(document), config); err != nil || !found {
		t.Fatalf("no second document: %v", err)
	}
	tried := createGuarded(t, definitionOf("platform.capz.crossplane.io", "Tries"))
	hook := httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		review := &admissionv1.AdmissionReview{}
		if err := json.NewDecoder(r.Body).Decode(review); err != nil {
			http.Error(w, err.Error(), http.StatusBadRequest)
			return
		}
		review.Response = &admissionv1.AdmissionResponse{UID: review.Request.UID, Result: &metav1.Status{Message: asked}}
		if err := json.NewEncoder(w).Encode(review); err != nil {
			t.Error(err)
		}
	}))
	t.Cleanup(hook.Close)
	url := hook.URL + "/validate"
	ca := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: hook.Certificate().Raw})
	config.Webhooks = config.Webhooks[:1] // The others are about the composite resources themselves.
	config.Webhooks[0].ClientConfig = arv1.WebhookClientConfig{URL: &url, CABundle: ca}
	if err := server.client.Create(context.Background(), config); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := server.client.Delete(context.Background(), config); err != nil {
			t.Error(err)
		}
	})
	awaitAsked(t, tried)
}

// awaitAsked deletes an object, for a try, until the API server knows the webhook.
func awaitAsked(t *testing.T, o *unstructured.Unstructured) {
	t.Helper()
	for deadline := time.Now().Add(time.Minute); ; time.Sleep(50 * time.Millisecond) {
		err := server.client.Delete(context.Background(), o, client.DryRunAll)
		if err != nil && strings.Contains(err.Error(), asked) {
			return
		}
		if time.Now().After(deadline) {
			t.Fatalf("the webhook is not asked: %v", err)
		}
	}
}

// installCrossplaneKinds installs the kinds of Crossplane whose deletion is guarded.
func installCrossplaneKinds(t *testing.T) {
	t.Helper()
	root, err := filepath.Abs(checkout)
	if err != nil {
		t.Fatal(err)
	}
	dir, err := (&parts.Builder{Root: root, Log: os.Stderr}).CrossplaneDir(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"apiextensions.crossplane.io_compositeresourcedefinitions", "pkg.crossplane.io_configurations", "pkg.crossplane.io_configurationrevisions"} {
		crd := &extv1.CustomResourceDefinition{}
		if err := readYAML(filepath.Join(dir, "cluster", "crds", name+".yaml"), crd); err != nil {
			t.Fatal(err)
		}
		if err := server.client.Create(context.Background(), crd); err != nil && !apierrors.IsAlreadyExists(err) {
			t.Fatal(err)
		}
		if err := awaitServed(context.Background(), crd.Name); err != nil {
			t.Fatal(err)
		}
	}
}
