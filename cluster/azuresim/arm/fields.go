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

// version2024 is the first api-version of many fields of the network provider and of AKS.
const version2024 = "2024-01-01"
