package workload

import (
	"encoding/json"
	"mime"
	"net/http"

	jsonpatch "gopkg.in/evanphx/json-patch.v4"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/strategicpatch"
	"sigs.k8s.io/yaml"
)

// patchNode applies the patch in the request. Server-side apply is merged strategically: field ownership is not kept,
// so a field that an applier stops giving stays.
func (h *handler) patchNode(w http.ResponseWriter, r *http.Request, name string) (*corev1.Node, error) {
	raw, err := readBody(w, r)
	if err != nil {
		return nil, err
	}
	kind, _, err := mime.ParseMediaType(r.Header.Get("Content-Type"))
	if err != nil {
		return nil, apierrors.NewBadRequest(err.Error())
	}
	return h.server.nodes.update(name, func(n *corev1.Node) (*corev1.Node, error) {
		document, err := json.Marshal(n)
		if err != nil {
			return nil, err
		}
		patched, err := applyPatch(types.PatchType(kind), document, raw)
		if err != nil {
			return nil, apierrors.NewBadRequest(err.Error())
		}
		out := &corev1.Node{}
		return out, decodeInto(patched, out)
	})
}

func applyPatch(kind types.PatchType, document, patch []byte) ([]byte, error) {
	switch kind {
	case types.JSONPatchType:
		operations, err := jsonpatch.DecodePatch(patch)
		if err != nil {
			return nil, err
		}
		return operations.Apply(document)
	case types.MergePatchType:
		return jsonpatch.MergePatch(document, patch)
	case types.StrategicMergePatchType:
		return strategicpatch.StrategicMergePatch(document, patch, corev1.Node{})
	case types.ApplyYAMLPatchType:
		asJSON, err := yaml.YAMLToJSON(patch)
		if err != nil {
			return nil, err
		}
		return strategicpatch.StrategicMergePatch(document, asJSON, corev1.Node{})
	}
	return nil, apierrors.NewGenericServerResponse(http.StatusUnsupportedMediaType, "patch", nodeResource, "", "unsupported patch type "+string(kind), 0, true)
}
