package main

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/crossplane-capz/crossplane-capz/internal/changes"
)

// printRole prints the role that the manifests need, and on standard error what it may lack.
func (o *planOptions) printRole(ctx context.Context, manifests []*unstructured.Unstructured) error {
	q, err := o.ask(ctx, manifests)
	mistakes := []changes.Mistake(nil)
	var role *changes.Role
	if err == nil {
		mistakes = q.mistakes
	}
	if err == nil && len(mistakes) == 0 {
		role, mistakes, err = changes.MakeRole(ctx, q.Input, o.subscription)
	}
	o.done()
	if err != nil {
		return err
	}
	if len(mistakes) > 0 {
		return errors.Join(errShown, changes.Text(o.ErrOut, changes.Refused(mistakes), coloured(o.ErrOut)))
	}
	for _, note := range slices.Concat(q.notes, q.notExpanded, q.pipeline.Notes()) {
		if _, err := fmt.Fprintln(o.ErrOut, "Note:", note); err != nil {
			return err
		}
	}
	return encode(o.Out, o.output, role)
}
