package admission

import (
	"context"
	"encoding/base64"
	"fmt"
	"strings"

	"golang.org/x/crypto/ssh"
	admissionv1 "k8s.io/api/admission/v1"
	"k8s.io/apimachinery/pkg/util/validation/field"
	"k8s.io/utils/ptr"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/webhook/admission"

	"github.com/crossplane-capz/crossplane-capz/apis/infrastructure/v1beta1"
)

// controlPlane reports whether a new control plane fits the Cluster and the MachinePools that are there already. What these rules
// are about cannot be changed afterwards, but for the version, which can only be raised.
func (r *Rules) controlPlane(ctx context.Context, req admission.Request) (field.ErrorList, error) {
	controlPlane, err := decode[v1beta1.AzureManagedControlPlane](req.Object.Raw)
	if err != nil {
		return nil, err
	}
	controlPlane.Namespace = req.Namespace
	if req.Operation == admissionv1.Update {
		return r.writtenLater(ctx, req, controlPlane)
	}
	wrong := sshPublicKey(field.NewPath("spec", "sshPublicKey"), ptr.Deref(controlPlane.Spec.SSHPublicKey, ""))
	cluster, err := r.clusterOf(ctx, controlPlane)
	if err != nil || cluster == nil {
		return wrong, err
	}
	wrong = append(wrong, dnsServiceIP(controlPlane, cluster)...)
	tooNew, err := r.newerPools(ctx, controlPlane, cluster)
	return append(wrong, tooNew...), err
}

// newerPools refuses a version below that of a MachinePool of the Cluster.
func (r *Rules) newerPools(ctx context.Context, controlPlane *v1beta1.AzureManagedControlPlane, cluster *clusterv1.Cluster) (field.ErrorList, error) {
	pools := &clusterv1.MachinePoolList{}
	err := r.Reader.List(ctx, pools, client.InNamespace(cluster.Namespace), client.MatchingLabels{clusterv1.ClusterNameLabel: cluster.Name})
	if err != nil {
		return nil, fmt.Errorf("cannot read the MachinePools of Cluster %s: %w", cluster.Name, err)
	}
	var wrong field.ErrorList
	for i := range pools.Items {
		version := pools.Items[i].Spec.Template.Spec.Version
		if isManagedPool(&pools.Items[i]) && newer(version, controlPlane) {
			wrong = append(wrong, field.Invalid(field.NewPath("spec", "version"), controlPlane.Spec.Version, fmt.Sprintf(
				"must not be lower than %s, which is spec.template.spec.version of MachinePool %s", version, pools.Items[i].Name)))
		}
	}
	return wrong, nil
}

// shownKey is how much of a key an answer repeats.
const shownKey = 32

// sshPublicKey refuses a key that no SSH server would take.
func sshPublicKey(path *field.Path, key string) field.ErrorList {
	if key == "" {
		return nil
	}
	shown := key
	if len(shown) > shownKey {
		shown = strings.ToValidUTF8(shown[:shownKey], "") + "…"
	}
	line, err := base64.StdEncoding.DecodeString(key)
	if err != nil {
		return field.ErrorList{field.Invalid(path, shown, "must be an SSH public key in base64, as `base64 -w0 id_rsa.pub` prints it, but is not base64")}
	}
	if _, _, _, _, err := ssh.ParseAuthorizedKey(line); err != nil {
		return field.ErrorList{field.Invalid(path, shown, "must be an SSH public key in base64, but what it decodes to is no line of an authorized_keys file")}
	}
	return nil
}
