package machines

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"

	"github.com/crossplane-capz/crossplane-capz/apis/infrastructure/v1beta1"
	"github.com/crossplane-capz/crossplane-capz/internal/azure"
)

// A Remover deletes resources in Azure that Azure Service Operator may only read.
type Remover struct{ client *Client }

// NewRemover returns a Remover.
func NewRemover(client *Client) *Remover { return &Remover{client: client} }

// A Removal is one resource that is to be in Azure no more.
type Removal struct {
	// ID is the one that it has in Azure, and Version that of Azure's API for its type.
	ID, Version string
	// Cluster is the name of the Cluster that it was made for. One without the tag of that stays, unless it is Known to be that Cluster's.
	Cluster string
	Known   bool
	// As is whose credential is used.
	As azure.Account
}

// Remove has Azure delete a resource, and reports whether it is gone. One that was not made for the Cluster stays, and counts as gone. An
// error of Azure's that it refuses to delete it is an *Answer.
func (r *Remover) Remove(ctx context.Context, what Removal) (gone bool, err error) {
	resource := struct {
		Tags       map[string]string `json:"tags"`
		Properties struct {
			ProvisioningState string `json:"provisioningState"`
		} `json:"properties"`
	}{}
	found, err := r.client.get(ctx, what.As, call{path: what.ID, version: what.Version}, &resource)
	switch {
	case err != nil:
		return false, fmt.Errorf("cannot look for %s: %w", what.ID, err)
	case !found || !what.Known && resource.Tags[v1beta1.OwnedTag(what.Cluster)] != "owned":
		return true, nil
	case strings.EqualFold(resource.Properties.ProvisioningState, "Deleting"):
		return false, nil
	}
	ctx, cancel := context.WithTimeout(ctx, callTimeout)
	defer cancel()
	resp, err := r.client.do(ctx, what.As, call{
		method: http.MethodDelete, path: what.ID, version: what.Version, expected: []int{http.StatusOK, http.StatusAccepted, http.StatusNoContent},
	})
	switch {
	case NotFound(err):
		return true, nil
	case err != nil:
		return false, fmt.Errorf("cannot delete %s: %w", what.ID, err)
	}
	return false, resp.Body.Close()
}

// Refused returns Azure's answer in an error; not ok when it is no answer of Azure's.
func Refused(err error) (answer *Answer, ok bool) {
	ok = errors.As(err, &answer)
	return answer, ok
}
