package v1beta1

// ConditionDrifted is a condition of composite resources: true while Azure reports a resource of theirs otherwise than it is asked for. It is there
// from the first time on.
const ConditionDrifted = "Drifted"
