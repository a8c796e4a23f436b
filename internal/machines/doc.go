// Package machines is what provider-capz does in Azure itself, beside Azure Service Operator (ASO): what ASO has no kind for, and what carries
// secrets that may be in no object but a Secret.
//
// It reads which sizes a location offers, creates virtual machines from the ASO objects that function-capz has composed, and looks whether
// they are still there. It has no Kubernetes client: package contract/mirror brings what it needs, and notes what it has done.
//
// Nothing that is secret is in an error, a log or what is returned.
package machines
