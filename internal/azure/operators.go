package azure

import (
	"context"
	"fmt"
	"iter"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/crossplane-capz/crossplane-capz/internal/aso"
)

// SettingsSecret is the Secret with ASO's own settings, where ASO runs.
const SettingsSecret = "aso-controller-settings"

// DefaultOperatorNamespaces are where ASO runs by its own documentation, and where Cluster API Provider Azure brings it.
func DefaultOperatorNamespaces() []string {
	return []string{"azureserviceoperator-system", "capz-system"}
}

// Operators reads the settings of the ASOs of the cluster. What they say is trusted: to which host a token is sent, for instance.
// So an administrator says in which namespaces they may be; the annotation on an object is whoever's who writes the object.
type Operators struct {
	// Secrets reads Secrets as they are now.
	Secrets client.Reader
	// Namespaces are where ASO may run; empty means DefaultOperatorNamespaces.
	Namespaces []string
}

func (o Operators) namespaces() []string {
	if len(o.Namespaces) == 0 {
		return DefaultOperatorNamespaces()
	}
	return o.Namespaces
}

// Has reports whether a Secret has an ASO's settings.
func (o Operators) Has(key client.ObjectKey) bool {
	return key.Name == SettingsSecret && slices.Contains(o.namespaces(), key.Namespace)
}

// of returns the settings of the ASO that manages obj; nil when obj does not say where that runs, or it has none.
func (o Operators) of(ctx context.Context, obj client.Object) (*corev1.Secret, error) {
	namespace := obj.GetAnnotations()[OperatorNamespaceAnnotation]
	if namespace == aso.OperatorNone {
		var err error
		if namespace, err = o.Sole(ctx, obj.GetNamespace()); err != nil { // Which is to take it up.
			return nil, err
		}
	}
	if namespace == "" {
		return nil, nil
	}
	if !slices.Contains(o.namespaces(), namespace) {
		return nil, fmt.Errorf("annotation %s is %q; it must be %s, where Azure Service Operator may run by the settings of provider-capz "+
			"(spec.azureServiceOperatorNamespaces of ProviderConfig default)", OperatorNamespaceAnnotation, namespace, strings.Join(o.namespaces(), " or "))
	}
	secret, err := optional(ctx, o.Secrets, client.ObjectKey{Namespace: namespace, Name: SettingsSecret})
	if err == nil && secret != nil && !settings(secret.Data).serves(obj.GetNamespace()) {
		return nil, fmt.Errorf("annotation %s is %q, but by %s of Secret %s/%s Azure Service Operator there does not serve namespace %s",
			OperatorNamespaceAnnotation, namespace, keyTargetNamespaces, namespace, SettingsSecret, obj.GetNamespace())
	}
	return secret, err
}

// An Operator is what an ASO works by.
type Operator struct {
	// Secret names its settings.
	Secret   client.ObjectKey
	settings settings
}

// For returns the first ASO that has settings and serves a namespace; without any, one with the defaults that ASO has then.
func (o Operators) For(ctx context.Context, served string) (Operator, error) {
	for secret, err := range o.serving(ctx, served) {
		if err != nil {
			return Operator{}, err
		}
		return Operator{Secret: client.ObjectKeyFromObject(secret), settings: secret.Data}, nil
	}
	return Operator{Secret: client.ObjectKey{Namespace: o.namespaces()[0], Name: SettingsSecret}}, nil
}

// Sole returns in which namespace the only ASO is that has settings and acts on objects of a namespace; empty when there is none or more
// than one.
func (o Operators) Sole(ctx context.Context, served string) (string, error) {
	sole := ""
	for secret, err := range o.serving(ctx, served) {
		switch {
		case err != nil:
			return "", err
		case settings(secret.Data).text(keyOperatorMode) == modeWebhooks:
		case sole != "":
			return "", nil
		default:
			sole = secret.Namespace
		}
	}
	return sole, nil
}

// serving reads the settings of one ASO after another that serves a namespace, until one cannot be read.
func (o Operators) serving(ctx context.Context, served string) iter.Seq2[*corev1.Secret, error] {
	return func(yield func(*corev1.Secret, error) bool) {
		for _, namespace := range o.namespaces() {
			secret, err := optional(ctx, o.Secrets, client.ObjectKey{Namespace: namespace, Name: SettingsSecret})
			if err != nil {
				yield(nil, err)
				return
			}
			if secret != nil && settings(secret.Data).serves(served) && !yield(secret, nil) {
				return
			}
		}
	}
}

// Cloud returns the cloud that ASO works in, by its authority host; not ok when it is none of the known ones.
func (o Operator) Cloud() (Cloud, bool) {
	return cloudAt(o.settings.cloud().ActiveDirectoryAuthorityHost)
}

// AnyCloud reports whether a credential Secret may name another cloud.
func (o Operator) AnyCloud() (bool, error) { return o.settings.flag(keyMultiEnvironment) }

// AnyCloudKey is the key of its settings that allows it.
const AnyCloudKey = keyMultiEnvironment

func optional(ctx context.Context, secrets client.Reader, key client.ObjectKey) (*corev1.Secret, error) {
	secret := &corev1.Secret{}
	err := secrets.Get(ctx, key, secret)
	if apierrors.IsNotFound(err) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("cannot read credential Secret %s: %w", key, err)
	}
	return secret, nil
}
