package signed

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	xpkgclient "github.com/crossplane/crossplane-runtime/v2/pkg/xpkg"
	"github.com/crossplane/crossplane-runtime/v2/pkg/xpkg/parser"
	"github.com/crossplane/crossplane-runtime/v2/pkg/xpkg/signature"
	"github.com/crossplane/crossplane/apis/v2/pkg/v1beta1"
	"github.com/spf13/afero"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	k8sruntime "k8s.io/apimachinery/pkg/runtime"
	clientset "k8s.io/client-go/kubernetes/fake"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"
	"sigs.k8s.io/yaml"

	"github.com/crossplane-capz/crossplane-capz/cluster/local/registry/registrytest"
	"github.com/crossplane-capz/crossplane-capz/package/signing/sigstoretest"
	"github.com/crossplane-capz/crossplane-capz/package/xpkg"
)

// checkout is the root of this one.
var checkout = filepath.Join("..", "..", "..", "..")

const (
	// namespace and account are Crossplane's.
	namespace, account = "crossplane-system", "crossplane"
	version            = "v0.1.9"
)

// TestCrossplane has the code by which Crossplane fetches packages fetch those of a release from a registry, with the
// ImageConfig of the example.
func TestCrossplane(t *testing.T) {
	w := newWorld(t)
	_, otherLog := sigstoretest.ServeLog(t)
	cases := map[string]struct {
		// push leaves a package and its signatures in the registry behind the prefix.
		push func(t *testing.T, prefix string)
		// signatureOnly asks for the signature, not for the provenance.
		signatureOnly bool
		// want is what Crossplane says; nothing when it takes the package.
		want string
	}{
		"Signed":          {push: w.pushSigned(w.key, w.logURL), signatureOnly: true},
		"WithProvenance":  {push: w.pushSigned(w.key, w.logURL)},
		"Unsigned":        {push: func(t *testing.T, prefix string) { w.pushPackages(t, prefix, nil) }, signatureOnly: true, want: "no signatures found"},
		"NoProvenance":    {push: func(t *testing.T, prefix string) { w.pushPackages(t, prefix, nil) }, want: "no matching attestations"},
		"OtherKey":        {push: w.pushSigned(sigstoretest.NewKey(t), w.logURL), signatureOnly: true, want: "comparing public key PEMs"},
		"OtherProvenance": {push: w.pushSigned(sigstoretest.NewKey(t), w.logURL), want: "comparing public key PEMs"},
		"OtherLog":        {push: w.pushSigned(w.key, otherLog), signatureOnly: true, want: "rekor log public key not found"},
		// Crossplane 2.4 wants an entry in the log for signatures by a key, too.
		"NoLog":                  {push: w.pushSigned(w.key, ""), signatureOnly: true, want: "rekor client not provided for online verification"},
		"Altered":                {push: w.pushAltered(false), signatureOnly: true, want: "no signatures found"},
		"AlteredWithSignatures":  {push: w.pushAltered(true), signatureOnly: true, want: "invalid or missing digest in claim"},
		"AlteredWithProvenances": {push: w.pushAltered(true), want: "no matching subject digest found"},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			prefix := w.registry + "/" + strings.ToLower(name) + "/"
			tc.push(t, prefix)
			fetcher := w.crossplane(t, prefix, tc.signatureOnly)
			for _, p := range []string{xpkg.Configuration, xpkg.Function} {
				fetched, err := fetcher.Get(t.Context(), prefix+p+":"+version)
				switch {
				case tc.want == "" && err != nil:
					t.Errorf("%s is refused: %v", p, err)
				case tc.want == "" && (len(fetched.AppliedImageConfigs) != 1 || fetched.AppliedImageConfigs[0].Reason != xpkgclient.ImageConfigReasonVerify):
					t.Errorf("%s is taken unverified: %+v", p, fetched.AppliedImageConfigs)
				case tc.want != "" && (err == nil || !strings.Contains(err.Error(), "signature verification failed") || !strings.Contains(err.Error(), tc.want)):
					t.Errorf("%s: error is %v, want %q", p, err, tc.want)
				}
			}
		})
	}
}

// A world has a release, a registry, a transparency log that sigstore's libraries trust, and Crossplane's verifier.
type world struct {
	release, registry, key, logURL, public string
	validator                              func(client.Client) signature.Validator
}

func newWorld(t *testing.T) *world {
	t.Helper()
	w := &world{release: release(t), registry: registrytest.Serve(t), key: sigstoretest.NewKey(t)}
	log, logURL := sigstoretest.ServeLog(t)
	w.logURL = logURL
	sigstoretest.Trust(t, log, t.TempDir())
	w.public = string(newSigner(t, w.key, "").PublicKey())
	w.validator = func(c client.Client) signature.Validator {
		accounts := clientset.NewClientset(&corev1.ServiceAccount{ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: account}})
		validator, err := signature.NewCosignValidator(c, accounts, namespace, account)
		if err != nil {
			t.Fatal(err)
		}
		return validator
	}
	return w
}

// crossplane returns what fetches packages in Crossplane, put together as its main does, with an empty cache. The example's
// ImageConfig also matches what is behind the prefix.
func (w *world) crossplane(t *testing.T, prefix string, signatureOnly bool) xpkgclient.Client {
	t.Helper()
	config := &v1beta1.ImageConfig{}
	raw, err := os.ReadFile(filepath.Join(checkout, "examples", "image-verification", "imageconfig.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	if err := yaml.UnmarshalStrict(raw, config); err != nil {
		t.Fatal(err)
	}
	if got := config.Spec.MatchImages[0].Prefix; got != xpkg.Repository {
		t.Errorf("the example is about %s, want %s", got, xpkg.Repository)
	}
	config.Spec.MatchImages = append(config.Spec.MatchImages, v1beta1.ImageMatch{Type: v1beta1.Prefix, Prefix: prefix})
	authority := &config.Spec.Verification.Cosign.Authorities[0]
	if signatureOnly {
		authority.Attestations = nil
	}
	secret := &corev1.Secret{
		ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: authority.Key.SecretRef.Name},
		Data:       map[string][]byte{authority.Key.SecretRef.Key: []byte(w.public)},
	}
	scheme := k8sruntime.NewScheme()
	for _, add := range []func(*k8sruntime.Scheme) error{corev1.AddToScheme, v1beta1.SchemeBuilder.AddToScheme} {
		if err := add(scheme); err != nil {
			t.Fatal(err)
		}
	}
	cluster := fake.NewClientBuilder().WithScheme(scheme).WithObjects(config, secret).Build()
	fetcher, err := xpkgclient.NewK8sFetcher(clientset.NewClientset(&corev1.ServiceAccount{ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: account}}),
		xpkgclient.WithNamespace(namespace), xpkgclient.WithServiceAccount(account))
	if err != nil {
		t.Fatal(err)
	}
	meta, err := xpkgclient.BuildMetaScheme()
	if err != nil {
		t.Fatal(err)
	}
	objects, err := xpkgclient.BuildObjectScheme()
	if err != nil {
		t.Fatal(err)
	}
	return xpkgclient.NewCachedClient(fetcher, parser.New(meta, objects), xpkgclient.NewFsPackageCache(t.TempDir(), afero.NewOsFs()),
		xpkgclient.NewImageConfigStore(cluster, namespace), w.validator(cluster))
}
