package endure

import (
	"context"
	"errors"
	"sync/atomic"
	"testing"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
)

// TestCrush counts what is refused as too many, and nothing else.
func TestCrush(t *testing.T) {
	ctx, cancel := context.WithTimeout(context.Background(), 200*time.Millisecond)
	defer cancel()
	var sent atomic.Int64
	refused := crush(ctx, 30, func() error {
		switch sent.Add(1) % 3 {
		case 0:
			return apierrors.NewTooManyRequests("too many", 1)
		case 1:
			return errors.New("down")
		}
		<-ctx.Done()
		return nil
	})
	if sent.Load() != 30 || refused != 10 {
		t.Errorf("%d of %d were refused, want 10 of 30", refused, sent.Load())
	}
}
