package admission

import (
	"context"
	"reflect"

	admissionv1 "k8s.io/api/admission/v1"
	"k8s.io/apimachinery/pkg/util/validation/field"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"
	"sigs.k8s.io/controller-runtime/pkg/webhook/admission"

	"github.com/crossplane-capz/crossplane-capz/apis/infrastructure/v1beta1"
	"github.com/crossplane-capz/crossplane-capz/internal/defaulting"
)

// machine reports what the schemas of AzureMachine, AzureMachinePool and AzureMachineTemplate cannot say: whether an SSH key is one, and that
// a template stays as it is.
func machine(_ context.Context, req admission.Request) (field.ErrorList, error) {
	switch req.Kind.Kind {
	case machineTemplateKind:
		return machineTemplate(req)
	case machinePoolKind:
		return machinePool(req)
	}
	m, err := decode[v1beta1.AzureMachine](req.Object.Raw)
	if err != nil || req.Operation != admissionv1.Create {
		return nil, err
	}
	return sshPublicKey(field.NewPath("spec", "sshPublicKey"), m.Spec.SSHPublicKey), nil
}

// machinePool reports whether the SSH key of new instances is one, as often as it changes.
func machinePool(req admission.Request) (field.ErrorList, error) {
	pool, err := decode[v1beta1.AzureMachinePool](req.Object.Raw)
	if err != nil {
		return nil, err
	}
	key := pool.Spec.Template.SSHPublicKey
	if req.Operation == admissionv1.Update {
		before, err := decode[v1beta1.AzureMachinePool](req.OldObject.Raw)
		if err != nil || before.Spec.Template.SSHPublicKey == key {
			return nil, err
		}
	}
	return sshPublicKey(field.NewPath("spec", "template", "sshPublicKey"), key), nil
}

// machineTemplate reports whether the template stays as it is. A topology tries what a change would be by a dry run, to make a new template
// of it (Cluster API, "Contract rules for InfraMachineTemplate": immutability).
func machineTemplate(req admission.Request) (field.ErrorList, error) {
	path := field.NewPath("spec", "template", "spec")
	template, err := decode[v1beta1.AzureMachineTemplate](req.Object.Raw)
	if err != nil {
		return nil, err
	}
	if req.Operation == admissionv1.Create {
		return sshPublicKey(path.Child("sshPublicKey"), template.Spec.Template.Spec.SSHPublicKey), nil
	}
	_, tried := template.Annotations[clusterv1.TopologyDryRunAnnotation]
	if tried && req.DryRun != nil && *req.DryRun {
		return nil, nil
	}
	before, err := decode[v1beta1.AzureMachineTemplate](req.OldObject.Raw)
	if err != nil {
		return nil, err
	}
	defaulting.MachineTemplate(&before.Spec.Template.Spec.AzureMachineClassSpec)
	defaulting.MachineTemplate(&template.Spec.Template.Spec.AzureMachineClassSpec)
	if reflect.DeepEqual(before.Spec.Template.Spec, template.Spec.Template.Spec) {
		return nil, nil
	}
	return field.ErrorList{field.Forbidden(path, "cannot be changed: make another AzureMachineTemplate, and have the control plane or MachineDeployment name that")}, nil
}
