package settings

import (
	"context"
	"fmt"
	"sync"
	"time"

	"github.com/go-logr/logr"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/crossplane-capz/crossplane-capz/apis/provider/v1alpha1"
)

// Interval is how often the ProviderConfig is read. Reading needs fewer rights than watching, and works while the kind is
// not there yet.
const Interval = 5 * time.Second

// A Follower knows the settings in force. It runs in every replica, as each serves the admission webhook.
type Follower struct {
	// Client reads and writes without a cache. Its scheme has ProviderConfig.
	Client client.Client
	// Flags are the settings of the command line.
	Flags Settings
	// Observe is called with the settings when they change; it may be nil.
	Observe func(Settings)
	// Log is where it says what it cannot read.
	Log logr.Logger

	mu      sync.Mutex
	current Settings
	changed chan struct{}
	// running are the settings that the controllers of this replica work by; nil when they do not run.
	running *Settings
	failure string
}

// Current returns the settings in force, and a channel that is closed when they are no longer.
func (f *Follower) Current() (Settings, <-chan struct{}) {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.current, f.changed
}

// Read takes over the ProviderConfig as it is now. Call it before anything else. Without one, or without the kind, the
// settings are those of the command line, and so they are when the first one read is invalid.
func (f *Follower) Read(ctx context.Context) error {
	f.mu.Lock()
	f.current, f.changed = f.Flags, make(chan struct{})
	f.mu.Unlock()
	return f.follow(ctx)
}

// Start follows the ProviderConfig until ctx is done. What fails is logged, and tried again.
func (f *Follower) Start(ctx context.Context) error {
	ticker := time.NewTicker(Interval)
	defer ticker.Stop()
	for {
		select {
		case <-ctx.Done():
			return nil
		case <-ticker.C:
			f.say(f.follow(ctx))
		}
	}
}

// NeedLeaderElection says that it runs in every replica.
func (f *Follower) NeedLeaderElection() bool { return false }

// say logs an error once, and not when the process ends.
func (f *Follower) say(err error) {
	text := ""
	if err != nil {
		text = err.Error()
	}
	if text != f.failure && text != "" {
		f.Log.Error(err, "Cannot follow the ProviderConfig; the settings stay as they are")
	}
	f.failure = text
}

// follow reads the ProviderConfig once, changes the settings if it has others, and says in its status what became of it.
func (f *Follower) follow(ctx context.Context) error {
	config := &v1alpha1.ProviderConfig{}
	err := f.Client.Get(ctx, client.ObjectKey{Name: v1alpha1.ProviderConfigName}, config)
	if apierrors.IsNotFound(err) || meta.IsNoMatchError(err) {
		f.set(f.Flags)
		return nil
	}
	if err != nil {
		return fmt.Errorf("cannot read ProviderConfig %s: %w", v1alpha1.ProviderConfigName, err)
	}
	wanted, invalid := f.Flags.With(config.Spec)
	if invalid == nil {
		f.set(wanted)
	}
	return f.report(ctx, config, wanted, invalid)
}

func (f *Follower) set(s Settings) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if s.equal(f.current) {
		return
	}
	f.current = s
	close(f.changed)
	f.changed = make(chan struct{})
	if f.Observe != nil {
		f.Observe(s)
	}
}

// report writes the condition, if this replica is the one whose controllers run and the condition is not as it should be.
func (f *Follower) report(ctx context.Context, config *v1alpha1.ProviderConfig, wanted Settings, invalid error) error {
	f.mu.Lock()
	running := f.running
	f.mu.Unlock()
	if running == nil || invalid == nil && !running.equal(wanted) {
		return nil
	}
	condition := metav1.Condition{
		Type: v1alpha1.ConditionApplied, Status: metav1.ConditionTrue, Reason: v1alpha1.ReasonInForce,
		Message: "provider-capz works by these settings.", ObservedGeneration: config.Generation,
	}
	if invalid != nil {
		condition.Status, condition.Reason = metav1.ConditionFalse, v1alpha1.ReasonInvalid
		condition.Message = invalid.Error() + ". The settings before stay in force."
	}
	before := config.DeepCopy()
	if !meta.SetStatusCondition(&config.Status.Conditions, condition) {
		return nil
	}
	if err := f.Client.Status().Patch(ctx, config, client.MergeFrom(before)); client.IgnoreNotFound(err) != nil {
		return fmt.Errorf("cannot write the status of ProviderConfig %s: %w", config.Name, err)
	}
	return nil
}

func (f *Follower) setRunning(s *Settings) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.running = s
}
