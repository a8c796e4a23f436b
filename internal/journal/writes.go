package journal

import (
	"context"
	"errors"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/rest"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/interceptor"

	"github.com/crossplane-capz/crossplane-capz/apis/provider/v1alpha1"
)

// debug is the verbosity of what is logged with --debug only.
const debug = 1

// NewClient returns a client of the management cluster that logs as Logging says, as a manager's option NewClient wants it.
func NewClient(config *rest.Config, options client.Options) (client.Client, error) {
	c, err := client.NewWithWatch(config, options)
	if err != nil {
		return nil, err
	}
	return Logging(c), nil
}

// Logging returns a client that logs each write that has succeeded or may have, with the logger of its context.
func Logging(c client.WithWatch) client.Client {
	return interceptor.NewClient(c, interceptor.Funcs{
		Create: func(ctx context.Context, c client.WithWatch, obj client.Object, options ...client.CreateOption) error {
			return logged(ctx, c, "Created", obj, c.Create(ctx, obj, options...))
		},
		Update: func(ctx context.Context, c client.WithWatch, obj client.Object, options ...client.UpdateOption) error {
			return logged(ctx, c, "Updated", obj, c.Update(ctx, obj, options...))
		},
		Delete: func(ctx context.Context, c client.WithWatch, obj client.Object, options ...client.DeleteOption) error {
			return logged(ctx, c, "Deleted", obj, c.Delete(ctx, obj, options...))
		},
		Patch: func(ctx context.Context, c client.WithWatch, obj client.Object, patch client.Patch, options ...client.PatchOption) error {
			kept := &keptPatch{Patch: patch}
			return kept.logged(ctx, c, "Patched", obj, c.Patch(ctx, obj, kept, options...))
		},
		SubResourcePatch: func(ctx context.Context, c client.Client, name string, obj client.Object, patch client.Patch, options ...client.SubResourcePatchOption) error {
			kept := &keptPatch{Patch: patch}
			return kept.logged(ctx, c, "Patched "+name, obj, c.SubResource(name).Patch(ctx, obj, kept, options...))
		},
		Apply: func(ctx context.Context, c client.WithWatch, obj runtime.ApplyConfiguration, options ...client.ApplyOption) error {
			var changed fields
			if content, ok := obj.(runtime.Unstructured); ok {
				changed.read(nil, content.UnstructuredContent())
			}
			err := c.Apply(ctx, obj, options...)
			if written, ok := obj.(client.Object); ok {
				return logged(ctx, c, "Applied", written, err, changed.keysAndValues()...)
			}
			return err
		},
	})
}

// logged logs a write unless the API server has refused it, and returns how it ended.
func logged(ctx context.Context, c client.Client, what string, obj client.Object, err error, more ...any) error {
	if refusal := apierrors.APIStatus(nil); errors.As(err, &refusal) {
		return err
	}
	if err != nil {
		what += ", or not: there was no answer" // The settings changed, or the connection was lost, when it may have been done.
	}
	log := ctrl.LoggerFrom(ctx)
	if _, ok := obj.(*v1alpha1.ClusterFacts); ok {
		log = log.V(debug) // They repeat what other objects say, many times.
	}
	log.Info(what, append(about(c, obj), more...)...)
	return err
}

// about returns the keys and values that say which object something is about. An object has the logger's own namespace and name, too, which are
// those of what is reconciled.
func about(c client.Client, obj client.Object) []any {
	kind := obj.GetObjectKind().GroupVersionKind().Kind
	if gvk, err := c.GroupVersionKindFor(obj); err == nil {
		kind = gvk.Kind
	}
	return []any{"kind", kind, "object", client.ObjectKeyFromObject(obj).String()}
}

// A keptPatch remembers what is sent, as the object that it is computed from has the answer afterwards.
type keptPatch struct {
	client.Patch

	data []byte
}

// Data implements client.Patch.
func (p *keptPatch) Data(obj client.Object) (data []byte, err error) {
	data, err = p.Patch.Data(obj)
	p.data = data
	return data, err
}

func (p *keptPatch) logged(ctx context.Context, c client.Client, what string, obj client.Object, err error) error {
	changed := fieldsOf(p.Type(), p.data)
	if changed.none() {
		return err
	}
	return logged(ctx, c, what, obj, err, changed.keysAndValues()...)
}
