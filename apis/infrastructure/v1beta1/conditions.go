package v1beta1

// ConditionDrifted is a condition of composite resources: true while Azure reports a resource of theirs otherwise than it is asked for. It is there
// from the first time on.
const ConditionDrifted = "Drifted"

// ConditionAzureResourceAvailable is a condition of control planes of AKS: what Azure Resource Health says of the cluster. It is there where
// provider-capz asks (spec.resourceHealth of its ProviderConfig), and decides nothing.
const ConditionAzureResourceAvailable = "AzureResourceAvailable"
