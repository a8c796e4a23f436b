// Package signatures has Crossplane itself, with its API server, verify the signatures of this project's packages.
package signatures
