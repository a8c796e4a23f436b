package workload

import (
	"fmt"
	"io"
	"mime"
	"net/http"
	"strings"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/kubernetes/scheme"
)

// maxBody bounds a request's body.
const maxBody = 3 << 20

// negotiate returns the serializer for the first media type of the Accept header that there is one for, else JSON's.
func negotiate(r *http.Request) runtime.SerializerInfo {
	supported := scheme.Codecs.SupportedMediaTypes()
	for _, accepted := range strings.Split(r.Header.Get("Accept"), ",") {
		mediaType, parameters, err := mime.ParseMediaType(strings.TrimSpace(accepted))
		if err != nil || parameters["as"] != "" {
			continue
		}
		if info, ok := runtime.SerializerInfoForMediaType(supported, mediaType); ok && mediaType != "" {
			return info
		}
	}
	info, _ := runtime.SerializerInfoForMediaType(supported, runtime.ContentTypeJSON)
	return info
}

// wantsTable tells whether the client asks for the printed form of a list.
func wantsTable(r *http.Request) bool {
	for _, accepted := range strings.Split(r.Header.Get("Accept"), ",") {
		if _, parameters, err := mime.ParseMediaType(strings.TrimSpace(accepted)); err == nil {
			return parameters["as"] == "Table" && parameters["g"] == metav1.GroupName
		}
	}
	return false
}

func write(w http.ResponseWriter, r *http.Request, status int, object runtime.Object) {
	info := negotiate(r)
	w.Header().Set("Content-Type", info.MediaType)
	w.WriteHeader(status)
	_ = scheme.Codecs.EncoderForVersion(info.Serializer, versionOf(object)).Encode(object, w) // a client that went away needs no answer
}

func versionOf(object runtime.Object) schema.GroupVersion {
	if gv := object.GetObjectKind().GroupVersionKind().GroupVersion(); !gv.Empty() {
		return gv
	}
	return schema.GroupVersion{Version: "v1"}
}

// writeError answers with the Status that err stands for.
func writeError(w http.ResponseWriter, r *http.Request, err error) {
	write(w, r, statusOf(err), toStatus(err))
}

func toStatus(err error) *metav1.Status {
	status := apierrors.NewInternalError(err).Status()
	if known, ok := err.(apierrors.APIStatus); ok {
		status = known.Status()
	}
	status.TypeMeta = metav1.TypeMeta{APIVersion: "v1", Kind: "Status"}
	return &status
}

func readBody(w http.ResponseWriter, r *http.Request) ([]byte, error) {
	raw, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxBody))
	if err != nil {
		return nil, apierrors.NewBadRequest(err.Error())
	}
	return raw, nil
}

// decodeInto decodes a JSON or protobuf body.
func decodeInto(raw []byte, into runtime.Object) error {
	decoded, kind, err := scheme.Codecs.UniversalDeserializer().Decode(raw, nil, into)
	if err != nil {
		return apierrors.NewBadRequest(err.Error())
	}
	if decoded != into {
		return apierrors.NewBadRequest(fmt.Sprintf("%s in version %q cannot be handled as a %T", kind.Kind, kind.GroupVersion(), into))
	}
	return nil
}
