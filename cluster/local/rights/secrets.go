package rights

import (
	"fmt"
	"io"
	"maps"
	"slices"

	auditv1 "k8s.io/apiserver/pkg/apis/audit/v1"
)

// SecretsRead returns the Secrets that a user has read one by one or listed outside of a namespace, as the audit log says: what
// Crossplane reads there it may send to a function.
func SecretsRead(log io.Reader, user, outside string) ([]string, error) {
	read := map[string]bool{}
	err := EachEvent(log, func(event *auditv1.Event) {
		ref := event.ObjectRef
		if ref == nil || event.User.Username != user || ref.APIGroup != "" || ref.Resource != "secrets" || ref.Namespace == outside {
			return
		}
		if event.Verb == "get" || event.Verb == "list" {
			read[fmt.Sprintf("%s Secret %s/%s", event.Verb, ref.Namespace, ref.Name)] = true
		}
	})
	return slices.Sorted(maps.Keys(read)), err
}
