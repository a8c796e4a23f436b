package takeover

import (
	"bytes"
	"compress/gzip"
	"context"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"slices"
	"strconv"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/crossplane-capz/crossplane-capz/internal/field"
	"github.com/crossplane-capz/crossplane-capz/internal/walk"
)

// keptName is the ConfigMap, in CAPZ's namespace, with what the takeover replaces or removes of CAPZ: its definitions, its webhook configurations and
// the number of its replicas. It is the way back.
const keptName = "crossplane-capz-takeover"

var (
	keptReplicas = field.At[string]("data", "replicas")
	keptObjects  = field.At[map[string]any]("binaryData")
)

// keep returns the ConfigMap that keeps objects.
func keep(namespace string, replicas int64, objects []*unstructured.Unstructured) (*unstructured.Unstructured, error) {
	kept := &unstructured.Unstructured{Object: map[string]any{}}
	kept.SetGroupVersionKind(configMapKind)
	kept.SetNamespace(namespace)
	kept.SetName(keptName)
	content := map[string]any{}
	for _, o := range objects {
		packed, err := pack(o)
		if err != nil {
			return nil, fmt.Errorf("%s %s: %w", o.GetKind(), o.GetName(), err)
		}
		content[o.GetKind()+"."+o.GetName()] = packed
	}
	if err := keptReplicas.Set(kept, strconv.FormatInt(replicas, 10)); err != nil {
		return nil, err
	}
	return kept, keptObjects.Set(kept, content)
}

// pack returns an object as JSON, compressed, in the form of binary data in JSON. What the API server writes itself is left out.
func pack(o *unstructured.Unstructured) (string, error) {
	o = o.DeepCopy()
	for _, name := range []string{"managedFields", "resourceVersion", "uid", "generation", "creationTimestamp"} {
		unstructured.RemoveNestedField(o.Object, "metadata", name)
	}
	unstructured.RemoveNestedField(o.Object, "status")
	raw, err := json.Marshal(o)
	if err != nil {
		return "", err
	}
	var packed bytes.Buffer
	writer := gzip.NewWriter(&packed)
	if _, err := writer.Write(raw); err != nil {
		return "", err
	}
	if err := writer.Close(); err != nil {
		return "", err
	}
	return base64.StdEncoding.EncodeToString(packed.Bytes()), nil
}

// unpack returns the objects that a ConfigMap keeps, in the order of their names.
func unpack(kept *unstructured.Unstructured) ([]*unstructured.Unstructured, error) {
	content := keptObjects.Value(kept)
	var all []*unstructured.Unstructured
	for _, name := range slices.Sorted(maps.Keys(content)) {
		o, err := unpackOne(field.Text(content[name]))
		if err != nil {
			return nil, fmt.Errorf("%s of ConfigMap %s/%s: %w", name, kept.GetNamespace(), kept.GetName(), err)
		}
		all = append(all, o)
	}
	return all, nil
}

func unpackOne(packed string) (*unstructured.Unstructured, error) {
	compressed, err := base64.StdEncoding.DecodeString(packed)
	if err != nil {
		return nil, err
	}
	reader, err := gzip.NewReader(bytes.NewReader(compressed))
	if err != nil {
		return nil, err
	}
	raw, err := io.ReadAll(reader)
	if err != nil {
		return nil, err
	}
	o := &unstructured.Unstructured{}
	return o, o.UnmarshalJSON(raw)
}

// kept returns the ConfigMap that keeps what was CAPZ's; nil when there is none.
func (w *Walk) kept(ctx context.Context) (*unstructured.Unstructured, error) {
	deployment, err := w.capz(ctx)
	if err != nil || deployment == nil {
		return nil, err
	}
	return w.Get(ctx, configMapKind, deployment.GetNamespace(), keptName)
}

// keepCAPZ keeps what the way back needs.
func (w *Walk) keepCAPZ(ctx context.Context) ([]walk.Change, error) {
	kept, err := w.kept(ctx)
	if err != nil || kept != nil {
		return nil, err
	}
	deployment, err := w.capz(ctx)
	if err != nil {
		return nil, err
	}
	definitions, err := w.definitions(ctx)
	if err != nil {
		return nil, err
	}
	webhooks, err := w.webhooks(ctx)
	if err != nil {
		return nil, err
	}
	kept, err = keep(deployment.GetNamespace(), replicas.Value(deployment), slices.Concat(definitions, webhooks))
	if err != nil {
		return nil, err
	}
	what := fmt.Sprintf("is made, with CAPZ's %d definitions and %d webhook configurations as they are, for the way back", len(definitions), len(webhooks))
	return []walk.Change{walk.ChangeOf(kept, what, func(ctx context.Context) error {
		return w.Client.Create(ctx, kept, client.FieldOwner(FieldOwner))
	})}, nil
}
