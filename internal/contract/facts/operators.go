package facts

import (
	"context"
	"time"

	"k8s.io/apimachinery/pkg/util/cache"
	ctrl "sigs.k8s.io/controller-runtime"

	"github.com/crossplane-capz/crossplane-capz/internal/azure"
)

// operatorsValid is for how long it holds where Azure Service Operator runs: it is moved hardly ever.
const operatorsValid = time.Minute

// operators knows which Azure Service Operator serves a namespace, without reading its settings each time.
type operators struct {
	azure.Operators

	known *cache.Expiring
}

func newOperators(o azure.Operators) *operators {
	return &operators{Operators: o, known: cache.NewExpiring()}
}

// serving returns where the only Azure Service Operator runs that serves the namespace; empty when there is no such, or its settings
// may not be read: whatever is new is then taken up by whoever comes by.
func (o *operators) serving(ctx context.Context, namespace string) string {
	if found, ok := o.known.Get(namespace); ok {
		name, _ := found.(string)
		return name
	}
	name, err := o.Sole(ctx, namespace)
	if err != nil {
		ctrl.LoggerFrom(ctx).Info("Cannot find out which Azure Service Operator serves the namespace", "reason", err.Error())
		return ""
	}
	o.known.Set(namespace, name, operatorsValid)
	return name
}
