package selfmanaged

import (
	"context"

	clusterv1beta1 "sigs.k8s.io/cluster-api/api/core/v1beta1" //nolint:staticcheck // CAPZ's scope takes its failure domains.

	"sigs.k8s.io/cluster-api-provider-azure/azure"
	"sigs.k8s.io/cluster-api-provider-azure/azure/scope"
	"sigs.k8s.io/cluster-api-provider-azure/azure/services/bastionhosts"
	"sigs.k8s.io/cluster-api-provider-azure/azure/services/groups"
	"sigs.k8s.io/cluster-api-provider-azure/azure/services/natgateways"
	"sigs.k8s.io/cluster-api-provider-azure/azure/services/privateendpoints"
	"sigs.k8s.io/cluster-api-provider-azure/azure/services/privatelinks"
	"sigs.k8s.io/cluster-api-provider-azure/azure/services/subnets"
	"sigs.k8s.io/cluster-api-provider-azure/azure/services/virtualnetworks"
	apiinternal "sigs.k8s.io/cluster-api-provider-azure/internal/api/v1beta1"
	"sigs.k8s.io/cluster-api-provider-azure/util/reconciler"
)

// reconcileCluster does what CAPZ's controller of AzureClusters does, in its order.
func (w *World) reconcileCluster(ctx context.Context) (cluster *scope.ClusterScope, err error) {
	cluster, err = scope.NewClusterScope(ctx, scope.ClusterScopeParams{
		Client: w.api, Cluster: w.manifests.Cluster, AzureCluster: w.manifests.AzureCluster, CredentialCache: credentials,
		Timeouts: reconciler.Timeouts{}})
	if err != nil {
		return nil, err
	}
	return cluster, withoutPanic(func() error {
		w.prepare(cluster)
		for _, reconcile := range []func() error{
			func() error { return write(ctx, w, groups.New(cluster).Service) },
			func() error { return write(ctx, w, virtualnetworks.New(cluster)) },
			func() error { return w.sendManaged(ctx, cluster, cluster.NSGSpecs()) },
			func() error { return w.sendManaged(ctx, cluster, cluster.RouteTableSpecs()) },
			func() error { return w.send(ctx, cluster.PublicIPSpecs()...) },
			func() error { return write(ctx, w, natgateways.New(cluster)) },
			func() error { return write(ctx, w, subnets.New(cluster)) },
			func() error { return w.send(ctx, cluster.VnetPeeringSpecs()...) },
			func() error { return w.send(ctx, cluster.LBSpecs()...) },
			func() error { return w.sendDNS(ctx, cluster) },
			func() error { return write(ctx, w, privatelinks.New(cluster)) },
			func() error { return write(ctx, w, privateendpoints.New(cluster)) },
			func() error { return write(ctx, w, bastionhosts.New(cluster)) },
		} {
			if err := reconcile(); err != nil {
				return err
			}
		}
		return nil
	})
}

// prepare does what the controller does before it asks the services.
func (w *World) prepare(cluster *scope.ClusterScope) {
	if cluster.ExtendedLocation() == nil {
		for _, zone := range w.azure.Zones {
			cluster.SetFailureDomain(zone, clusterv1beta1.FailureDomainSpec{ControlPlane: true})
		}
	}
	if cluster.ControlPlaneEnabled() {
		apiinternal.SetDefaultAzureClusterBackendPoolName(cluster.AzureCluster)
		cluster.SetDNSName()
		cluster.SetControlPlaneSecurityRules()
	}
}

// sendManaged sends what CAPZ makes in a network that is its own only.
func (w *World) sendManaged(ctx context.Context, cluster *scope.ClusterScope, specs []azure.ResourceSpecGetter) error {
	if !cluster.IsVnetManaged() {
		return nil
	}
	return w.send(ctx, specs...)
}

func (w *World) sendDNS(ctx context.Context, cluster *scope.ClusterScope) error {
	zone, links, records := cluster.PrivateDNSSpec()
	if zone == nil {
		return nil
	}
	return w.send(ctx, append(append([]azure.ResourceSpecGetter{zone}, links...), records...)...)
}
