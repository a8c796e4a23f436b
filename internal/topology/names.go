package topology

import (
	"bytes"
	"cmp"
	"text/template"

	"sigs.k8s.io/cluster-api/exp/topology/scope"
)

const (
	// chance stands in names for the letters that Cluster API chooses by chance.
	chance = "xxxxx"
	// longestName is how long Cluster API makes names.
	longestName = 63
	// namedForCluster and others are how Cluster API names what a ClusterClass has no naming for (Cluster API's book, ClusterClass, "Defining a
	// custom naming strategy").
	namedForCluster    = "{{ .cluster.name }}-{{ .random }}"
	namedForDeployment = "{{ .cluster.name }}-{{ .machineDeployment.topologyName }}-{{ .random }}"
	namedForPool       = "{{ .cluster.name }}-{{ .machinePool.topologyName }}-{{ .random }}"
)

// namesOf returns the names for what is new, by those that Cluster API has just chosen.
func namesOf(s *scope.Scope, w *wanted) map[string]string {
	names, class, cluster := map[string]string{}, s.Blueprint.ClusterClass.Spec, s.Current.Cluster
	name := func(old, new string) {
		if new != "" && old != new {
			names[old] = new
		}
	}
	if s.Current.InfrastructureCluster == nil {
		name(w.infrastructure.GetName(), rendered(class.Infrastructure.Naming.Template, namedForCluster, cluster.Name, nil))
	}
	if s.Current.ControlPlane.Object == nil {
		name(w.controlPlane.GetName(), rendered(class.ControlPlane.Naming.Template, namedForCluster, cluster.Name, nil))
	}
	if w.machineTemplate != nil && s.Current.ControlPlane.InfrastructureMachineTemplate == nil {
		name(w.machineTemplate.GetName(), simpleName(cluster.Name+"-"))
	}
	for topologyName, of := range w.deployments {
		current := s.Current.MachineDeployments[topologyName]
		if current == nil {
			naming := ""
			for _, c := range class.Workers.MachineDeployments {
				if c.Class == classOfDeployment(cluster, topologyName) {
					naming = c.Naming.Template
				}
			}
			name(of.object.GetName(), rendered(naming, namedForDeployment, cluster.Name, map[string]any{"machineDeployment": map[string]any{"topologyName": topologyName}}))
			name(of.infrastructure.GetName(), simpleName(cluster.Name+"-"+topologyName+"-"))
			name(of.bootstrap.GetName(), simpleName(cluster.Name+"-"+topologyName+"-"))
		}
	}
	for topologyName, of := range w.pools {
		if s.Current.MachinePools[topologyName] == nil {
			naming := ""
			for _, c := range class.Workers.MachinePools {
				if c.Class == classOfPool(cluster, topologyName) {
					naming = c.Naming.Template
				}
			}
			name(of.object.GetName(), rendered(naming, namedForPool, cluster.Name, map[string]any{"machinePool": map[string]any{"topologyName": topologyName}}))
			name(of.infrastructure.GetName(), simpleName(cluster.Name+"-"+topologyName+"-"))
			name(of.bootstrap.GetName(), simpleName(cluster.Name+"-"+topologyName+"-"))
		}
	}
	return names
}

// simpleName returns a name with letters of chance at its end.
func simpleName(prefix string) string {
	return prefix[:min(len(prefix), longestName-len(chance))] + chance
}

// rendered returns the name that a naming of a ClusterClass gives; empty for one that Cluster API could not use.
func rendered(naming, otherwise, cluster string, data map[string]any) string {
	if data == nil {
		data = map[string]any{}
	}
	data["cluster"], data["random"] = map[string]any{"name": cluster}, chance
	parsed, err := template.New("").Option("missingkey=error").Parse(cmp.Or(naming, otherwise))
	var name bytes.Buffer
	if err != nil || parsed.Execute(&name, data) != nil {
		return ""
	}
	if name.Len() > longestName {
		return simpleName(name.String())
	}
	return name.String()
}
