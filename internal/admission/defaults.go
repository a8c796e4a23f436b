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
)

// DefaultsPath is where the webhook of defaults is served; package/generate/webhooks.yaml.tmpl has it too.
const DefaultsPath = "/default-azuremanaged"

// sshKeyBits is the size of a generated SSH key.
const sshKeyBits = 2048

// A Defaulter writes into new objects of the typed AKS kinds what could not be found out again later, or would come out
// different, and into an AzureASOManagedControlPlane with an identity its subscription. All other defaults are in the schema, or where the ASO objects are made.
type Defaulter struct {
	// SubscriptionID is that of control planes which name none; empty means that they have to.
	SubscriptionID string
	// Scope returns the objects to act on now; nil means all.
	Scope func() Scope
}

// Register serves the webhook at DefaultsPath.
func (d *Defaulter) Register(server webhook.Server) {
	server.Register(DefaultsPath, &webhook.Admission{Handler: d})
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

// fill writes the defaults of an object of a kind; old is empty when it is new.
func (d *Defaulter) fill(kind string, obj, old *unstructured.Unstructured) error {
	switch kind {
	case asoControlPlaneKind:
		// Without an identity the subscription is that of the credential which ASO finds.
		if _, asked, _ := unstructured.NestedMap(obj.Object, "spec", "identityRef"); asked {
			d.fillSubscription(obj, old)
		}
		return nil
	case managedPoolKind:
		if mode := text(obj, "spec", "mode"); mode != "" {
			setLabel(obj, v1beta1.LabelAgentPoolMode, mode)
		}
		return nil
	case managedPoolTemplateKind:
		// The pools of a topology have generated names, which AKS does not take.
		if name := obj.GetName(); name != "" && text(obj, "spec", "template", "spec", "name") == "" {
			set(obj, name, "spec", "template", "spec", "name")
		}
		return nil
	}
	if version := text(obj, "spec", "version"); version != withV(version) {
		set(obj, withV(version), "spec", "version")
	}
	d.fillSubscription(obj, old)
	fillNetwork(obj, old)
	return fillSSHKey(obj, old)
}

// fillSubscription writes the subscription into a new control plane, and keeps it afterwards.
func (d *Defaulter) fillSubscription(obj, old *unstructured.Unstructured) {
	if text(obj, "spec", "subscriptionID") != "" {
		return
	}
	subscription := text(old, "spec", "subscriptionID")
	if len(old.Object) == 0 {
		subscription = d.SubscriptionID
	}
	if subscription != "" {
		set(obj, subscription, "spec", "subscriptionID")
	}
}

// fillSSHKey generates a key where an empty one is asked for, and keeps it afterwards. Nobody has its private half: it is for
// clusters that nobody is to log in to.
func fillSSHKey(obj, old *unstructured.Unstructured) error {
	path := []string{"spec", "sshPublicKey"}
	key, asked, err := unstructured.NestedString(obj.Object, path...)
	if err != nil || !asked || key != "" {
		return nil //nolint:nilerr // The schema refuses what is no text.
	}
	if before := text(old, path...); before != "" {
		set(obj, before, path...)
		return nil
	}
	private, err := rsa.GenerateKey(rand.Reader, sshKeyBits)
	if err != nil {
		return fmt.Errorf("cannot generate an SSH key: %w", err)
	}
	public, err := ssh.NewPublicKey(&private.PublicKey)
	if err != nil {
		return fmt.Errorf("cannot generate an SSH key: %w", err)
	}
	set(obj, base64.StdEncoding.EncodeToString(ssh.MarshalAuthorizedKey(public)), path...)
	return nil
}

// fillNetwork writes the address ranges down when a cluster is made: they would be others when it changes to the mode overlay,
// but those of a network that is in use cannot change.
func fillNetwork(obj, old *unstructured.Unstructured) {
	networkPath, subnetPath := []string{"spec", "virtualNetwork", "cidrBlock"}, []string{"spec", "virtualNetwork", "subnet", "cidrBlock"}
	network, subnet := aksnetwork.Ranges(text(obj, "spec", "networkPluginMode") == "overlay",
		cmp.Or(text(obj, networkPath...), text(old, networkPath...)), cmp.Or(text(obj, subnetPath...), text(old, subnetPath...)))
	for _, f := range []struct {
		path  []string
		value string
	}{{networkPath, network}, {subnetPath, subnet}} {
		if text(obj, f.path...) == "" {
			set(obj, f.value, f.path...)
		}
	}
}

func text(obj *unstructured.Unstructured, path ...string) string {
	value, _, _ := unstructured.NestedString(obj.Object, path...)
	return value
}

// set writes a field, unless what it would be in is no object: the schema refuses that.
func set(obj *unstructured.Unstructured, value string, path ...string) {
	_ = unstructured.SetNestedField(obj.Object, value, path...)
}

func setLabel(obj *unstructured.Unstructured, name, value string) {
	labels := obj.GetLabels()
	if labels == nil {
		labels = map[string]string{}
	}
	labels[name] = value
	obj.SetLabels(labels)
}
