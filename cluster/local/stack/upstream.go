package stack

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

const (
	networkGroup  = "network.azure.com"
	computeGroup  = "compute.azure.com"
	postgresGroup = "dbforpostgresql.azure.com"
)

// asoKinds are the kinds that are installed of the groups of ASO that have many: that of the network has 55, and each costs every
// component that watches or discovers.
var asoKinds = map[string][]string{
	networkGroup: {
		"applicationsecuritygroups", "bastionhosts", "natgateways", "networksecuritygroups",
		"networksecuritygroupssecurityrules", "privateendpoints", "privateendpointsprivatednszonegroups",
		"privatelinkservices", "publicipaddresses", "publicipprefixes", "routetables", "routetablesroutes",
		"virtualnetworks", "virtualnetworkssubnets", "virtualnetworksvirtualnetworkpeerings",
	},
	computeGroup:  nil,
	postgresGroup: nil,
}

// machineKinds are those that only clusters of virtual machines need.
var machineKinds = map[string][]string{
	networkGroup: {
		"loadbalancers", "loadbalancersinboundnatrules", "networkinterfaces", "privatednszones", "privatednszonesarecords",
		"privatednszonesaaaarecords", "privatednszonesvirtualnetworklinks",
	},
	computeGroup: {"availabilitysets", "virtualmachines", "virtualmachinescalesets", "virtualmachinesextensions"},
}

// databaseKinds are those that databases need beside clusters.
var databaseKinds = map[string][]string{
	postgresGroup: {"flexibleservers", "flexibleserversadministrators", "flexibleserversdatabases", "flexibleserversfirewallrules"},
}

// servesASO reports whether ASO is to serve a kind, by the name of its CRD.
func (s *Stack) servesASO(crd string) bool {
	plural, group, _ := strings.Cut(crd, ".")
	kinds, chosen := asoKinds[group]
	return !chosen || slices.Contains(kinds, plural) || s.options.SelfManaged && slices.Contains(machineKinds[group], plural) ||
		s.options.Databases && slices.Contains(databaseKinds[group], plural)
}

// asoCRDs returns the CRDs that ASO is to serve, with the label by which it finds them.
func (s *Stack) asoCRDs() (manifests, error) {
	crds, err := readManifests(filepath.Join(s.sources.asoGenerated, "crd"))
	if err != nil {
		return nil, err
	}
	crds = crds.where(func(u *unstructured.Unstructured) bool { return s.servesASO(u.GetName()) })
	for _, u := range crds {
		u.SetLabels(map[string]string{"app.kubernetes.io/name": "azure-service-operator"})
		conversion := map[string]any{"strategy": "Webhook", "webhook": map[string]any{
			"conversionReviewVersions": []any{"v1"},
			"clientConfig":             map[string]any{"service": map[string]any{"path": "/convert"}},
		}}
		if err := unstructured.SetNestedMap(u.Object, conversion, "spec", "conversion"); err != nil {
			return nil, err
		}
	}
	return crds, nil
}

// asoWebhooks returns ASO's admission webhooks, but those of kinds that are not installed.
func (s *Stack) asoWebhooks(crds manifests) (manifests, error) {
	webhooks, err := readManifests(filepath.Join(s.sources.asoGenerated, "webhook"))
	if err != nil {
		return nil, err
	}
	installed := map[string]bool{}
	for _, u := range crds {
		installed[u.GetName()] = true
	}
	for _, u := range webhooks {
		u.SetName("azureserviceoperator-" + u.GetName())
		err := eachWebhook(u, func(webhook map[string]any) bool {
			rules, _, _ := unstructured.NestedSlice(webhook, "rules")
			for _, r := range rules {
				rule, _ := r.(map[string]any)
				groups, _, _ := unstructured.NestedStringSlice(rule, "apiGroups")
				resources, _, _ := unstructured.NestedStringSlice(rule, "resources")
				if len(groups) == 1 && len(resources) == 1 && installed[resources[0]+"."+groups[0]] {
					return true
				}
			}
			return false
		})
		if err != nil {
			return nil, err
		}
	}
	return webhooks, nil
}

// asoRBAC returns ASO's ServiceAccount and its roles: those of its chart, and the one generated from its markers.
func (s *Stack) asoRBAC() (manifests, error) {
	chart := filepath.Join(s.sources.aso, "charts", "azure-service-operator")
	objects, err := renderChart(chart, "aso", asoNamespace, map[string]any{
		"installCRDs": false,
		// There is no credential for all in it; ASO as a process gets the same by its environment.
		"createAzureOperatorSecret": true, "allowMultiEnvManagement": true,
	})
	if err != nil {
		return nil, fmt.Errorf("chart of Azure Service Operator: %w", err)
	}
	role, err := readManifests(filepath.Join(s.sources.asoGenerated, "rbac"))
	if err != nil {
		return nil, err
	}
	return append(objects.withoutPods(), role...), nil
}

// installASO installs Azure Service Operator and starts it.
func (s *Stack) installASO(ctx context.Context, m milestones) error {
	if s.without(ASO) {
		return nil
	}
	crds, err := s.asoCRDs()
	if err != nil {
		return err
	}
	webhooks, err := s.asoWebhooks(crds)
	if err != nil {
		return err
	}
	rbac, err := s.asoRBAC()
	if err != nil {
		return err
	}
	ca, err := s.webhookCA()
	if err != nil {
		return err
	}
	if err := append(slices.Clone(crds), webhooks...).serveWebhooks(s.state.Ports[portASOWebhook], ca); err != nil {
		return err
	}
	if err := reach(ctx, m.crossplaneKinds); err != nil {
		return err
	}
	if err := s.namespace(ctx, asoNamespace); err != nil {
		return err
	}
	if err := s.apply(ctx, append(slices.Clone(crds), rbac...)); err != nil {
		return err
	}
	if err := s.grantToken(ctx, ASO, asoAccount); err != nil {
		return err
	}
	if err := s.established(ctx, crds); err != nil {
		return err
	}
	if err := s.run(ctx, ASO); err != nil {
		return err
	}
	if err := s.apply(ctx, webhooks); err != nil {
		return err
	}
	s.logf("Azure Service Operator is ready, serving %d kinds", len(crds))
	return nil
}
