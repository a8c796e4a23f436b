package network

import (
	"fmt"
	"slices"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/crossplane-capz/crossplane-capz/apis/infrastructure/v1beta1"
	"github.com/crossplane-capz/crossplane-capz/functions/typed"
	"github.com/crossplane-capz/crossplane-capz/internal/aso"
	"github.com/crossplane-capz/crossplane-capz/internal/field"
)

// Roles of load balancers, in their tags.
const (
	roleAPIServer            = "apiserver"
	roleAPIServerInternal    = "apiserver-internal"
	roleNodeOutbound         = "nodeOutbound"
	roleControlPlaneOutbound = "controlPlaneOutbound"
)

// suffixInternal is what the names of the second load balancer of the API server, and of its pool, end with.
const suffixInternal = "-internal"

// A balancer is one load balancer of the cluster.
type balancer struct {
	*v1beta1.LoadBalancerSpec

	path, name, pool, role string
	internal               bool
	frontends              []frontend
	// kept says that the frontends are not those of the spec; empty if they are.
	kept string
	// lifecycle is that of the load balancers which the cloud controller of the cluster writes, too.
	lifecycle aso.Lifecycle
}

// A frontend is one address of a load balancer, with the field that has it.
type frontend struct {
	v1beta1.FrontendIP

	path string
}

// balancers returns the load balancers of the cluster.
func (n *Network) balancers() []balancer {
	var all []balancer
	spec := &n.spec.NetworkSpec
	if n.spec.ControlPlaneEnabled && spec.APIServerLB != nil {
		all = append(all, n.apiServerBalancers(spec.APIServerLB)...)
	}
	outbound := func(lb *v1beta1.LoadBalancerSpec, field, role string) {
		if lb == nil {
			return
		}
		path := "spec.networkSpec." + field
		b := balancer{LoadBalancerSpec: lb, path: path, name: lb.Name, pool: lb.BackendPool.Name, role: role, lifecycle: aso.CreateOnly}
		b.frontends = frontendsOf(path, lb)
		asked := len(b.frontends)
		b.frontends = n.existing(b)
		switch {
		case len(b.frontends) > asked:
			b.kept = fmt.Sprintf("it keeps its %d addresses, though %s.frontendIPsCount is %d: the cloud controller of the cluster writes it, too, and may use them", len(b.frontends), path, asked)
		case n.lacks(b):
			b.kept = "it is given the addresses that " + path + ".frontendIPsCount asks for"
		}
		all = append(all, b)
	}
	outbound(spec.NodeOutboundLB, "nodeOutboundLB", roleNodeOutbound)
	if n.spec.ControlPlaneEnabled {
		outbound(spec.ControlPlaneOutboundLB, "controlPlaneOutboundLB", roleControlPlaneOutbound)
	}
	return all
}

// OfNodes reports whether an object is that of the load balancer by which nodes reach the world.
func OfNodes(obj *unstructured.Unstructured) bool {
	return obj.GroupVersionKind().GroupKind() == aso.LoadBalancer.GroupKind() && specTags.Value(obj)[typed.TagRole] == roleNodeOutbound
}

var specTags = field.At[map[string]any]("spec", "tags")

// apiServerBalancers returns the load balancer of the API server and, where a public one has a private address as well, an internal one
// beside it for the nodes.
func (n *Network) apiServerBalancers(lb *v1beta1.LoadBalancerSpec) []balancer {
	const path = "spec.networkSpec.apiServerLB"
	main := balancer{LoadBalancerSpec: lb, path: path, name: lb.Name, pool: lb.BackendPool.Name, role: roleAPIServer, internal: lb.Type == v1beta1.Internal}
	twin := balancer{LoadBalancerSpec: lb, path: path, name: lb.Name + suffixInternal, pool: lb.BackendPool.Name + suffixInternal, role: roleAPIServerInternal, internal: true}
	for _, f := range frontendsOf(path, lb) {
		switch {
		case len(main.frontends) == 0 && (main.internal || f.PublicIP != nil):
			main.frontends = []frontend{f}
		case !main.internal && f.PrivateIPAddress != "" && len(twin.frontends) == 0:
			twin.frontends = []frontend{f}
		}
	}
	if len(twin.frontends) == 0 {
		return []balancer{main}
	}
	return []balancer{main, twin}
}

func frontendsOf(path string, lb *v1beta1.LoadBalancerSpec) []frontend {
	var all []frontend
	for i, ip := range lb.FrontendIPs {
		all = append(all, frontend{ip, fmt.Sprintf("%s.frontendIPs[%d]", path, i)})
	}
	return all
}

// existing returns the frontends of a load balancer that others write, too: those that it has, whatever the spec says, and as many more as the spec
// asks for. Without an object that tells, these are the ones of the spec.
func (n *Network) existing(b balancer) []frontend {
	composed := n.onlyRead(b)
	if composed == nil {
		return b.frontends
	}
	var all []frontend
	for _, m := range field.Maps(specFrontends.Value(composed)) {
		if name, ip := field.Text(m["name"]), publicIPName(m); name != "" && ip != "" {
			all = append(all, frontend{v1beta1.FrontendIP{Name: name, PublicIP: &v1beta1.PublicIPSpec{Name: ip}}, b.path})
		}
	}
	for _, f := range b.frontends {
		there := slices.ContainsFunc(all, func(other frontend) bool { return sameName(f.Name, other.Name) })
		if !there && f.PublicIP != nil && len(all) < len(b.frontends) {
			all = append(all, f)
		}
	}
	return all
}

// onlyRead returns the object of a load balancer that ASO may only read; nil while it may write it.
func (n *Network) onlyRead(b balancer) *unstructured.Unstructured {
	composed := n.composed(aso.LoadBalancer, v1beta1.ASOObjectName(b.name))
	if composed == nil || aso.LifecycleOf(composed) != aso.CreateOnly {
		return nil
	}
	return composed
}

// lacks reports whether a load balancer that ASO may only read has not got all of its frontends in Azure yet, as far as ASO and provider-capz tell.
func (n *Network) lacks(b balancer) bool {
	composed := n.onlyRead(b)
	if composed == nil || !statusFrontends.Has(composed) {
		return false
	}
	has := slices.Clone(n.live.Frontends[composed.GetName()])
	for _, m := range field.Maps(statusFrontends.Value(composed)) {
		has = append(has, field.Text(m["name"]))
	}
	return slices.ContainsFunc(b.frontends, func(f frontend) bool { return !slices.Contains(has, f.Name) })
}

var (
	specFrontends   = field.At[[]any]("spec", "frontendIPConfigurations")
	statusFrontends = field.At[[]any]("status", "frontendIPConfigurations")
)

// publicIPName returns the name of the public IP address of a frontend of an object; empty if it has none.
func publicIPName(frontend map[string]any) string {
	address, _ := frontend["publicIPAddress"].(map[string]any)
	reference, _ := address["reference"].(map[string]any)
	if id := aso.ParseID(field.Text(reference["armId"])); id != nil {
		return id.Name
	}
	return ""
}

// publicIPs returns the public IP addresses of a load balancer. Those of a public one have the zones, an internal one has them itself.
func (b balancer) publicIPs() []publicIP {
	var all []publicIP
	for _, f := range b.frontends {
		if f.PublicIP != nil && !b.internal {
			all = append(all, publicIP{path: f.path + ".publicIP", PublicIPSpec: *f.PublicIP, zones: b.AvailabilityZones, edge: true})
		}
	}
	return all
}

// servesAPI reports whether the load balancer passes on to API servers.
func (b balancer) servesAPI() bool { return b.role == roleAPIServer || b.role == roleAPIServerInternal }
