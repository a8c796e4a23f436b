package stack

import (
	"encoding/base64"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"github.com/drone/envsubst/v2"
	"helm.sh/helm/v3/pkg/chart/loader"
	"helm.sh/helm/v3/pkg/chartutil"
	"helm.sh/helm/v3/pkg/engine"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/kustomize/api/krusty"
	"sigs.k8s.io/kustomize/kyaml/filesys"

	"github.com/crossplane-capz/crossplane-capz/internal/kubeyaml"
)

// manifests are objects to install, in the order given.
type manifests []*unstructured.Unstructured

// readManifests returns the objects of a YAML file, or of every *.yaml file below a folder.
func readManifests(path string) (manifests, error) { return kubeyaml.Read(path) }

// renderChart returns the objects of a Helm chart installed under a release name into a namespace.
func renderChart(dir, release, namespace string, values map[string]any) (manifests, error) {
	chart, err := loader.LoadDir(dir)
	if err != nil {
		return nil, err
	}
	options := chartutil.ReleaseOptions{Name: release, Namespace: namespace, Revision: 1, IsInstall: true}
	all, err := chartutil.ToRenderValues(chart, values, options, chartutil.DefaultCapabilities)
	if err != nil {
		return nil, err
	}
	files, err := engine.Render(chart, all)
	if err != nil {
		return nil, err
	}
	var objects manifests
	for _, name := range slices.Sorted(maps.Keys(files)) {
		if filepath.Ext(name) != ".yaml" {
			continue
		}
		more, err := kubeyaml.Parse([]byte(files[name]))
		if err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		objects = append(objects, more...)
	}
	return objects, nil
}

// renderKustomization returns the objects that kustomize makes of a folder. Variables get their defaults, as `clusterctl init` gives
// them when the environment has none.
func renderKustomization(dir string) (manifests, error) {
	result, err := krusty.MakeKustomizer(krusty.MakeDefaultOptions()).Run(filesys.MakeFsOnDisk(), dir)
	if err != nil {
		return nil, err
	}
	raw, err := result.AsYaml()
	if err != nil {
		return nil, err
	}
	filled, err := envsubst.Eval(string(raw), func(string) string { return "" })
	if err != nil {
		return nil, err
	}
	return kubeyaml.Parse([]byte(filled))
}

// podKinds are of use to pods only, or are served by what is not installed: components are processes here.
var podKinds = []string{"Deployment", "Service", "PodDisruptionBudget", "NetworkPolicy", "Certificate", "Issuer"}

// withoutPods returns the objects that matter to a component which is not a pod.
func (m manifests) withoutPods() manifests {
	return m.where(func(u *unstructured.Unstructured) bool { return !slices.Contains(podKinds, u.GetKind()) })
}

func (m manifests) where(keep func(*unstructured.Unstructured) bool) manifests {
	var kept manifests
	for _, u := range m {
		if keep(u) {
			kept = append(kept, u)
		}
	}
	return kept
}

func (m manifests) kind(kinds ...string) manifests {
	return m.where(func(u *unstructured.Unstructured) bool { return slices.Contains(kinds, u.GetKind()) })
}

func (m manifests) notKind(kinds ...string) manifests {
	return m.where(func(u *unstructured.Unstructured) bool { return !slices.Contains(kinds, u.GetKind()) })
}

const (
	crdKind          = "CustomResourceDefinition"
	mutatingKind     = "MutatingWebhookConfiguration"
	validatingKind   = "ValidatingWebhookConfiguration"
	webhookURLPrefix = "https://127.0.0.1:"
)

// serveWebhooks makes the API server call webhooks and conversions of the objects at a port of this machine, in place
// of a Service.
func (m manifests) serveWebhooks(port int, ca []byte) error {
	for _, u := range m {
		switch u.GetKind() {
		case crdKind:
			config, found, err := unstructured.NestedMap(u.Object, "spec", "conversion", "webhook", "clientConfig")
			if err != nil {
				return fmt.Errorf("%s: %w", u.GetName(), err)
			}
			if !found {
				continue
			}
			redirect(config, port, ca)
			if err := unstructured.SetNestedMap(u.Object, config, "spec", "conversion", "webhook", "clientConfig"); err != nil {
				return fmt.Errorf("%s: %w", u.GetName(), err)
			}
		case mutatingKind, validatingKind:
			if err := eachWebhook(u, func(webhook map[string]any) bool {
				config, ok := webhook["clientConfig"].(map[string]any)
				if ok {
					redirect(config, port, ca)
				}
				return ok
			}); err != nil {
				return err
			}
		}
	}
	return nil
}

// redirect turns a clientConfig's service into a URL.
func redirect(config map[string]any, port int, ca []byte) {
	path, _, _ := unstructured.NestedString(config, "service", "path")
	delete(config, "service")
	config["url"] = fmt.Sprintf("%s%d/%s", webhookURLPrefix, port, strings.TrimPrefix(path, "/"))
	config["caBundle"] = base64.StdEncoding.EncodeToString(ca)
}

// eachWebhook visits the webhooks of a configuration and keeps those for which keep is true.
func eachWebhook(u *unstructured.Unstructured, keep func(map[string]any) bool) error {
	all, _, err := unstructured.NestedSlice(u.Object, "webhooks")
	if err != nil {
		return fmt.Errorf("%s: %w", u.GetName(), err)
	}
	kept := []any{}
	for _, w := range all {
		webhook, ok := w.(map[string]any)
		if !ok {
			return fmt.Errorf("%s: a webhook is no object but %T", u.GetName(), w)
		}
		if keep(webhook) {
			kept = append(kept, webhook)
		}
	}
	return unstructured.SetNestedSlice(u.Object, kept, "webhooks")
}
