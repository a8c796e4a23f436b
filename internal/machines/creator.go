package machines

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"strings"
	"sync"
	"time"

	"github.com/crossplane-capz/crossplane-capz/apis/infrastructure/v1beta1"
	"github.com/crossplane-capz/crossplane-capz/apis/provider/v1alpha1"
	"github.com/crossplane-capz/crossplane-capz/internal/aso"
	"github.com/crossplane-capz/crossplane-capz/internal/azure"
)

const (
	// pollInterval is how often Azure is asked how far a creation is, where it does not say how often.
	pollInterval = 5 * time.Second
	// longestPoll bounds how often Azure says.
	longestPoll = 30 * time.Second
	// lookInterval is how often it is looked whether a virtual machine is still there, doubtInterval the same while that is doubted.
	lookInterval  = 10 * time.Minute
	doubtInterval = time.Minute
)

// A Creator creates virtual machines, each once, and looks whether they are still there.
//
// What has been noted of a machine decides what is done, together with what Azure has. The request for one that is noted as NotCreated, or not
// at all, is only sent when Azure has no machine of the ID. It may have been sent before, and that not been noted: then Azure has the machine,
// with its bootstrap data, as there is no other way that it got there. One that is noted as being created or as created is never requested again.
type Creator struct {
	client *Client

	lock sync.Mutex
	// operations are what this process follows, by ID. What it has not begun itself is told by the machine.
	operations map[string]*operation
	// refusals are how often Azure has refused a request in passing, by ID.
	refusals map[string]int
	lists    *Lists
}

// NewCreator returns a Creator that looks in the lists.
func NewCreator(client *Client, lists *Lists) *Creator {
	return &Creator{client: client, operations: map[string]*operation{}, refusals: map[string]int{}, lists: lists}
}

// A Machine is a virtual machine that is to be.
type Machine struct {
	// ID is the one that it has in Azure, or will have.
	ID string
	// As is whose credential is used.
	As azure.Account
	// Cluster is the name of the Cluster, whose tag the machine has.
	Cluster string
	// Noted is what has been noted of it.
	Noted v1alpha1.FactsOfCreation
	// DoubtedSince is since when its Node is not ready, so that it may be gone; zero while nothing speaks for that.
	DoubtedSince time.Time
	// Request returns what creates it. It is called when that is needed, and not else; nil while the machine may not be created.
	Request func(context.Context) (Request, error)
}

// An Outcome is what has become of a machine.
type Outcome struct {
	// Created is what to note of it.
	Created v1alpha1.FactsOfCreation
	// PrincipalID is that of its identity; empty when it has none, or that was not looked for.
	PrincipalID string
	// After is when to look again; zero for never.
	After time.Duration
}

var creating = v1alpha1.FactsOfCreation{State: v1alpha1.Creating}

// Step takes the next step with a machine. The error is one that says nothing about the machine, and the step is to be taken again.
func (c *Creator) Step(ctx context.Context, m Machine) (Outcome, error) {
	switch m.Noted.State {
	case v1alpha1.CreationFailed, v1alpha1.Deleted:
		return Outcome{Created: m.Noted}, nil
	case v1alpha1.Created:
		return c.look(ctx, m)
	case v1alpha1.Creating:
		return c.follow(ctx, m)
	}
	return c.begin(ctx, m)
}

// begin requests a machine that Azure does not have.
func (c *Creator) begin(ctx context.Context, m Machine) (Outcome, error) {
	if c.operationOf(m.ID) != nil { // It has not been noted yet.
		return c.follow(ctx, m)
	}
	found, err := c.client.virtualMachine(ctx, m.As, m.ID)
	switch {
	case err != nil:
		return Outcome{}, err
	case found != nil && !found.of(m.Cluster):
		return somebodyElses(m), nil
	case found != nil:
		return c.outcomeOf(ctx, m, found)
	case m.Request == nil:
		return Outcome{Created: m.Noted}, nil
	}
	request, err := m.Request(ctx)
	if err != nil {
		return Outcome{}, err
	}
	begun, err := c.client.create(ctx, m.As, m.ID, request)
	var refused *Answer
	switch {
	case errors.As(err, &refused):
		return c.refused(m, refused), nil
	case err != nil && !errors.Is(err, errNoOperation):
		return Outcome{}, err
	}
	c.begun(m.ID, begun)
	return Outcome{Created: creating, After: pollInterval}, nil
}

// somebodyElses returns the outcome for a machine that Azure has got from somebody else after it was looked for.
func somebodyElses(m Machine) Outcome {
	return Outcome{Created: v1alpha1.FactsOfCreation{Reason: "ResourceExists", Message: fmt.Sprintf(
		"Azure has a virtual machine %s already, which does not have the tag %s: owned, and so is not the Cluster's", m.ID, v1beta1.OwnedTag(m.Cluster))},
		After: longestDelay}
}

// refused returns the outcome of a request that Azure has refused.
func (c *Creator) refused(m Machine, refused *Answer) Outcome {
	noted := v1alpha1.FactsOfCreation{Reason: refused.Code, Message: refused.Message}
	if !refused.Passes() {
		noted.State = v1alpha1.CreationFailed
		c.forget(m.ID)
		return Outcome{Created: noted}
	}
	c.lock.Lock()
	defer c.lock.Unlock()
	after := max(delay(c.refusals[m.ID]), min(refused.RetryAfter, longestDelay))
	c.refusals[m.ID]++
	return Outcome{Created: noted, After: after}
}

// follow asks how far the creation of a machine is.
func (c *Creator) follow(ctx context.Context, m Machine) (Outcome, error) {
	if o := c.operationOf(m.ID); o != nil {
		done, after, err := o.poll(ctx)
		if failure := failedForGood(err); failure != nil {
			return c.failed(m, failure), nil
		}
		if err == nil && !done {
			return Outcome{Created: creating, After: max(time.Second, min(after, longestPoll))}, nil
		}
		c.begun(m.ID, nil) // The machine itself tells more, also when Azure knows nothing more of the operation.
	}
	found, err := c.client.virtualMachine(ctx, m.As, m.ID)
	switch {
	case err != nil:
		return Outcome{}, err
	case found == nil:
		return c.gone(m), nil
	}
	return c.outcomeOf(ctx, m, found)
}

// outcomeOf returns what has become of a machine that Azure has.
func (c *Creator) outcomeOf(ctx context.Context, m Machine, found *VirtualMachine) (Outcome, error) {
	switch strings.ToLower(found.Properties.ProvisioningState) {
	case "failed", "canceled":
		failed, err := c.client.failedMachine(ctx, m.As, m.ID)
		if err != nil {
			return Outcome{}, err
		}
		if failed == nil {
			return c.gone(m), nil
		}
		return c.failed(m, failed.failure()), nil
	case "creating", "updating":
		return Outcome{Created: creating, After: pollInterval}, nil
	case "deleting":
		return Outcome{Created: creating, After: longestPoll}, nil
	}
	c.forget(m.ID)
	return Outcome{Created: v1alpha1.FactsOfCreation{State: v1alpha1.Created}, PrincipalID: found.Identity.PrincipalID, After: lookInterval}, nil
}

// look returns whether a machine that was created is still there. Only a look at the machine itself is proof that it is not.
func (c *Creator) look(ctx context.Context, m Machine) (Outcome, error) {
	there := Outcome{Created: m.Noted, After: lookInterval}
	if !m.DoubtedSince.IsZero() {
		there.After = doubtInterval
	}
	listed, err := c.lists.Has(ctx, m.As, aso.VirtualMachine, m.ID, m.DoubtedSince)
	if err != nil {
		return Outcome{}, err
	}
	if listed {
		return there, nil
	}
	found, err := c.client.virtualMachine(ctx, m.As, m.ID)
	switch {
	case err != nil:
		return Outcome{}, err
	case found == nil:
		return c.gone(m), nil
	}
	there.PrincipalID = found.Identity.PrincipalID
	return there, nil
}

// failed returns the outcome of a creation that has failed for good.
func (c *Creator) failed(m Machine, why *Answer) Outcome {
	c.forget(m.ID)
	return Outcome{Created: v1alpha1.FactsOfCreation{State: v1alpha1.CreationFailed, Reason: why.Code, Message: why.Message}}
}

// gone returns the outcome of a machine that Azure had and has no more.
func (c *Creator) gone(m Machine) Outcome {
	c.forget(m.ID)
	return Outcome{Created: v1alpha1.FactsOfCreation{State: v1alpha1.Deleted}}
}

// begun notes what is followed of a machine.
func (c *Creator) begun(id string, o *operation) {
	c.lock.Lock()
	defer c.lock.Unlock()
	delete(c.refusals, id)
	if o == nil {
		delete(c.operations, id)
		return
	}
	c.operations[id] = o
}

func (c *Creator) operationOf(id string) *operation {
	c.lock.Lock()
	defer c.lock.Unlock()
	return c.operations[id]
}

// forget drops what is remembered of a machine.
func (c *Creator) forget(id string) { c.begun(id, nil) }

// Forget drops what is remembered of a machine that is being deleted.
func (c *Creator) Forget(id string) { c.forget(id) }

// of reports whether a machine has the tag of the Cluster.
func (m *VirtualMachine) of(cluster string) bool {
	return m.Tags[v1beta1.OwnedTag(cluster)] == "owned"
}

// NewSecrets returns the secrets of a machine with the bootstrap data.
func NewSecrets(customData []byte) Secrets {
	return Secrets{CustomData: customData, Random: rand.Reader}
}
