// Package schema tests the kinds of this project against a real kube-apiserver: what it accepts, refuses, keeps and
// explains of them, and that they take every manifest that CAPZ's own CustomResourceDefinitions take.
//
// The API server is the local stack's, started with etcd and nothing else. The CustomResourceDefinitions are those that
// Crossplane makes from package/configuration, made by Crossplane's own code.
package schema
