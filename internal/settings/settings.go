// Package settings lets provider-capz follow the ProviderConfig: what its command line says, a ProviderConfig overrides, at
// any time and without a restart of the process.
package settings

import (
	"fmt"
	"reflect"
	"strings"
	"time"

	"k8s.io/apimachinery/pkg/util/validation"

	"github.com/crossplane-capz/crossplane-capz/apis/provider/v1alpha1"
)

// Settings are what provider-capz works by.
type Settings struct {
	// Namespace is the only one to act in; empty means all.
	Namespace string
	// WatchFilter is the value of label cluster.x-k8s.io/watch-filter of the objects to act on; empty means all.
	WatchFilter string
	// Concurrency is how many composite resources of a kind are reconciled at once.
	Concurrency int
	// SyncPeriod is how often everything is looked at though nothing has changed.
	SyncPeriod time.Duration
	// OperatorNamespaces are where Azure Service Operator may run.
	OperatorNamespaces []string
	// ResourceHealth is how often Azure Resource Health is asked about each AKS cluster; 0 means never.
	ResourceHealth time.Duration
	// Debug logs more.
	Debug bool
}

func (s Settings) equal(other Settings) bool { return reflect.DeepEqual(s, other) }

// minSyncPeriod is as in the schema: each time everything is looked at again.
const minSyncPeriod = time.Minute

// MinResourceHealth is as in the schema: Azure limits requests. defaultResourceHealth is how often it is asked where the ProviderConfig does not say.
const (
	MinResourceHealth     = time.Minute
	defaultResourceHealth = 5 * time.Minute
)

// With returns the settings with those of a ProviderConfig in place. The error names the field that is wrong; the API server
// refuses such fields too, but an older definition may have let one pass.
func (s Settings) With(spec v1alpha1.ProviderConfigSpec) (Settings, error) {
	if spec.Namespace != "" {
		if problems := validation.IsDNS1123Label(spec.Namespace); len(problems) > 0 {
			return s, fmt.Errorf("spec.namespace is %q, but %s", spec.Namespace, strings.Join(problems, "; "))
		}
		s.Namespace = spec.Namespace
	}
	if spec.WatchFilter != "" {
		if problems := validation.IsValidLabelValue(spec.WatchFilter); len(problems) > 0 {
			return s, fmt.Errorf("spec.watchFilter is %q, but %s", spec.WatchFilter, strings.Join(problems, "; "))
		}
		s.WatchFilter = spec.WatchFilter
	}
	if c := spec.Concurrency; c != nil {
		if *c < 1 {
			return s, fmt.Errorf("spec.concurrency is %d, but must be at least 1", *c)
		}
		s.Concurrency = int(*c)
	}
	if p := spec.SyncPeriod; p != nil {
		if p.Duration < minSyncPeriod {
			return s, fmt.Errorf("spec.syncPeriod is %s, but must be at least %s", p.Duration, minSyncPeriod)
		}
		s.SyncPeriod = p.Duration
	}
	for i, namespace := range spec.AzureServiceOperatorNamespaces {
		if problems := validation.IsDNS1123Label(namespace); len(problems) > 0 {
			return s, fmt.Errorf("spec.azureServiceOperatorNamespaces[%d] is %q, but %s", i, namespace, strings.Join(problems, "; "))
		}
		s.OperatorNamespaces = spec.AzureServiceOperatorNamespaces
	}
	if h := spec.ResourceHealth; h != nil {
		s.ResourceHealth = defaultResourceHealth
		if h.Interval != nil {
			s.ResourceHealth = h.Interval.Duration
		}
		if s.ResourceHealth < MinResourceHealth {
			return s, fmt.Errorf("spec.resourceHealth.interval is %s, but must be at least %s", s.ResourceHealth, MinResourceHealth)
		}
	}
	switch spec.LogLevel {
	case "":
	case v1alpha1.LogLevelInfo, v1alpha1.LogLevelDebug:
		s.Debug = spec.LogLevel == v1alpha1.LogLevelDebug
	default:
		return s, fmt.Errorf("spec.logLevel is %q, but must be %s or %s", spec.LogLevel, v1alpha1.LogLevelInfo, v1alpha1.LogLevelDebug)
	}
	return s, nil
}
