// Package access reads the composite resources of a Cluster, and the objects that they have composed, and writes to them. It has what
// the packages of the contract controller share.
package access
