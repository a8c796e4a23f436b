package arm

func fleetTypes() []*resourceType {
	fleet := containerServiceProtocol()
	fleet.remove.noBody = false
	member := containerServiceProtocol()
	member.create.state = "Joining"
	names := []string{"updateRuns", "updateStrategies", "autoUpgradeProfiles"}
	types := []*resourceType{
		{name: "Microsoft.ContainerService/fleets", tracked: true, protocol: fleet},
		{name: "Microsoft.ContainerService/fleets/members", protocol: member},
	}
	for _, name := range names {
		types = append(types, &resourceType{name: "Microsoft.ContainerService/fleets/" + name, protocol: synchronous})
	}
	return types
}
