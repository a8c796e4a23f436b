package arm

func kubernetesConfigurationTypes() []*resourceType {
	p := protocol{
		create:     answer{status: 201, asyncOperation: true, location: true, state: stateCreating},
		update:     answer{status: 202, asyncOperation: true, state: stateUpdating},
		remove:     answer{status: 202, asyncOperation: true, state: stateDeleting, noBody: true},
		poll:       pollIdentified,
		operations: operationsSegment,
		below:      true,
		statuses:   map[change][]string{create: {stateCreating}, update: {stateUpdating}, remove: {stateDeleting}},
	}
	return []*resourceType{
		{name: "Microsoft.KubernetesConfiguration/extensions", protocol: p, missing: extensionMissing("Extension instance with name '%s' not found.")},
		{name: "Microsoft.KubernetesConfiguration/fluxConfigurations", protocol: p, missing: extensionMissing("The fluxConfiguration was not found. Name: '%s'.")},
	}
}

func extensionMissing(message string) func(ID, *Service, string) *Error {
	return func(id ID, _ *Service, _ string) *Error {
		e := notFound("ResourceNotFound", message, id.Name)
		e.AdditionalInfo = true
		return e
	}
}
