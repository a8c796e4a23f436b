// Package arm is what Azure Resource Manager (ARM) is told of resources: what Azure Service Operator (ASO) makes of its objects, and bodies
// that are sent to ARM without it, so that they can be compared.
package arm
