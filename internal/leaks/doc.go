// Package leaks finds values of Secrets in what a management cluster has written elsewhere: logs, objects, Events, messages.
//
// What is secret is learnt from the Secrets themselves, of which a Haul keeps every value that there ever was, in the pieces
// that somebody could sign in with: the token of a kubeconfig, not its server. Each is looked for as it is and in the encodings
// in which it could be written. Values that are no secret are told by rule: certificates, identifiers, host names, words. What
// has the form of a signed token or a private key is found also when no Secret has it.
//
// No finding holds the value that was found. Redact and RedactObject take what is found out of what others are to read, and besides what only
// looks like a secret.
package leaks
