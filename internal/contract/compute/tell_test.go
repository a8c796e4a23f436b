package compute

import (
	"context"
	"errors"
	"fmt"
	"testing"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/crossplane-capz/crossplane-capz/internal/contract/fixture"
	"github.com/crossplane-capz/crossplane-capz/internal/machines"
)

// TestTell tells users what Azure or a mistake of theirs keeps from being done, and not what the API server has answered.
func TestTell(t *testing.T) {
	generic := apierrors.NewGenericServerResponse(500, "GET", schema.GroupResource{}, "vm", "conversion webhook failed", 0, true)
	cases := map[string]struct {
		err  error
		want int
	}{
		"nothing":                       {nil, 0},
		"Azure":                         {fmt.Errorf("cannot read: %w", &machines.Answer{Status: 403, Code: "AuthorizationFailed", Message: "no"}), 1},
		"a conflict":                    {fmt.Errorf("cannot write: %w", apierrors.NewConflict(schema.GroupResource{}, "vm", errors.New("other"))), 0},
		"an API server that has failed": {fmt.Errorf("cannot read: %w", generic), 0},
		"one of several":                {errors.Join(errors.New("first"), generic), 0},
		"its end":                       {context.Canceled, 0},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			m := fixture.New(t)
			xr := fixture.Parse(t, azureMachineYAML)
			tell(m.API(), xr, c.err)
			tell(m.API(), xr, c.err)
			if events := m.TakeEvents(); (len(events) > 0) != (c.want > 0) {
				t.Errorf("it tells %v", events)
			}
		})
	}
}
