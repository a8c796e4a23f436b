package settings

import (
	"context"
	"errors"
)

// A Runner runs controllers by the settings in force. When those change, it ends the controllers and runs new ones; nothing
// else of the process notices.
type Runner struct {
	Follower *Follower
	// Run runs controllers by some settings until its context is done, and calls ready once they work.
	Run func(ctx context.Context, s Settings, ready func()) error
}

// Start runs controllers until ctx is done, or returns the error with which they ended.
func (r *Runner) Start(ctx context.Context) error {
	for ctx.Err() == nil {
		if err := r.runOnce(ctx); err != nil {
			return err
		}
	}
	return nil
}

// NeedLeaderElection says that only one replica runs controllers.
func (r *Runner) NeedLeaderElection() bool { return true }

// runOnce runs controllers until the settings change or ctx is done.
func (r *Runner) runOnce(parent context.Context) error {
	s, changed := r.Follower.Current()
	ctx, cancel := context.WithCancel(parent)
	defer cancel()
	defer r.Follower.setRunning(nil)
	ended := make(chan error, 1)
	go func() { ended <- r.Run(ctx, s, func() { r.Follower.setRunning(&s) }) }()
	select {
	case err := <-ended:
		if err == nil && parent.Err() == nil {
			err = errors.New("the controllers ended by themselves")
		}
		return err
	case <-changed:
		r.Follower.Log.Info("The settings have changed; the controllers start again")
	case <-parent.Done():
	}
	cancel()
	if err := <-ended; !errors.Is(err, context.Canceled) {
		return err
	}
	return nil
}
