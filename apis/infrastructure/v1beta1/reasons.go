package v1beta1

import "slices"

// Reasons in status.resources that stand for a mistake in the spec, which only a person can correct.
const (
	ReasonInvalidResource   = "InvalidResource"
	ReasonInvalidField      = "InvalidField"
	ReasonRefused           = "RefusedByAPIServer"
	ReasonDuplicateResource = "DuplicateResource"
	ReasonIncompatibleValue = "IncompatibleValue"
	ReasonImmutableField    = "ImmutableField"
	ReasonKindNotInstalled  = "KindNotInstalled"
	ReasonReplicasManagedBy = "ReplicasManagedByOther"
	ReasonGone              = "Gone"
	ReasonControlledByOther = "ControlledByOther"
	ReasonUnsupportedSize   = "UnsupportedVMSize"
)

// IsMistake reports whether a reason in status.resources is one of those.
func IsMistake(reason string) bool {
	return slices.Contains([]string{
		ReasonInvalidResource, ReasonInvalidField, ReasonRefused, ReasonDuplicateResource, ReasonIncompatibleValue, ReasonImmutableField,
		ReasonKindNotInstalled, ReasonReplicasManagedBy, ReasonGone, ReasonControlledByOther, ReasonUnsupportedSize,
	}, reason)
}
