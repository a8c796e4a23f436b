// Package adopt turns what Azure has of an AKS cluster into the manifests of Cluster API that stand for it. Azure's answers go in, objects
// come out: it asks nobody, and changes nothing.
//
// Bodies become specs by the conversions of Azure Service Operator (ASO) itself. ASO fills in no references to other resources from what Azure
// answers, so this package does; see references.go. What a spec then sends is compared with the body that it was made from, and what
// is not in it is reported: see losses.go.
package adopt
