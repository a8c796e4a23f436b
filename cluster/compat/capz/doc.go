// Package oracle says what CAPZ makes of the typed AKS kinds, by CAPZ's own packages: its admission defaults and rules, its
// scopes, and the services that write Azure Service Operator (ASO) objects. Nothing of it is written again here.
package oracle
