package composertest

import (
	"strings"
	"testing"
	"time"

	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"
	"google.golang.org/protobuf/proto"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/crossplane-capz/crossplane-capz/internal/test/hostile"
)

const (
	// mostAnswer is the largest answer that Crossplane reads: what gRPC takes where nobody says otherwise.
	mostAnswer = 4 << 20
	// longestCall is far more than an answer takes, also on a busy machine.
	longestCall = 20 * time.Second
)

// Withstand settles a request that nobody thought of, and checks what every answer must be: one that Crossplane can read,
// the same for the same request, about its own namespace (see Escapes), and no panic's. It returns the last answer.
func (c Composers) Withstand(t testing.TB, w World, req *fnv1.RunFunctionRequest) *fnv1.RunFunctionResponse {
	t.Helper()
	begun := time.Now()
	rsp, calls := c.settle(t, w, req)
	if took := time.Since(begun); took > longestCall {
		t.Fatalf("%d calls took %s", calls, took)
	}
	before := wire(t, req)
	if strings.Contains(Fatal(rsp), "internal error") {
		t.Fatalf("panic: %s", Fatal(rsp))
	}
	if size := len(wire(t, rsp)); size > mostAnswer {
		t.Fatalf("the answer has %d bytes, which Crossplane does not read; the request has %d", size, len(before))
	}
	if string(wire(t, rsp)) != string(wire(t, c.Run(req))) {
		t.Error("two answers to one request")
	}
	if string(before) != string(wire(t, req)) {
		t.Error("the request has been changed")
	}
	return rsp
}

func wire(t testing.TB, m proto.Message) []byte {
	t.Helper()
	b, err := proto.MarshalOptions{Deterministic: true}.Marshal(m)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// Odd returns a copy of the object that is changed as data says, but for what the API server makes sure of: who it is.
func Odd(o *unstructured.Unstructured, data []byte) *unstructured.Unstructured {
	odd := &unstructured.Unstructured{Object: hostile.Object(o.Object, data)}
	metadata, ok := odd.Object["metadata"].(map[string]any)
	if !ok {
		metadata = map[string]any{}
		odd.Object["metadata"] = metadata
	}
	odd.Object["apiVersion"], odd.Object["kind"] = o.GetAPIVersion(), o.GetKind()
	metadata["name"], metadata["uid"] = o.GetName(), string(o.GetUID())
	delete(metadata, "namespace")
	if o.GetNamespace() != "" {
		metadata["namespace"] = o.GetNamespace()
	}
	return odd
}
