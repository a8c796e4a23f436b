package machines

import (
	"context"
	"fmt"
	"net/http"
	"strings"

	"github.com/crossplane-capz/crossplane-capz/apis/infrastructure/v1beta1"
	"github.com/crossplane-capz/crossplane-capz/internal/azure"
)

// networkVersion is the version of Azure's API in which network interfaces are looked for.
const networkVersion = "2020-11-01"

// A Remover deletes what has been left in Azure of machines.
type Remover struct{ client *Client }

// NewRemover returns a Remover.
func NewRemover(client *Client) *Remover { return &Remover{client: client} }

// VirtualMachine has Azure delete a virtual machine that was made for the Cluster, and reports whether it is gone. One of anybody else stays.
func (r *Remover) VirtualMachine(ctx context.Context, as azure.Account, id, cluster string) (gone bool, err error) {
	return r.remove(ctx, as, id, computeVersion, cluster)
}

// NetworkInterface is VirtualMachine for a network interface.
func (r *Remover) NetworkInterface(ctx context.Context, as azure.Account, id, cluster string) (gone bool, err error) {
	return r.remove(ctx, as, id, networkVersion, cluster)
}

func (r *Remover) remove(ctx context.Context, as azure.Account, id, version, cluster string) (gone bool, err error) {
	resource := struct {
		Tags       map[string]string `json:"tags"`
		Properties struct {
			ProvisioningState string `json:"provisioningState"`
		} `json:"properties"`
	}{}
	found, err := r.client.get(ctx, as, call{path: id, version: version}, &resource)
	switch {
	case err != nil:
		return false, fmt.Errorf("cannot look for %s: %w", id, err)
	case !found || resource.Tags[v1beta1.OwnedTag(cluster)] != "owned":
		return true, nil
	case strings.EqualFold(resource.Properties.ProvisioningState, "Deleting"):
		return false, nil
	}
	ctx, cancel := context.WithTimeout(ctx, callTimeout)
	defer cancel()
	resp, err := r.client.do(ctx, as, call{method: http.MethodDelete, path: id, version: version, expected: []int{http.StatusOK, http.StatusAccepted, http.StatusNoContent}})
	switch {
	case NotFound(err):
		return true, nil
	case err != nil:
		return false, fmt.Errorf("cannot delete %s: %w", id, err)
	}
	return false, resp.Body.Close()
}
