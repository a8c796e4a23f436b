package member

import "github.com/crossplane-capz/crossplane-capz/internal/composer"

// Template composes the Template kinds: nothing, as they are only copied from.
type Template struct{}

// Compose implements composer.Composer.
func (Template) Compose(*composer.Request) (*composer.Result, error) {
	return &composer.Result{Ready: true, Status: map[string]any{}}, nil
}
