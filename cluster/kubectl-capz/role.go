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
	if err != nil {
		o.done()
		return err
	}
	mistakes, notes := q.mistakes, q.notes
	var role *changes.Role
	if len(mistakes) == 0 {
		var more []string
		role, mistakes, more, err = changes.MakeRole(ctx, q.Input, o.subscription)
		notes = slices.Concat(notes, more, q.pipeline.Notes())
	}
	o.done()
	if err != nil {
		return err
	}
	if len(mistakes) > 0 {
		return errors.Join(errShown, changes.Text(o.ErrOut, changes.Refused(mistakes), coloured(o.ErrOut)))
	}
	for _, note := range notes {
		if _, err := fmt.Fprintln(o.ErrOut, "Note:", note); err != nil {
			return err
		}
	}
	return encode(o.Out, o.output, role)
}
