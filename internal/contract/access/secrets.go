package access

import (
	"context"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/utils/lru"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// rememberedSecrets is how many Secrets are kept: one for each of as many Clusters.
const rememberedSecrets = 2048

// A SecretReader reads Secrets from the API server, each once for every version that it has. It is for credentials, which every look at a
// resource in Azure needs and which hardly ever change.
type SecretReader struct {
	client.Reader

	metadata client.Reader
	versions *lru.Cache
}

// NewSecretReader returns a reader that has read nothing yet. Live reads from the API server itself; metadata reads the metadata of Secrets from
// a cache, whose events are those that lead to a new look when a Secret changes.
func NewSecretReader(live, metadata client.Reader) *SecretReader {
	return &SecretReader{Reader: live, metadata: metadata, versions: lru.New(rememberedSecrets)}
}

// Get implements client.Reader. What the cache does not have is not found: who needs it looks again when it comes. Where the cache has nothing of
// the namespace, each time is read from the API server.
func (r *SecretReader) Get(ctx context.Context, key client.ObjectKey, obj client.Object, opts ...client.GetOption) error {
	secret, ok := obj.(*corev1.Secret)
	if !ok {
		return r.Reader.Get(ctx, key, obj, opts...)
	}
	current := Metadata(corev1.SchemeGroupVersion.WithKind("Secret"))
	switch err := r.metadata.Get(ctx, key, current); {
	case apierrors.IsNotFound(err):
		r.versions.Remove(key)
		return err
	case err == nil:
		if known, has := r.versions.Get(key); has && known.(*corev1.Secret).ResourceVersion == current.ResourceVersion {
			known.(*corev1.Secret).DeepCopyInto(secret)
			return nil
		}
	}
	if err := r.Reader.Get(ctx, key, secret, opts...); err != nil {
		r.versions.Remove(key)
		return err
	}
	r.versions.Add(key, secret.DeepCopy())
	return nil
}
