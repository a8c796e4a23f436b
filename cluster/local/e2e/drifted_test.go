package e2e

import (
	"errors"
	"fmt"
	"path"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/crossplane-capz/crossplane-capz/apis/infrastructure/v1beta1"
	"github.com/crossplane-capz/crossplane-capz/cluster/azuresim/cloudwriter"
	"github.com/crossplane-capz/crossplane-capz/internal/aso"
)

// driftedInterface is the note of a network interface that somebody has changed in Azure, by its name, and acceleration the field.
const (
	driftedInterface = "drifted network interface"
	acceleration     = "enableAcceleratedNetworking"
)

// changeAWorker has somebody change a network interface of a worker in Azure, as in the portal.
var changeAWorker = once("a worker was changed in Azure", func(w *world) error {
	const ending = "-nic"
	all, err := w.azure.Resources(w.ctx, "/subscriptions/"+w.subscription)
	if err != nil {
		return err
	}
	c, token, err := w.stack.SignIn(w.ctx)
	if err != nil {
		return err
	}
	writer := cloudwriter.Writer{HTTP: c, Token: token}
	for _, r := range all {
		name := path.Base(r.ID)
		if !strings.EqualFold(r.Type, aso.NetworkInterface.ARM()) || !strings.HasPrefix(name, workers+"-") || !strings.HasSuffix(name, ending) {
			continue
		}
		w.noted[driftedInterface] = name
		return writer.Change(w.ctx, r.ID, aso.NetworkInterface.APIVersion(), func(body map[string]any) {
			properties, _ := body["properties"].(map[string]any)
			properties[acceleration] = false
		})
	}
	return fmt.Errorf("Azure has no network interface of %s", workers)
})

// driftTold expects that its AzureMachine says so.
func driftTold(w *world) []string {
	name, _ := w.noted[driftedInterface].(string)
	return condition(azureMachineKind, strings.TrimSuffix(name, "-nic"), v1beta1.ConditionDrifted, "True",
		fmt.Sprintf("NetworkInterface %s: spec.%s is true, but Azure reports false", name, acceleration))(w)
}

// driftOf returns what a composite resource says of drift, or has said: its condition stays. Empty when it has never said anything.
func driftOf(u *unstructured.Unstructured) string {
	for _, c := range mapsAt(u, "status", "conditions") {
		if c["type"] == v1beta1.ConditionDrifted {
			return fmt.Sprintf("%s %s has drifted: %v (%v)", u.GetKind(), u.GetName(), c["status"], c["message"])
		}
	}
	return ""
}

// falseAlarm returns what is reported as drifted although nobody has changed anything in Azure. What cannot be read now is read after the next step.
func (w *world) falseAlarm() error {
	if w.drifts {
		return nil
	}
	var alarms []string
	for _, gvk := range w.family.composing() {
		items, err := w.list(gvk)
		if err != nil {
			return nil //nolint:nilerr // It is killed just now.
		}
		for _, item := range items {
			if said := driftOf(&item); said != "" {
				alarms = append(alarms, said)
			}
		}
	}
	if len(alarms) > 0 {
		return errors.New(strings.Join(alarms, "\n"))
	}
	return nil
}
