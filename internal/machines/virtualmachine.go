package machines

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/Azure/azure-sdk-for-go/sdk/azcore/runtime"

	"github.com/crossplane-capz/crossplane-capz/internal/azure"
)

// A VirtualMachine is one that Azure has, as far as it is read.
type VirtualMachine struct {
	ID       string            `json:"id"`
	Tags     map[string]string `json:"tags"`
	Identity struct {
		PrincipalID string `json:"principalId"`
	} `json:"identity"`
	Properties struct {
		ProvisioningState string `json:"provisioningState"`
		InstanceView      struct {
			Statuses []instanceStatus `json:"statuses"`
		} `json:"instanceView"`
	} `json:"properties"`
}

// An instanceStatus says one thing of how a machine is.
type instanceStatus struct {
	Code    string `json:"code"`
	Message string `json:"message"`
}

// failure returns why a machine could not be provisioned, from its instance view, which has it as ProvisioningState/failed/<code>.
func (m *VirtualMachine) failure() *Answer {
	const failed = "provisioningstate/failed/"
	for _, status := range m.Properties.InstanceView.Statuses {
		if strings.HasPrefix(strings.ToLower(status.Code), failed) {
			return &Answer{Code: status.Code[len(failed):], Message: told(status.Message, nil)}
		}
	}
	return &Answer{Code: "ProvisioningFailed", Message: "provisioningState of the virtual machine is " + m.Properties.ProvisioningState + ", and Azure does not say why"}
}

// virtualMachine returns a virtual machine; nil when Azure has none of the ID.
func (c *Client) virtualMachine(ctx context.Context, as azure.Account, id string) (*VirtualMachine, error) {
	return c.read(ctx, as, id, nil)
}

// failedMachine returns a virtual machine with what is known of its failure.
func (c *Client) failedMachine(ctx context.Context, as azure.Account, id string) (*VirtualMachine, error) {
	return c.read(ctx, as, id, url.Values{"$expand": {"instanceView"}})
}

func (c *Client) read(ctx context.Context, as azure.Account, id string, query url.Values) (*VirtualMachine, error) {
	machine := &VirtualMachine{}
	found, err := c.get(ctx, as, call{path: id, version: computeVersion, query: query}, machine)
	if err != nil {
		return nil, fmt.Errorf("cannot look for virtual machine %s: %w", id, err)
	}
	if !found {
		return nil, nil
	}
	return machine, nil
}

// An operation is one of Azure's that goes on after the request has been answered.
type operation struct {
	poller  *runtime.Poller[VirtualMachine]
	secrets []string
}

// create sends the request that creates a virtual machine. Azure goes on with it when this has returned.
func (c *Client) create(ctx context.Context, as azure.Account, id string, request Request) (*operation, error) {
	ctx, cancel := context.WithTimeout(ctx, callTimeout)
	defer cancel()
	resp, err := c.do(ctx, as, call{ //nolint:bodyclose // The poller does.
		method: http.MethodPut, path: id, version: computeVersion, body: request.body, secrets: request.secrets,
		expected: []int{http.StatusOK, http.StatusCreated, http.StatusAccepted},
	})
	if err != nil {
		return nil, err
	}
	p, err := c.pipeline(as)
	if err != nil {
		return nil, err
	}
	poller, err := runtime.NewPoller[VirtualMachine](resp, p, nil)
	if err != nil {
		return nil, errNoOperation
	}
	return &operation{poller: poller, secrets: request.secrets}, nil
}

// errNoOperation is the error about an answer of success that says of no operation. The machine itself tells then.
var errNoOperation = errors.New("the answer to the creation of a virtual machine names no operation that could be followed")

// poll asks once how far an operation is. The error is an *Answer when the operation has failed.
func (o *operation) poll(ctx context.Context) (done bool, after time.Duration, err error) {
	ctx, cancel := context.WithTimeout(ctx, callTimeout)
	defer cancel()
	resp, err := o.poller.Poll(ctx) //nolint:bodyclose // It has.
	if err != nil {
		return false, 0, answerOf(err, o.secrets)
	}
	if !o.poller.Done() {
		return false, retryAfter(resp), nil
	}
	if _, err := o.poller.Result(ctx); err != nil {
		err = answerOf(err, o.secrets)
		countFailure(err)
		return true, 0, err
	}
	return true, 0, nil
}
