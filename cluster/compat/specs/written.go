package specs

// Written returns the spec of a cluster with one pool, of which the specs are given.
func Written(name string, controlPlane, pool map[string]any, version string) *Spec {
	return &Spec{
		Name: name, Cluster: "blue", Version: "1.33.2", Count: 3,
		ControlPlane: object("AzureManagedControlPlane", "blue", "blue", controlPlane),
		Pools:        []Pool{{Object: object("AzureManagedMachinePool", "pool0", "blue", pool), Version: version}},
	}
}

// Rename gives the control plane another name than its Cluster.
func (s *Spec) Rename(name string) { inner(s.ControlPlane, "metadata")["name"] = name }
