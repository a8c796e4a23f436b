package written

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"strings"
	"sync/atomic"
	"time"

	"go.etcd.io/etcd/api/v3/v3rpc/rpctypes"
	clientv3 "go.etcd.io/etcd/client/v3"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/client-go/kubernetes/scheme"

	"github.com/crossplane-capz/crossplane-capz/internal/leaks"
)

// What an API server keeps in etcd.
const (
	registryPrefix = "/registry/"
	secretsPrefix  = registryPrefix + "secrets/"
)

// Objects follows etcd, where an API server writes every version of every object of every kind, Events too, with all that is
// hidden from most of its clients. The values of Secrets go to the Haul, all else to the Spool.
type Objects struct {
	Haul  *leaks.Haul
	Spool *Spool

	reached atomic.Int64
}

// FollowOn follows although etcd ends and comes back on the way, until ctx is done. Its error says that something was missed.
func (o *Objects) FollowOn(ctx context.Context, etcd *clientv3.Client) error {
	for {
		err := o.Follow(ctx, etcd)
		if ctx.Err() != nil || errors.Is(err, rpctypes.ErrCompacted) {
			return err
		}
		select {
		case <-ctx.Done():
			return nil
		case <-time.After(pauseOfFollowing):
		}
	}
}

// pauseOfFollowing is how long etcd is left alone that is not there.
const pauseOfFollowing = 500 * time.Millisecond

// Follow takes what was and is written until ctx is done, from what it has taken before on. Its error says that something was missed.
func (o *Objects) Follow(ctx context.Context, etcd *clientv3.Client) error {
	// Fragments, as all that has been written so far is more than one message may have.
	changes := etcd.Watch(clientv3.WithRequireLeader(ctx), registryPrefix,
		clientv3.WithPrefix(), clientv3.WithRev(o.reached.Load()+1), clientv3.WithFilterDelete(), clientv3.WithFragment())
	for answer := range changes {
		if ctx.Err() != nil {
			return nil //nolint:nilerr // To be told to stop is no error.
		}
		if err := answer.Err(); errors.Is(err, rpctypes.ErrCompacted) {
			return fmt.Errorf("versions of objects are gone that nobody has looked at: %w", err)
		} else if err != nil {
			return err
		}
		for _, event := range answer.Events {
			if err := o.take(string(event.Kv.Key), event.Kv.ModRevision, event.Kv.Value); err != nil {
				return err
			}
		}
		o.reached.Store(answer.Header.Revision)
	}
	return nil
}

func (o *Objects) take(key string, revision int64, value []byte) error {
	source, secret := strings.CutPrefix(key, secretsPrefix)
	if !secret {
		o.Spool.Add(strings.TrimPrefix(key, registryPrefix), fmt.Sprintf("revision %d", revision), value)
		return nil
	}
	decoded := &corev1.Secret{}
	if _, _, err := scheme.Codecs.UniversalDeserializer().Decode(bytes.Clone(value), nil, decoded); err != nil {
		return fmt.Errorf("the Secret %s in etcd is not readable", source) // Its error may quote it.
	}
	o.Haul.AddSecret("Secret "+source, decoded.Data)
	// Beside the values, and the copy of them that `kubectl apply` makes, a Secret is an object like others.
	decoded.Data = nil
	delete(decoded.Annotations, corev1.LastAppliedConfigAnnotation)
	rest, err := decoded.Marshal()
	if err != nil {
		return err
	}
	o.Spool.Add(strings.TrimPrefix(key, registryPrefix), fmt.Sprintf("revision %d", revision), rest)
	return nil
}

// CatchUp returns when all that has been written to etcd by now has been taken.
func (o *Objects) CatchUp(ctx context.Context, etcd *clientv3.Client) error {
	now, err := etcd.Get(ctx, registryPrefix, clientv3.WithCountOnly())
	if err != nil {
		return err
	}
	for o.reached.Load() < now.Header.Revision {
		// The answer to that comes after everything before, also where nothing of ours has changed.
		if err := etcd.RequestProgress(clientv3.WithRequireLeader(ctx)); err != nil {
			return err
		}
		select {
		case <-ctx.Done():
			return fmt.Errorf("objects were followed to revision %d of %d: %w", o.reached.Load(), now.Header.Revision, ctx.Err())
		case <-time.After(100 * time.Millisecond):
		}
	}
	return nil
}
