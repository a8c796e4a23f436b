package capi

import "github.com/crossplane-capz/crossplane-capz/internal/composer"

// ReadOnly composes the kinds that are only read: the Template kinds, which are copied from, and AzureClusterIdentity.
type ReadOnly struct{}

// Compose implements composer.Composer.
func (ReadOnly) Compose(*composer.Request) (*composer.Result, error) {
	return &composer.Result{Ready: true, Status: map[string]any{}}, nil
}
