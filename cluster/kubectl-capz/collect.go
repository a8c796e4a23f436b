package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/spf13/cobra"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/cli-runtime/pkg/genericclioptions"
	"k8s.io/cli-runtime/pkg/genericiooptions"
	corev1client "k8s.io/client-go/kubernetes/typed/core/v1"
	"k8s.io/client-go/rest"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"

	"github.com/crossplane-capz/crossplane-capz/internal/collect"
	"github.com/crossplane-capz/crossplane-capz/internal/version"
)

const collectExample = `  # What a bug report about one cluster needs
  kubectl capz collect --cluster my-cluster

  # All clusters of a namespace, with the logs and Events of the last two hours, into a folder
  kubectl capz collect -n team-a --since 2h --output ./bug

  # Without reading any Secret; what is secret is told by its form alone then
  kubectl capz collect --no-secrets`

// errNotWhole is the answer when something could not be read.
var errNotWhole = errors.New("not all could be read")

// collectOptions are what collect is told on the command line.
type collectOptions struct {
	genericiooptions.IOStreams
	telling

	config  *genericclioptions.ConfigFlags
	options collect.Options
	output  string
}

func newCollectCommand(streams genericiooptions.IOStreams) *cobra.Command {
	o := &collectOptions{IOStreams: streams, telling: telling{to: streams.ErrOut}, config: genericclioptions.NewConfigFlags(true)}
	cmd := &cobra.Command{
		Use:   "collect",
		Short: "Collect what a bug report needs: objects, Events, logs, and no secret",
		Long: `Collect what a bug report needs into an archive: the objects of this project, Azure Service Operator, Cluster API and Crossplane, Events,
the Pods, Deployments and logs of the components, the versions of definitions, and why Clusters are not ready.

It only reads, with your own rights, and says what it could not read. Secrets are listed by name, type and keys. Their values are read only to
find them in all else, where they are redacted, with what looks like a secret; how many were redacted, and where, is said.

It ends with 0 when all was read, with 2 when something could not be read or was left out, and with 1 when there is nothing: no cluster, no such Cluster.`,
		Example: collectExample,
		Args:    cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return o.run(cmd.Context(), cmd.Flags().Changed("namespace"))
		},
	}
	o.config.ClusterName = nil // Here --cluster names one of Cluster API's; --context says which management cluster is asked.
	flags := cmd.Flags()
	flags.StringVar(&o.options.Cluster, "cluster", "", "Only what belongs to the Cluster of this name, in the namespace of -n.")
	flags.DurationVar(&o.options.Since, "since", 0, "Logs and Events of this time only, such as 2h; all that there are unless given.")
	flags.StringVarP(&o.output, "output", "o", "", "A new file that ends in .tar.gz, or a new folder; capz-TIME.tar.gz unless given.")
	flags.BoolVar(&o.options.NoLogs, "no-logs", false, "Leave logs out.")
	flags.BoolVar(&o.options.NoSecrets, "no-secrets", false, "Do not read Secrets to find what they have in other places; what looks like a secret is redacted all the same.")
	_ = cmd.RegisterFlagCompletionFunc("cluster", o.complete) // It is there.
	_ = cmd.MarkFlagFilename("output", "tar.gz")              // It is there.
	o.config.AddFlags(flags)
	return cmd
}

func (o *collectOptions) run(ctx context.Context, inNamespace bool) error {
	if o.options.Since < 0 {
		return fmt.Errorf("--since is %s, but must not be negative", o.options.Since)
	}
	namespace, _, err := o.config.ToRawKubeConfigLoader().Namespace()
	if err != nil {
		return err
	}
	o.options.Home = cmp.Or(namespace, "default")
	if inNamespace || o.options.Cluster != "" {
		o.options.Namespace = o.options.Home
	}
	o.options.Version = version.Version
	if o.options.Now.IsZero() {
		o.options.Now = time.Now()
	}
	source, err := o.source()
	if err != nil {
		return noAnswer(err)
	}
	to := cmp.Or(o.output, "capz-"+o.options.Now.UTC().Format("20060102T150405Z")+".tar.gz")
	report, err := o.write(ctx, source, to)
	o.done()
	if err != nil {
		return noAnswer(err)
	}
	if _, err := fmt.Fprintf(o.Out, "Wrote %s\n%s\n", to, report); err != nil {
		return err
	}
	if !report.Whole() {
		return errNotWhole
	}
	return nil
}

// write collects into a file or folder, of which nothing is left when that fails.
func (o *collectOptions) write(ctx context.Context, source collect.Source, to string) (*collect.Report, error) {
	out, err := collect.NewOutput(to, o.options.Now)
	if err != nil {
		return nil, err
	}
	report, err := collect.Run(ctx, source, o.options, out, o.progress)
	if err != nil {
		return nil, errors.Join(err, out.Discard())
	}
	return report, out.Close()
}

// source returns what reads the cluster.
func (o *collectOptions) source() (collect.Source, error) {
	var source collect.Source
	config, err := connection(o.config)
	if err != nil {
		return source, err
	}
	if source.Discovery, err = o.config.ToDiscoveryClient(); err != nil {
		return source, err
	}
	reader, err := newObjects(o.config, config)
	if err != nil {
		return source, err
	}
	source.Dynamic, source.Metadata, source.Reader = reader.Dynamic, reader.Meta, reader
	logs := rest.CopyConfig(config)
	logs.Timeout = 0 // A log may be long.
	core, err := corev1client.NewForConfig(logs)
	source.Logs = func(ctx context.Context, namespace, pod string, options *corev1.PodLogOptions) (io.ReadCloser, error) {
		return core.Pods(namespace).GetLogs(pod, options).Stream(ctx)
	}
	return source, err
}

// complete completes the names of Clusters.
func (o *collectOptions) complete(cmd *cobra.Command, _ []string, _ string) ([]string, cobra.ShellCompDirective) {
	namespace, _, err := o.config.ToRawKubeConfigLoader().Namespace()
	if err != nil {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	source, err := o.source()
	if err != nil {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	clusters, err := source.Reader.List(cmd.Context(), clusterv1.GroupVersion.WithKind("Cluster"), namespace, "")
	if err != nil {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	var names []string
	for _, c := range clusters {
		names = append(names, c.GetName())
	}
	return names, cobra.ShellCompDirectiveNoFileComp
}
