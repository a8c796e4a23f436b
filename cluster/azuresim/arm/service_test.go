package arm_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/crossplane-capz/crossplane-capz/cluster/azuresim/arm/armtest"
	"github.com/crossplane-capz/crossplane-capz/cluster/azuresim/arm/fields"
)

// TestRefusals checks what Azure does not do.
func TestRefusals(t *testing.T) {
	cases := map[string]struct {
		before []armtest.Request
		armtest.Request
		status int
		code   string
	}{
		"no api-version":           {nil, armtest.Request{http.MethodGet, armtest.Group + "?api-version=", ""}, 400, "MissingApiVersionParameter"},
		"no JSON":                  {[]armtest.Request{armtest.CreateGroup}, armtest.Request{http.MethodPut, armtest.Network, "{"}, 400, "InvalidRequestContent"},
		"unknown region":           {nil, armtest.Request{http.MethodPut, armtest.Group, `{"location":"moon"}`}, 400, "LocationNotAvailableForResourceGroup"},
		"group without location":   {nil, armtest.Request{http.MethodPut, armtest.Group, `{}`}, 400, "LocationRequired"},
		"no group":                 {nil, armtest.CreateNetwork, 404, "ResourceGroupNotFound"},
		"delete without group":     {nil, armtest.Request{http.MethodDelete, armtest.Network, ""}, 404, "ResourceGroupNotFound"},
		"no location":              {[]armtest.Request{armtest.CreateGroup}, armtest.Request{http.MethodPut, armtest.Network, `{"properties":{}}`}, 400, "LocationRequired"},
		"another location":         {[]armtest.Request{armtest.CreateGroup, armtest.CreateNetwork}, armtest.Request{http.MethodPut, armtest.Network, `{"location":"westus","properties":{}}`}, 409, "InvalidResourceLocation"},
		"no parent":                {[]armtest.Request{armtest.CreateGroup}, armtest.CreateSubnet, 404, "ParentResourceNotFound"},
		"get below an absent one":  {[]armtest.Request{armtest.CreateGroup}, armtest.Request{http.MethodGet, armtest.Subnet, ""}, 404, "ResourceNotFound"},
		"absent child":             {[]armtest.Request{armtest.CreateGroup, armtest.CreateNetwork}, armtest.Request{http.MethodGet, armtest.Subnet, ""}, 404, "NotFound"},
		"subnet in use":            {[]armtest.Request{armtest.CreateGroup, armtest.CreateNetwork, armtest.CreateSubnet, {http.MethodPut, armtest.Cluster, armtest.ClusterInSubnet}}, armtest.Request{http.MethodDelete, armtest.Subnet, ""}, 400, "InUseSubnetCannotBeDeleted"},
		"network in use":           {[]armtest.Request{armtest.CreateGroup, armtest.CreateNetwork, armtest.CreateSubnet, {http.MethodPut, armtest.Cluster, armtest.ClusterInSubnet}}, armtest.Request{http.MethodDelete, armtest.Network, ""}, 400, "InUseSubnetCannotBeDeleted"},
		"subnet dropped in use":    {[]armtest.Request{armtest.CreateGroup, armtest.CreateNetwork, armtest.CreateSubnet, {http.MethodPut, armtest.Cluster, armtest.ClusterInSubnet}}, armtest.Request{http.MethodPut, armtest.Network, `{"location":"eastus","properties":{"addressSpace":{"addressPrefixes":["10.0.0.0/8"]},"subnets":[]}}`}, 400, "InUseSubnetCannotBeDeleted"},
		"security group in use":    {[]armtest.Request{armtest.CreateGroup, armtest.CreateNetwork, armtest.CreateGuard, {http.MethodPut, armtest.Subnet, `{"properties":{"addressPrefix":"10.0.0.0/16","networkSecurityGroup":{"id":"` + armtest.Guard + `"}}}`}}, armtest.Request{http.MethodDelete, armtest.Guard, ""}, 400, "InUseNetworkSecurityGroupCannotBeDeleted"},
		"subnet of pool absent":    {[]armtest.Request{armtest.CreateGroup}, armtest.Request{http.MethodPut, armtest.Cluster, armtest.ClusterInSubnet}, 400, "InvalidResourceReference"},
		"cluster without pools":    {[]armtest.Request{armtest.CreateGroup}, armtest.Request{http.MethodPut, armtest.Cluster, `{"location":"eastus","properties":{"dnsPrefix":"a"}}`}, 400, "InvalidParameter"},
		"cluster without system":   {[]armtest.Request{armtest.CreateGroup}, armtest.Request{http.MethodPut, armtest.Cluster, `{"location":"eastus","properties":{"dnsPrefix":"a","agentPoolProfiles":[{"name":"a","mode":"User"}]}}`}, 400, "MustDefineAtLeastOneSystemPool"},
		"unknown version":          {[]armtest.Request{armtest.CreateGroup}, armtest.Request{http.MethodPut, armtest.Cluster, strings.Replace(armtest.ClusterBody, "1.32.5", "1.99.0", 1)}, 400, "K8sVersionNotSupported"},
		"unknown patch version":    {[]armtest.Request{armtest.CreateGroup}, armtest.Request{http.MethodPut, armtest.Cluster, strings.Replace(armtest.ClusterBody, "1.32.5", "1.32.99", 1)}, 400, "K8sVersionNotSupported"},
		"downgrade":                {[]armtest.Request{armtest.CreateGroup, armtest.CreateCluster}, armtest.Request{http.MethodPut, armtest.Cluster, strings.Replace(armtest.ClusterBody, "1.32.5", "1.31.5", 1)}, 400, "OperationNotAllowed"},
		"minor version skipped":    {[]armtest.Request{armtest.CreateGroup, armtest.CreateCluster}, armtest.Request{http.MethodPut, armtest.Cluster, strings.Replace(armtest.ClusterBody, "1.32.5", "1.34.0", 1)}, 400, "OperationNotAllowed"},
		"pool above control plane": {[]armtest.Request{armtest.CreateGroup, armtest.CreateCluster}, armtest.Request{http.MethodPut, armtest.Cluster + "/agentPools/b", `{"properties":{"count":1,"orchestratorVersion":"1.33.1","vmSize":"x"}}`}, 400, "NodePoolMcVersionIncompatible"},
		"autoscaling unbounded":    {[]armtest.Request{armtest.CreateGroup, armtest.CreateCluster}, armtest.Request{http.MethodPut, armtest.Pool, `{"properties":{"mode":"System","enableAutoScaling":true,"vmSize":"x"}}`}, 400, "InvalidParameter"},
		"pool without count":       {[]armtest.Request{armtest.CreateGroup, armtest.CreateCluster}, armtest.Request{http.MethodPut, armtest.Cluster + "/agentPools/b", `{"properties":{"enableAutoScaling":true,"minCount":1,"maxCount":3}}`}, 400, "InvalidParameter"},
		"System pool of nothing":   {[]armtest.Request{armtest.CreateGroup}, armtest.Request{http.MethodPut, armtest.Cluster, strings.Replace(armtest.ClusterBody, `"count":1`, `"count":0`, 1)}, 400, "InvalidParameter"},
		"System pool to nothing":   {[]armtest.Request{armtest.CreateGroup, armtest.CreateCluster}, armtest.Request{http.MethodPut, armtest.Pool, `{"properties":{"mode":"System","count":0}}`}, 400, "InvalidParameter"},
		"System pool from nothing": {[]armtest.Request{armtest.CreateGroup, armtest.CreateCluster}, armtest.Request{http.MethodPut, armtest.Pool, `{"properties":{"mode":"System","enableAutoScaling":true,"minCount":0,"maxCount":3}}`}, 400, "InvalidParameter"},
		"empty pool made System":   {[]armtest.Request{armtest.CreateGroup, armtest.CreateCluster, {http.MethodPut, armtest.Cluster + "/agentPools/b", `{"properties":{"count":0}}`}}, armtest.Request{http.MethodPut, armtest.Cluster + "/agentPools/b", `{"properties":{"mode":"System"}}`}, 400, "InvalidParameter"},
		"pool of too many":         {[]armtest.Request{armtest.CreateGroup, armtest.CreateCluster}, armtest.Request{http.MethodPut, armtest.Cluster + "/agentPools/b", `{"properties":{"count":1001}}`}, 400, "InvalidParameter"},
		"autoscaled pool scaled":   {[]armtest.Request{armtest.CreateGroup, armtest.CreateCluster, {http.MethodPut, armtest.Pool, `{"properties":{"mode":"System",` + armtest.Autoscaled + `}}`}}, armtest.Request{http.MethodPut, armtest.Pool, `{"properties":{"mode":"System","count":2,` + armtest.Autoscaled + `}}`}, 400, "InvalidParameter"},
		"autoscaled in the cluster": {[]armtest.Request{armtest.CreateGroup, armtest.CreateCluster, {http.MethodPut, armtest.Pool, `{"properties":{"mode":"System",` + armtest.Autoscaled + `}}`}},
			armtest.Request{http.MethodPut, armtest.Cluster, strings.Replace(armtest.ClusterBody, `"count":1`, `"count":2,`+armtest.Autoscaled, 1)}, 400, "InvalidParameter"},
		"scaled and autoscaled":    {[]armtest.Request{armtest.CreateGroup, armtest.CreateCluster}, armtest.Request{http.MethodPut, armtest.Pool, `{"properties":{"mode":"System","count":2,` + armtest.Autoscaled + `}}`}, 400, "InvalidParameter"},
		"group of odd letters":     {nil, armtest.Request{http.MethodPut, "/subscriptions/s/resourceGroups/my%20group", `{"location":"eastus"}`}, 400, "InvalidResourceGroup"},
		"group that ends in .":     {nil, armtest.Request{http.MethodPut, armtest.Group + ".", `{"location":"eastus"}`}, 400, "InvalidResourceGroup"},
		"group of a long name":     {nil, armtest.Request{http.MethodPut, armtest.Group + strings.Repeat("x", 90), `{"location":"eastus"}`}, 400, "InvalidResourceGroup"},
		"not hosted, no pools":     {[]armtest.Request{armtest.CreateGroup}, armtest.Request{http.MethodPut, armtest.Cluster, `{"location":"eastus","sku":{"name":"Automatic","tier":"Standard"},"properties":{"dnsPrefix":"a","hostedSystemProfile":{"enabled":false}}}`}, 400, "InvalidParameter"},
		"last system pool":         {[]armtest.Request{armtest.CreateGroup, armtest.CreateCluster}, armtest.Request{http.MethodDelete, armtest.Pool, ""}, 400, "OperationNotAllowed"},
		"last system pool to user": {[]armtest.Request{armtest.CreateGroup, armtest.CreateCluster}, armtest.Request{http.MethodPut, armtest.Pool, `{"properties":{"mode":"User","vmSize":"x"}}`}, 400, "OperationNotAllowed"},
		"absent pool":              {[]armtest.Request{armtest.CreateGroup, armtest.CreateCluster}, armtest.Request{http.MethodGet, armtest.Cluster + "/agentPools/b", ""}, 404, "NotFound"},
		"unknown action":           {[]armtest.Request{armtest.CreateGroup, armtest.CreateCluster}, armtest.Request{http.MethodPost, armtest.Cluster + "/dance", ""}, 404, "InvalidResourceType"},
		"pool of another size":     {[]armtest.Request{armtest.CreateGroup, armtest.CreateCluster}, armtest.Request{http.MethodPut, armtest.Pool, `{"properties":{"mode":"System","vmSize":"another"}}`}, 400, "PropertyChangeNotAllowed"},
		"another DNS prefix":       {[]armtest.Request{armtest.CreateGroup, armtest.CreateCluster}, armtest.Request{http.MethodPut, armtest.Cluster, strings.Replace(armtest.ClusterBody, `"dnsPrefix":"`, `"dnsPrefix":"other`, 1)}, 400, "PropertyChangeNotAllowed"},
		"services among the nodes": {[]armtest.Request{armtest.CreateGroup, armtest.CreateNetwork, {http.MethodPut, armtest.Subnet, `{"properties":{"addressPrefix":"10.0.0.0/24"}}`}}, armtest.Request{http.MethodPut, armtest.Cluster, armtest.ClusterInSubnet}, 400, "ServiceCidrOverlapExistingSubnetsCidr"},
		"DNS outside of services":  {[]armtest.Request{armtest.CreateGroup}, armtest.Request{http.MethodPut, armtest.Cluster, strings.Replace(armtest.ClusterBody, `"dnsPrefix"`, `"networkProfile":{"serviceCidr":"192.168.0.0/16","dnsServiceIP":"10.0.0.10"},"dnsPrefix"`, 1)}, 400, "InvalidDnsServiceIP"},
		"OIDC issuer off":          {[]armtest.Request{armtest.CreateGroup, {http.MethodPut, armtest.Cluster, strings.Replace(armtest.ClusterBody, `"dnsPrefix"`, `"oidcIssuerProfile":{"enabled":true},"dnsPrefix"`, 1)}}, armtest.Request{http.MethodPut, armtest.Cluster, strings.Replace(armtest.ClusterBody, `"dnsPrefix"`, `"oidcIssuerProfile":{"enabled":false},"dnsPrefix"`, 1)}, 400, "OIDCIssuerFeatureCannotBeDisabled"},
		"endpoint in no subnet":    {[]armtest.Request{armtest.CreateGroup, armtest.CreateNetwork}, armtest.CreateEndpoint, 400, "InvalidResourceReference"},
		"subnet with an endpoint":  {[]armtest.Request{armtest.CreateGroup, armtest.CreateNetwork, armtest.CreateSubnet, armtest.CreateEndpoint}, armtest.Request{http.MethodDelete, armtest.Subnet, ""}, 400, "InUseSubnetCannotBeDeleted"},
		"fleet member of nothing":  {[]armtest.Request{armtest.CreateGroup, armtest.CreateFleet}, armtest.Request{http.MethodPut, armtest.CreateFleet[1] + "/members/a", `{"properties":{"clusterResourceId":"` + armtest.Cluster + `"}}`}, 400, "InvalidResourceReference"},
		"peering to nowhere":       {[]armtest.Request{armtest.CreateGroup, armtest.CreateNetwork}, armtest.Request{http.MethodPut, armtest.Network + "/virtualNetworkPeerings/p", `{"properties":{"remoteVirtualNetwork":{"id":"` + armtest.Group + `/providers/Microsoft.Network/virtualNetworks/b"}}}`}, 400, "InvalidResourceReference"},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			armtest.CheckRefused(t, c.before, c.Request, c.status, c.code)
		})
	}
}

// TestBusy checks what is refused while another operation runs.
func TestBusy(t *testing.T) {
	newPool := armtest.Request{http.MethodPut, armtest.Cluster + "/agentPools/b", `{"properties":{"count":1,"vmSize":"x"}}`}
	cases := map[string]struct {
		settled []armtest.Request
		running armtest.Request
		armtest.Request
		status int
		code   string
	}{
		"pool while the cluster is created":        {[]armtest.Request{armtest.CreateGroup}, armtest.CreateCluster, newPool, 409, "OperationNotAllowed"},
		"cluster while it is created":              {[]armtest.Request{armtest.CreateGroup}, armtest.CreateCluster, armtest.CreateCluster, 409, "OperationNotAllowed"},
		"delete of a pool while cluster updates":   {[]armtest.Request{armtest.CreateGroup, armtest.CreateCluster, newPool}, armtest.CreateCluster, armtest.Request{http.MethodDelete, newPool[1], ""}, 409, "OperationNotAllowed"},
		"cluster while a pool is created":          {[]armtest.Request{armtest.CreateGroup, armtest.CreateCluster}, newPool, armtest.CreateCluster, 409, "OperationNotAllowed"},
		"put while it is deleted":                  {[]armtest.Request{armtest.CreateGroup, armtest.CreateNetwork}, armtest.Request{http.MethodDelete, armtest.Network, ""}, armtest.CreateNetwork, 409, "AnotherOperationInProgress"},
		"put while the group is deleted":           {[]armtest.Request{armtest.CreateGroup}, armtest.Request{http.MethodDelete, armtest.Group, ""}, armtest.CreateNetwork, 409, "ResourceGroupBeingDeleted"},
		"subnet while the network is created":      {[]armtest.Request{armtest.CreateGroup}, armtest.CreateNetwork, armtest.CreateSubnet, 409, "AnotherOperationInProgress"},
		"subnet while another subnet is created":   {[]armtest.Request{armtest.CreateGroup, armtest.CreateNetwork}, armtest.CreateSubnet, armtest.Request{http.MethodPut, armtest.Network + "/subnets/b", armtest.SubnetBody}, 409, "AnotherOperationInProgress"},
		"peering while the network is not settled": {[]armtest.Request{armtest.CreateGroup}, armtest.CreateNetwork, armtest.Request{http.MethodPut, armtest.Network + "/virtualNetworkPeerings/p", `{"properties":{"remoteVirtualNetwork":{"id":"` + armtest.Network + `"}}}`}, 400, "ReferencedResourceNotProvisioned"},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			f := armtest.New(t)
			for _, r := range c.settled {
				f.Make(r)
			}
			if w := f.Ask(c.running); w.Code >= 300 {
				t.Fatalf("%s: %d %s", c.running, w.Code, w.Body)
			}
			w := f.Ask(c.Request)
			if w.Code != c.status || armtest.ErrorCodeOf(w) != c.code {
				t.Errorf("%s: %d %s, want %d %s", c.Request, w.Code, armtest.ErrorCodeOf(w), c.status, c.code)
			}
		})
	}
}

// TestProtocols checks the headers of long-running operations and their course.
func TestProtocols(t *testing.T) {
	type answered struct {
		Status         int
		AsyncOperation bool
		Location       bool
		RetryAfter     string
		State          string
	}
	cases := map[string]struct {
		before []armtest.Request
		armtest.Request
		want answered
	}{
		"create group":     {nil, armtest.CreateGroup, answered{Status: 201, State: "Succeeded"}},
		"update group":     {[]armtest.Request{armtest.CreateGroup}, armtest.CreateGroup, answered{Status: 200, State: "Succeeded"}},
		"delete group":     {[]armtest.Request{armtest.CreateGroup}, armtest.Request{http.MethodDelete, armtest.Group, ""}, answered{Status: 202, Location: true, RetryAfter: "15"}},
		"create network":   {[]armtest.Request{armtest.CreateGroup}, armtest.CreateNetwork, answered{Status: 201, AsyncOperation: true, RetryAfter: "3", State: "Updating"}},
		"same network":     {[]armtest.Request{armtest.CreateGroup, armtest.CreateNetwork}, armtest.CreateNetwork, answered{Status: 200, AsyncOperation: true, State: "Succeeded"}},
		"delete network":   {[]armtest.Request{armtest.CreateGroup, armtest.CreateNetwork}, armtest.Request{http.MethodDelete, armtest.Network, ""}, answered{Status: 202, AsyncOperation: true, Location: true, RetryAfter: "10"}},
		"delete absent":    {[]armtest.Request{armtest.CreateGroup}, armtest.Request{http.MethodDelete, armtest.Network, ""}, answered{Status: 204}},
		"create cluster":   {[]armtest.Request{armtest.CreateGroup}, armtest.CreateCluster, answered{Status: 201, AsyncOperation: true, State: "Creating"}},
		"update cluster":   {[]armtest.Request{armtest.CreateGroup, armtest.CreateCluster}, armtest.CreateCluster, answered{Status: 200, AsyncOperation: true, State: "Updating"}},
		"scale pool":       {[]armtest.Request{armtest.CreateGroup, armtest.CreateCluster}, armtest.Request{http.MethodPut, armtest.Pool, `{"properties":{"mode":"System","count":3}}`}, answered{Status: 200, AsyncOperation: true, State: "Scaling"}},
		"update pool":      {[]armtest.Request{armtest.CreateGroup, armtest.CreateCluster}, armtest.Request{http.MethodPut, armtest.Pool, `{"properties":{"mode":"System","nodeLabels":{"a":"b"}}}`}, answered{Status: 200, AsyncOperation: true, State: "Updating"}},
		"delete cluster":   {[]armtest.Request{armtest.CreateGroup, armtest.CreateCluster}, armtest.Request{http.MethodDelete, armtest.Cluster, ""}, answered{Status: 202, AsyncOperation: true, Location: true}},
		"create identity":  {[]armtest.Request{armtest.CreateGroup}, armtest.Request{http.MethodPut, armtest.Group + "/providers/Microsoft.ManagedIdentity/userAssignedIdentities/i", armtest.GroupBody}, answered{Status: 201}},
		"create any other": {[]armtest.Request{armtest.CreateGroup}, armtest.Request{http.MethodPut, armtest.Group + "/providers/Microsoft.Example/things/t", armtest.GroupBody}, answered{Status: 201, AsyncOperation: true, State: "Creating"}},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			f := armtest.New(t)
			for _, r := range c.before {
				f.Make(r)
			}
			w := f.Ask(c.Request)
			got := answered{
				Status:         w.Code,
				AsyncOperation: w.Header().Get("Azure-AsyncOperation") != "",
				Location:       w.Header().Get("Location") != "",
				RetryAfter:     w.Header().Get("Retry-After"),
			}
			if body, err := fields.Decode(w.Body.Bytes()); err == nil {
				got.State = fields.Text(body, "properties", "provisioningState")
			}
			if diff := cmp.Diff(c.want, got); diff != "" {
				t.Errorf("-want +got\n%s%s", diff, w.Body)
			}
		})
	}
}
