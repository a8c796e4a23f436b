package admission

import (
	"cmp"
	"context"
	"crypto/rand"
	"crypto/rsa"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"

	"golang.org/x/crypto/ssh"
	admissionv1 "k8s.io/api/admission/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/controller-runtime/pkg/webhook"
	"sigs.k8s.io/controller-runtime/pkg/webhook/admission"

	"github.com/crossplane-capz/crossplane-capz/apis/infrastructure/v1beta1"
	"github.com/crossplane-capz/crossplane-capz/internal/aksnetwork"
	"github.com/crossplane-capz/crossplane-capz/internal/field"
)

// DefaultsPath is where the webhook of defaults is served; package/generate/webhooks.yaml.tmpl has it too.
const DefaultsPath = "/default-azuremanaged"

// sshKeyBits is the size of a generated SSH key.
const sshKeyBits = 2048

// A Defaulter writes into new objects of the typed AKS kinds what could not be found out again later, or would come out
// different, and into an AzureASOManagedControlPlane with an identity its subscription. All other defaults of these are in the schema, or where
// the ASO objects are made. Into the self-managed kinds it writes all that CAPZ writes there.
type Defaulter struct {
	// SubscriptionID is that of control planes which name none; empty means that they have to.
	SubscriptionID string
	// Scope returns the objects to act on now; nil means all.
	Scope func() Scope
	// newKey makes SSH keys; nil means newSSHKey.
	newKey func() (string, error)
}

// Register serves the webhook.
func (d *Defaulter) Register(server webhook.Server) {
	for _, path := range []string{DefaultsPath, SelfManagedDefaultsPath} {
		server.Register(path, &webhook.Admission{Handler: d})
	}
}

// Handle answers with a patch of the fields that are missing.
func (d *Defaulter) Handle(_ context.Context, req admission.Request) admission.Response {
	obj, err := decode[map[string]any](req.Object.Raw)
	if err != nil {
		return admission.Errored(http.StatusBadRequest, err)
	}
	old := &unstructured.Unstructured{}
	if req.Operation == admissionv1.Update {
		before, err := decode[map[string]any](req.OldObject.Raw)
		if err != nil {
			return admission.Errored(http.StatusBadRequest, err)
		}
		old.Object = *before
	}
	if *obj == nil {
		return admission.Errored(http.StatusBadRequest, errors.New("cannot read the object: there is none"))
	}
	changed := &unstructured.Unstructured{Object: *obj}
	if !current(d.Scope).has(req.Namespace, changed.GetLabels()) {
		return admission.Allowed("")
	}
	if err := d.fill(req.Kind.Kind, changed, old); err != nil {
		return admission.Errored(http.StatusInternalServerError, err)
	}
	raw, err := json.Marshal(changed.Object)
	if err != nil {
		return admission.Errored(http.StatusInternalServerError, fmt.Errorf("cannot write the object: %w", err))
	}
	return admission.PatchResponseFromRaw(req.Object.Raw, raw)
}

// The fields that have defaults, and those that these depend on.
var (
	specIdentityRef       = field.At[map[string]any]("spec", "identityRef")
	specMode              = field.At[string]("spec", "mode")
	specNetworkPluginMode = field.At[string]("spec", "networkPluginMode")
	specNetworkRange      = field.At[string]("spec", "virtualNetwork", "cidrBlock")
	specSubnetRange       = field.At[string]("spec", "virtualNetwork", "subnet", "cidrBlock")
	specSSHPublicKey      = field.At[string]("spec", "sshPublicKey")
	specSubscriptionID    = field.At[string]("spec", "subscriptionID")
	specIssuer            = field.At[map[string]any]("spec", "oidcIssuerProfile")
	specVersion           = field.At[string]("spec", "version")
	templateMode          = field.At[string]("spec", "template", "spec", "mode")
	templateName          = field.At[string]("spec", "template", "spec", "name")
	templateVersion       = field.At[string]("spec", "template", "spec", "version")
)

// fill writes the defaults of an object of a kind; old is empty when it is new.
func (d *Defaulter) fill(kind string, obj, old *unstructured.Unstructured) error {
	switch kind {
	case clusterKind, clusterTemplateKind, machineKind, machinePoolKind, machineTemplateKind:
		return d.fillSelfManaged(kind, obj, old)
	case asoControlPlaneKind:
		// Without an identity the subscription is that of the credential which ASO finds.
		if specIdentityRef.Has(obj) {
			d.fillSubscription(obj, old)
		}
		return nil
	case managedPoolKind:
		fillMode(obj, specMode)
		return nil
	case controlPlaneTemplateKind:
		fillVersion(obj, templateVersion)
		return nil
	case managedPoolTemplateKind:
		fillMode(obj, templateMode)
		// The pools of a topology have generated names, which AKS does not take.
		if name := obj.GetName(); name != "" && templateName.Value(obj) == "" {
			set(obj, templateName, name)
		}
		return nil
	}
	fillVersion(obj, specVersion)
	d.fillSubscription(obj, old)
	fillNetwork(obj, old)
	if _, set, err := specIssuer.Get(obj); !set && err == nil {
		_ = specIssuer.Set(obj, map[string]any{"enabled": false})
	}
	return fillSSHKey(obj, old)
}

// fillVersion writes a version with the v that Cluster API has before it.
func fillVersion(obj *unstructured.Unstructured, path field.Path[string]) {
	if version := path.Value(obj); version != withV(version) {
		set(obj, path, withV(version))
	}
}

// fillMode has the label for the mode of pools say what the mode is.
func fillMode(obj *unstructured.Unstructured, path field.Path[string]) {
	if mode := path.Value(obj); mode != "" {
		setLabel(obj, v1beta1.LabelAgentPoolMode, mode)
	}
}

// fillSubscription writes the subscription into a new control plane, and keeps it afterwards.
func (d *Defaulter) fillSubscription(obj, old *unstructured.Unstructured) {
	if specSubscriptionID.Value(obj) != "" {
		return
	}
	subscription := specSubscriptionID.Value(old)
	if len(old.Object) == 0 {
		subscription = d.SubscriptionID
	}
	if subscription != "" {
		set(obj, specSubscriptionID, subscription)
	}
}

// fillSSHKey generates a key where an empty one is asked for, and keeps it afterwards. Nobody has its private half: it is for
// clusters that nobody is to log in to.
func fillSSHKey(obj, old *unstructured.Unstructured) error {
	key, asked, err := specSSHPublicKey.Get(obj)
	if err != nil || !asked || key != "" {
		return nil //nolint:nilerr // The schema refuses what is no text.
	}
	if before := specSSHPublicKey.Value(old); before != "" {
		set(obj, specSSHPublicKey, before)
		return nil
	}
	if key, err = newSSHKey(); err != nil {
		return err
	}
	set(obj, specSSHPublicKey, key)
	return nil
}

// newSSHKey returns the public half of a new key, as a line of authorized_keys in base64. Nobody has the other half.
func newSSHKey() (string, error) {
	private, err := rsa.GenerateKey(rand.Reader, sshKeyBits)
	if err != nil {
		return "", fmt.Errorf("cannot generate an SSH key: %w", err)
	}
	public, err := ssh.NewPublicKey(&private.PublicKey)
	if err != nil {
		return "", fmt.Errorf("cannot generate an SSH key: %w", err)
	}
	return base64.StdEncoding.EncodeToString(ssh.MarshalAuthorizedKey(public)), nil
}

// fillNetwork writes the address ranges down when a cluster is made: they would be others when it changes to the mode overlay,
// but those of a network that is in use cannot change.
func fillNetwork(obj, old *unstructured.Unstructured) {
	network, subnet := aksnetwork.Ranges(specNetworkPluginMode.Value(obj) == "overlay",
		cmp.Or(specNetworkRange.Value(obj), specNetworkRange.Value(old)), cmp.Or(specSubnetRange.Value(obj), specSubnetRange.Value(old)))
	for _, f := range []struct {
		path  field.Path[string]
		value string
	}{{specNetworkRange, network}, {specSubnetRange, subnet}} {
		if f.path.Value(obj) == "" {
			set(obj, f.path, f.value)
		}
	}
}

// set writes a field, unless what it would be in is no object: the schema refuses that.
func set(obj *unstructured.Unstructured, path field.Path[string], value string) {
	_ = path.Set(obj, value)
}

func setLabel(obj *unstructured.Unstructured, name, value string) {
	labels := obj.GetLabels()
	if labels == nil {
		labels = map[string]string{}
	}
	labels[name] = value
	obj.SetLabels(labels)
}
