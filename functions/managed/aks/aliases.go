package aks

import (
	"fmt"

	"go.yaml.in/yaml/v3"
)

// mostExpanded is how large the YAML of a patch may become: no object in Kubernetes is larger.
const mostExpanded = 1 << 20

// bounded refuses YAML whose aliases (*name) stand for more than any object can have. The parser expands them, and a patch
// of a few lines could take all the memory that there is.
func bounded(patch string) error {
	document := &yaml.Node{}
	if err := yaml.Unmarshal([]byte(patch), document); err != nil {
		return err
	}
	if expandedSize(document, map[*yaml.Node]int{}) >= mostExpanded {
		return fmt.Errorf("with its aliases (*name) expanded it has more than %d bytes", mostExpanded)
	}
	return nil
}

// expandedSize returns how many bytes a node has about, up to mostExpanded. What stands for itself has no end.
func expandedSize(node *yaml.Node, known map[*yaml.Node]int) int {
	if size, seen := known[node]; seen {
		return size
	}
	known[node] = mostExpanded
	size := len(node.Value) + len(`"",`)
	if node.Alias != nil {
		size = expandedSize(node.Alias, known)
	}
	for _, inner := range node.Content {
		size = min(size+expandedSize(inner, known), mostExpanded)
	}
	known[node] = size
	return size
}
