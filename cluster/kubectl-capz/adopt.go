package main

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/cli-runtime/pkg/genericclioptions"
	"k8s.io/cli-runtime/pkg/genericiooptions"

	"github.com/crossplane-capz/crossplane-capz/internal/adopt"
	"github.com/crossplane-capz/crossplane-capz/internal/kubeyaml"
)

const adoptExample = `  # What would stand for this AKS cluster? Nothing is changed, in Azure or anywhere.
  kubectl capz adopt /subscriptions/S/resourceGroups/G/providers/Microsoft.ContainerService/managedClusters/NAME > my-cluster.yaml

  # Bring it in
  kubectl capz adopt /subscriptions/S/resourceGroups/G/providers/Microsoft.ContainerService/managedClusters/NAME --apply

  # All AKS clusters of a resource group, under a credential of their own, only to look at for now
  kubectl capz adopt /subscriptions/S/resourceGroups/G --identity my-identity --observe --apply`

// adoptOptions are what adopt is told on the command line.
type adoptOptions struct {
	genericiooptions.IOStreams
	telling

	config  *genericclioptions.ConfigFlags
	scope   adopt.Scope
	options adopt.Options
	output  string
	apply   bool
	timeout time.Duration
	// cloud is the name of the Azure cloud, endpoint the address of its Resource Manager if that is another, tenant the one to sign in to.
	cloud, endpoint, tenant string
	// azure reads from Azure; nil for who the environment is signed in as.
	azure adopt.Reader
}

// An adoption is what --output json and yaml print.
type adoption struct {
	// Objects are the manifests.
	Objects []map[string]any `json:"objects"`
	// NotExpressed are what Azure has and no manifest says.
	NotExpressed []adopt.Loss `json:"notExpressed"`
}

func newAdoptCommand(streams genericiooptions.IOStreams) *cobra.Command {
	o := &adoptOptions{IOStreams: streams, telling: telling{to: streams.ErrOut}, config: genericclioptions.NewConfigFlags(true)}
	cmd := &cobra.Command{
		Use:   "adopt ARM-ID",
		Short: "Print the manifests of an AKS cluster that exists in Azure, or bring it in",
		Long: `Print the manifests of an AKS cluster that exists in Azure, or of all in a resource group, or bring them in.

Azure is only read. What Azure has and no manifest can say is told on standard error. With --apply the manifests are applied twice:
first so that Azure Service Operator only reads, and when it has read everything, so that it manages the cluster.`,
		Example: adoptExample,
		Args:    cobra.ExactArgs(1),
		RunE:    func(cmd *cobra.Command, args []string) error { return o.run(cmd.Context(), args[0]) },
	}
	o.addFlags(cmd)
	return cmd
}

func (o *adoptOptions) addFlags(cmd *cobra.Command) {
	flags := cmd.Flags()
	flags.BoolVar(&o.apply, "apply", false, "Bring the cluster in, and wait until it is managed.")
	flags.BoolVar(&o.options.Observe, "observe", false, "Have Azure Service Operator only read all of it, by its policy skip.")
	flags.StringVar(&o.options.Name, "name", "", "The name of the Cluster; that of the AKS cluster unless given.")
	flags.StringToStringVar(&o.options.PoolNames, "pool-name", nil, "The name of a MachinePool by that of the agent pool, as in pool1=workers; CLUSTER-POOL unless given.")
	flags.StringVar(&o.options.Identity, "identity", "", "The AzureClusterIdentity with the credential for Azure.")
	flags.StringVar(&o.options.CredentialFrom, "credential-from", "", "The Secret with Azure Service Operator's credential for Azure.")
	flags.BoolVar(&o.scope.Networks, "network", false, "Bring in the virtual networks and subnets that the cluster uses, too. They are only read.")
	flags.BoolVar(&o.scope.Group, "own-resource-group", false, "Bring in the resource group, too: it is deleted, with all that is in it, when the Cluster is.")
	flags.StringSliceVar(&o.scope.Fleets, "fleet", nil, "The ID of a fleet that the cluster may be a member of; all of its subscription unless given.")
	addOutput(cmd, &o.output, "json or yaml: manifests and what they cannot say, together; empty for manifests alone.")
	flags.StringVar(&o.cloud, "cloud", "AzurePublicCloud", "The Azure cloud: AzurePublicCloud, AzureUSGovernmentCloud or AzureChinaCloud.")
	flags.StringVar(&o.endpoint, "arm-endpoint", "", "The address of Azure Resource Manager, if it is not that of the cloud.")
	flags.StringVar(&o.tenant, "tenant", "", "The tenant to sign in to, if it is not one's own.")
	flags.DurationVar(&o.timeout, "timeout", 15*time.Minute, "How long --apply waits for each of its two steps.")
	o.config.AddFlags(flags)
}

func (o *adoptOptions) run(ctx context.Context, id string) error {
	if err := checkOutput(o.output); err != nil {
		return err
	}
	namespace, _, err := o.config.ToRawKubeConfigLoader().Namespace()
	if err != nil {
		return err
	}
	o.options.Namespace = cmp.Or(namespace, "default")
	clusters, losses, err := o.read(ctx, id)
	o.done()
	if err != nil {
		return err
	}
	if len(clusters) > 1 && (o.options.Name != "" || len(o.options.PoolNames) > 0) {
		return fmt.Errorf("--name and --pool-name are for one AKS cluster, but the resource group has %d; adopt them one by one", len(clusters))
	}
	made, err := o.make(clusters, o.options)
	if err != nil {
		return err
	}
	made.Losses = append(losses, made.Losses...)
	if !o.apply {
		return o.print(made)
	}
	for _, loss := range made.Losses {
		_, _ = fmt.Fprintln(o.ErrOut, "not expressed:", loss)
	}
	err = o.bringIn(ctx, clusters, made.Objects)
	o.done()
	return err
}

func (o *adoptOptions) read(ctx context.Context, id string) ([]adopt.AKSCluster, []adopt.Loss, error) {
	if o.azure == nil {
		in, err := cloudNamed(o.cloud, o.endpoint)
		if err != nil {
			return nil, nil, err
		}
		if o.azure, err = newAzureReader(in, o.tenant, o.progress); err != nil {
			return nil, nil, err
		}
	}
	return adopt.Read(ctx, o.azure, id, o.scope)
}

// make returns the manifests of all clusters.
func (o *adoptOptions) make(clusters []adopt.AKSCluster, options adopt.Options) (*adopt.Manifests, error) {
	all := &adopt.Manifests{}
	for _, cluster := range clusters {
		one, err := adopt.Make(cluster, options)
		if err != nil {
			return nil, err
		}
		all.Objects = append(all.Objects, one.Objects...)
		all.Losses = append(all.Losses, one.Losses...)
	}
	return all, nil
}

func (o *adoptOptions) print(made *adopt.Manifests) error {
	if o.output == "" {
		for _, loss := range made.Losses {
			_, _ = fmt.Fprintln(o.ErrOut, "not expressed:", loss)
		}
		return printManifests(o.Out, made.Objects)
	}
	all := adoption{Objects: []map[string]any{}, NotExpressed: append([]adopt.Loss{}, made.Losses...)}
	for _, object := range made.Objects {
		all.Objects = append(all.Objects, object.Object)
	}
	return encode(o.Out, o.output, all)
}

// printManifests prints objects as kubectl apply takes them.
func printManifests(w io.Writer, objects []*unstructured.Unstructured) error {
	for i, object := range objects {
		content, err := kubeyaml.Marshal(object.Object)
		if err != nil {
			return err
		}
		separator := ""
		if i > 0 {
			separator = "---\n"
		}
		if _, err := fmt.Fprint(w, separator, string(content)); err != nil {
			return err
		}
	}
	return nil
}

// bringIn applies the manifests: first those with which Azure is only read, then, when all has been read, those that manage it.
func (o *adoptOptions) bringIn(ctx context.Context, clusters []adopt.AKSCluster, objects []*unstructured.Unstructured) error {
	reading := o.options
	reading.Observe = true
	observed, err := o.make(clusters, reading)
	if err != nil {
		return err
	}
	b, err := newBringer(o.config, o.progress, o.timeout)
	if err != nil {
		return err
	}
	if err := b.mayBegin(ctx, objects); err != nil {
		return err
	}
	if err := b.apply(ctx, observed.Objects); err != nil {
		return err
	}
	if err := b.available(ctx, observed.Objects, "Azure Service Operator has read it"); err != nil {
		return err
	}
	if o.options.Observe {
		_, err := fmt.Fprintln(o.Out, strings.Join(names(observed.Objects), "\n"), "\nAll is only read. Adopt without --observe to manage it.")
		return err
	}
	if err := b.apply(ctx, objects); err != nil {
		return err
	}
	if err := b.available(ctx, objects, "it is managed"); err != nil {
		return err
	}
	_, err = fmt.Fprintln(o.Out, strings.Join(names(objects), "\n"))
	return err
}

func names(objects []*unstructured.Unstructured) []string {
	var all []string
	for _, o := range objects {
		all = append(all, strings.ToLower(o.GetKind())+"/"+o.GetName()+" adopted")
	}
	return all
}
