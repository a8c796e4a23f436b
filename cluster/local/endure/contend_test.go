package endure

import (
	"context"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"
)

// TestTouch has who has read an object before be refused, and leaves alone what is being deleted.
func TestTouch(t *testing.T) {
	ctx := context.Background()
	stays, goes := object(poolKind, "life-1", "stays"), object(poolKind, "life-1", "goes")
	goes.SetFinalizers([]string{"some/finalizer"})
	now := metav1.Now()
	goes.SetDeletionTimestamp(&now)
	c := fake.NewClientBuilder().WithObjects(stays, goes).Build()
	before := object(poolKind, "life-1", "stays")
	if err := c.Get(ctx, client.ObjectKeyFromObject(before), before); err != nil {
		t.Fatal(err)
	}
	if written := touch(ctx, c, []unstructured.Unstructured{*before.DeepCopy(), *goes, *object(poolKind, "life-1", "absent")}, 7); written != 1 {
		t.Errorf("%d objects were written, want 1", written)
	}
	if err := c.Update(ctx, before); err == nil {
		t.Error("who has read the object before can still write it")
	}
	after := object(poolKind, "life-1", "stays")
	if err := c.Get(ctx, client.ObjectKeyFromObject(after), after); err != nil || after.GetAnnotations()[touched] != "7" {
		t.Errorf("annotations %v, error %v", after.GetAnnotations(), err)
	}
}
