package v1beta1

import "strings"

// CredentialFailure returns the value of AnnotationCredentialFailed.
func CredentialFailure(reason, message string) string { return reason + ": " + message }

// ReadCredentialFailure returns reason and message of AnnotationCredentialFailed; both are empty while all is well.
func ReadCredentialFailure(annotations map[string]string) (reason, message string) {
	failed, wrong := annotations[AnnotationCredentialFailed]
	if !wrong {
		return "", ""
	}
	reason, message, found := strings.Cut(failed, ": ")
	if !found {
		return CredentialFailed, failed
	}
	return reason, message
}

// CredentialLost reports whether there was a Secret, and is none any more for one of the reasons in AnnotationCredentialFailed.
func CredentialLost(secret, reason string) bool {
	return secret != "" && (reason == IdentityNotAllowed || reason == CredentialMissing)
}
