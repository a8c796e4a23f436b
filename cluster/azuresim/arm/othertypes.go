package arm

// otherTypes are resource types of which only the protocol is known, or a little more.
func otherTypes() []*resourceType {
	return []*resourceType{
		roleAssignmentType(),
	}
}
