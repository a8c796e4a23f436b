package admission

import (
	"context"
	"testing"

	admissionv1 "k8s.io/api/admission/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/controller-runtime/pkg/webhook/admission"
)

func TestRemadeGuard(t *testing.T) {
	for name, tc := range map[string]struct {
		operation admissionv1.Operation
		options   string
		allowed   bool
	}{
		"made by Crossplane's composition": {admissionv1.Create, `{"fieldManager":"apiextensions.crossplane.io/composite"}`, false},
		"composed by another one":          {admissionv1.Create, `{"fieldManager":"apiextensions.crossplane.io/composed/abc"}`, true},
		"made for a claim":                 {admissionv1.Create, `{"fieldManager":"apiextensions.crossplane.io/claim"}`, true},
		"made by a person":                 {admissionv1.Create, `{"fieldManager":"kubectl"}`, true},
		"without a manager":                {admissionv1.Create, `{}`, true},
		"without options":                  {admissionv1.Create, ``, true},
		"not made but changed":             {admissionv1.Update, `{"fieldManager":"apiextensions.crossplane.io/composite"}`, true},
		"unreadable":                       {admissionv1.Create, `[`, false},
	} {
		t.Run(name, func(t *testing.T) {
			response := (&RemadeGuard{}).Handle(context.Background(), admission.Request{AdmissionRequest: admissionv1.AdmissionRequest{
				Operation: tc.operation, Options: runtime.RawExtension{Raw: []byte(tc.options)},
			}})
			if response.Allowed != tc.allowed {
				t.Errorf("allowed: %v (%v), want %v", response.Allowed, response.Result, tc.allowed)
			}
		})
	}
}
