package member

import "github.com/crossplane-capz/crossplane-capz/internal/composer"

// Template composes the kinds that are only read: the Template kinds, which are copied from, and AzureClusterIdentity.
type Template struct{}

// Compose implements composer.Composer.
func (Template) Compose(*composer.Request) (*composer.Result, error) {
	return &composer.Result{Ready: true, Status: map[string]any{}}, nil
}
