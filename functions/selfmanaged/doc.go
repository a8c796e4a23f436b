// Package selfmanaged composes the kinds of clusters whose control plane are machines of the user's own: AzureCluster and AzureMachine. What
// Azure Service Operator (ASO) objects they stand for is worked out in the packages below; here it is decided when each of them is composed,
// and what the user reads about it.
package selfmanaged
