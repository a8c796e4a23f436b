package arm

// Names of fields that many kinds of resources have.
const (
	fieldProperties = "properties"
	fieldState      = "provisioningState"
	fieldPrincipal  = "principalId"
	fieldCreated    = "timeCreated"
	fieldStatus     = "status"
	// listConfigurations and listFrontends are the lists of what has addresses.
	listConfigurations = "ipConfigurations"
	listFrontends      = "frontendIPConfigurations"
)

// Api-versions from or up to which many fields of the network provider and of AKS are shown.
const (
	version2024 = "2024-01-01"
	version2025 = "2025-01-01"
)
