// Package patch is what becomes of an object that a webhook of CAPZ's has filled in.
package patch

import "k8s.io/apimachinery/pkg/runtime"

// Fill has a webhook fill in an object, which it reads and writes by a Go type, as the webhook's server does. Into is an empty value of the type.
func Fill(object map[string]any, into any, webhook func() error) (map[string]any, error) {
	if err := runtime.DefaultUnstructuredConverter.FromUnstructured(object, into); err != nil {
		return nil, err
	}
	before, err := runtime.DefaultUnstructuredConverter.ToUnstructured(into)
	if err != nil {
		return nil, err
	}
	if err := webhook(); err != nil {
		return nil, err
	}
	after, err := runtime.DefaultUnstructuredConverter.ToUnstructured(into)
	if err != nil {
		return nil, err
	}
	Keep(object, before, after)
	return after, nil
}

// Keep puts back into an object what the webhook has not taken away: fields of the manifest that its Go type cannot write, such as a false
// that is left out when it is empty. Before is the manifest as the Go type writes it, after what the webhook has made of that. It is what
// controller-runtime does with removals that a webhook's Go type makes by itself.
func Keep(manifest, before, after map[string]any) {
	for field, value := range manifest {
		if _, written := before[field]; !written {
			if _, filled := after[field]; !filled {
				after[field] = value
			}
			continue
		}
		keep(value, before[field], after[field])
	}
}

func keep(manifest, before, after any) {
	switch m := manifest.(type) {
	case map[string]any:
		b, wasObject := before.(map[string]any)
		a, isObject := after.(map[string]any)
		if wasObject && isObject {
			Keep(m, b, a)
		}
	case []any:
		b, wasList := before.([]any)
		a, isList := after.([]any)
		if wasList && isList && len(m) == len(b) && len(b) <= len(a) {
			for i := range m {
				keep(m[i], b[i], a[i])
			}
		}
	}
}
