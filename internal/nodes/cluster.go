package nodes

import (
	"context"
	"crypto/sha256"
	"errors"
	"io"
	"maps"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	typedcorev1 "k8s.io/client-go/kubernetes/typed/core/v1"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/cache"
	"k8s.io/utils/ptr"
	ctrl "sigs.k8s.io/controller-runtime"
)

// watchTimes is how many times longer Nodes are watched than client-go does, which begins anew after 5 to 10 minutes: with hundreds of
// clusters most of what they are asked while nothing changes.
const watchTimes = 12

// A cluster is one whose Nodes are followed.
type cluster struct {
	// kubeconfig is the hash of the one that is used.
	kubeconfig [sha256.Size]byte
	informer   cache.SharedIndexInformer
	notify     func(*corev1.Node)
	// stop is nil until the cluster is started.
	stop context.CancelFunc
}

// newCluster returns a cluster that is not followed yet. It calls notify as a listener is called.
func newCluster(config *rest.Config, kubeconfig [sha256.Size]byte, notify func(*corev1.Node)) (*cluster, error) {
	config.ContentType = runtime.ContentTypeProtobuf
	config.AcceptContentTypes = runtime.ContentTypeProtobuf + "," + runtime.ContentTypeJSON
	asker, err := newClient(config)
	if err != nil {
		return nil, err
	}
	core, err := typedcorev1.NewForConfigAndClient(config, asker)
	if err != nil {
		return nil, err
	}
	informer := cache.NewSharedIndexInformer(
		lister{cache.NewFilteredListWatchFromClient(core.RESTClient(), "nodes", metav1.NamespaceAll, watchQuietly)}, &corev1.Node{}, 0, nil)
	c := &cluster{kubeconfig: kubeconfig, informer: informer, notify: notify}
	_, err = informer.AddEventHandler(cache.ResourceEventHandlerFuncs{AddFunc: c.note, UpdateFunc: c.noteChange, DeleteFunc: c.note})
	return c, errors.Join(err, informer.SetTransform(strip), informer.SetWatchErrorHandlerWithContext(c.noteFailure))
}

// start follows the Nodes until ctx ends, or stop is called.
func (c *cluster) start(ctx context.Context) {
	ctx, c.stop = context.WithCancel(ctx)
	go c.informer.RunWithContext(ctx)
	go func() {
		if cache.WaitForCacheSync(ctx.Done(), c.informer.HasSynced) {
			c.notify(nil)
		}
	}()
}

// watchQuietly has a watch last long, and be silent while Nodes do not change: what an API server sends each minute of how far a watch has
// come (a bookmark) would be most of what there is to read. Whether a connection still holds is asked without it. How long a watch lasts
// differs, as client-go has it, so that not all end at once.
func watchQuietly(options *metav1.ListOptions) {
	if !options.Watch {
		return
	}
	options.AllowWatchBookmarks = false
	if options.TimeoutSeconds != nil {
		options.TimeoutSeconds = ptr.To(*options.TimeoutSeconds * watchTimes)
	}
}

// A lister has Nodes listed, and watched from there: a watch that begins with all there are needs a bookmark to say so.
type lister struct{ *cache.ListWatch }

// IsWatchListSemanticsUnSupported is asked by client-go.
func (lister) IsWatchListSemanticsUnSupported() bool { return true }

func (c *cluster) note(o any) {
	if final, ok := o.(cache.DeletedFinalStateUnknown); ok {
		o = final.Obj
	}
	if node, ok := o.(*corev1.Node); ok {
		c.notify(node)
	}
}

// noteChange leaves out heartbeats.
func (c *cluster) noteChange(before, after any) {
	old, oldOK := before.(*corev1.Node)
	changed, changedOK := after.(*corev1.Node)
	if oldOK && changedOK && (old.Spec.ProviderID != changed.Spec.ProviderID || !maps.Equal(old.Labels, changed.Labels) ||
		old.Status.NodeInfo.KubeletVersion != changed.Status.NodeInfo.KubeletVersion) {
		c.notify(changed)
	}
}

// noteFailure logs why Nodes cannot be followed. The informer tries again.
func (c *cluster) noteFailure(ctx context.Context, _ *cache.Reflector, err error) {
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) || apierrors.IsResourceExpired(err) || apierrors.IsGone(err) {
		return // So watches end.
	}
	ctrl.LoggerFrom(ctx).Info("Cannot read the Nodes of a Cluster, trying again", "reason", err.Error())
}

// strip keeps what identifies a Node and its pool, and the version that it runs.
func strip(o any) (any, error) {
	node, ok := o.(*corev1.Node)
	if !ok {
		return o, nil
	}
	return &corev1.Node{
		TypeMeta: node.TypeMeta,
		ObjectMeta: metav1.ObjectMeta{
			Name: node.Name, UID: node.UID, ResourceVersion: node.ResourceVersion, Labels: node.Labels, DeletionTimestamp: node.DeletionTimestamp,
		},
		Spec:   corev1.NodeSpec{ProviderID: node.Spec.ProviderID},
		Status: corev1.NodeStatus{NodeInfo: corev1.NodeSystemInfo{KubeletVersion: node.Status.NodeInfo.KubeletVersion}},
	}, nil
}
