package main

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"strings"

	"github.com/spf13/cobra"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/cli-runtime/pkg/genericclioptions"
	"k8s.io/cli-runtime/pkg/genericiooptions"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"

	"github.com/crossplane-capz/crossplane-capz/internal/why"
)

const whyExample = `  # Why is my cluster not ready, and what can I do?
  kubectl capz why cluster/my-cluster

  # A pool, in another namespace
  kubectl capz why machinepool/my-cluster-pool0 -n team-a

  # In a script: 0 is nothing wrong, 2 is something, 1 is a mistake
  kubectl capz why cluster/my-cluster --output json | jq -r '.causes[].next'`

// errNotReady is the answer when something is wrong.
var errNotReady = errors.New("something is not ready")

// whyOptions are what why is told on the command line.
type whyOptions struct {
	genericiooptions.IOStreams

	config *genericclioptions.ConfigFlags
	output string
	// mapper and reader are of the cluster; nil for the one that is configured.
	mapper meta.RESTMapper
	reader why.Reader
}

func newWhyCommand(streams genericiooptions.IOStreams) *cobra.Command {
	o := &whyOptions{IOStreams: streams, config: genericclioptions.NewConfigFlags(true)}
	cmd := &cobra.Command{
		Use:   "why KIND/NAME",
		Short: "Print why a cluster is not ready, and the next step",
		Long: `Print why a Cluster, or anything that belongs to one, is not ready: the chain from it to the root cause, and the next step.

It only reads, with your own rights, and says what you may not read. Of Secrets it reads nothing but the metadata.
It ends with 0 when nothing is wrong, with 2 when something is not ready, and with 1 when it cannot tell: no such object, no cluster.`,
		Example:           whyExample,
		Args:              cobra.RangeArgs(1, 2),
		ValidArgsFunction: o.complete,
		RunE:              func(cmd *cobra.Command, args []string) error { return o.run(cmd.Context(), args) },
	}
	flags := cmd.Flags()
	addOutput(cmd, &o.output, "json or yaml; empty for people.")
	o.config.AddFlags(flags)
	return cmd
}

func (o *whyOptions) run(ctx context.Context, args []string) error {
	if err := checkOutput(o.output); err != nil {
		return err
	}
	kind, name, found := strings.Cut(strings.Join(args, "/"), "/")
	if !found || kind == "" || name == "" || strings.Contains(name, "/") {
		return fmt.Errorf("%q names no object; it must be KIND/NAME, as in cluster/my-cluster", strings.Join(args, " "))
	}
	answer, err := o.ask(ctx, kind, name)
	if err != nil {
		return err
	}
	if err := o.print(answer); err != nil {
		return err
	}
	if !answer.Ready {
		return errNotReady
	}
	return nil
}

func (o *whyOptions) ask(ctx context.Context, kind, name string) (*why.Answer, error) {
	namespace, _, err := o.config.ToRawKubeConfigLoader().Namespace()
	if err != nil {
		return nil, err
	}
	if err := o.connect(); err != nil {
		return nil, noAnswer(err)
	}
	gvk, err := o.kindNamed(kind)
	if err != nil {
		return nil, noAnswer(err)
	}
	obj, err := o.reader.Get(ctx, gvk, namespace, name)
	switch {
	case apierrors.IsForbidden(err):
		return why.MayNotRead(gvk, namespace, name, err), nil
	case err != nil:
		return nil, noAnswer(err)
	case obj == nil:
		return nil, fmt.Errorf("there is no %s %q in namespace %q; -n names another", gvk.Kind, name, namespace)
	}
	answer, err := why.Of(ctx, o.reader, obj)
	return answer, noAnswer(err)
}

// noAnswer says which cluster was asked for, when it is that which does not answer.
func noAnswer(err error) error {
	if request := (&url.Error{}); !errors.As(err, &request) {
		return err
	}
	return fmt.Errorf("%w; --kubeconfig and --context say which cluster is asked", err)
}

// connect prepares what reads the cluster.
func (o *whyOptions) connect() error {
	if o.reader != nil {
		return nil
	}
	config, err := connection(o.config)
	if err != nil {
		return err
	}
	reader, err := newObjects(o.config, config)
	if err != nil {
		return err
	}
	o.mapper, o.reader = reader.Mapper, reader
	return nil
}

// ofClusterAPI are the resources that Cluster API means where others have some of the same name, such as ASO's Cluster of Azure Data Explorer.
var ofClusterAPI = []string{"cluster", "machinepool", "machine", "machinedeployment"}

// kindNamed returns the kind that a word means: a resource, a short name or a kind, with or without its group, as kubectl takes it.
func (o *whyOptions) kindNamed(word string) (schema.GroupVersionKind, error) {
	word = strings.ToLower(word)
	for _, resource := range ofClusterAPI {
		if word == resource || word == resource+"s" {
			word = resource + "s." + clusterv1.GroupVersion.Group
		}
	}
	full, partial := schema.ParseResourceArg(word)
	if full != nil {
		if gvk, err := o.mapper.KindFor(*full); err == nil {
			return gvk, nil
		}
	}
	gvk, err := o.mapper.KindFor(partial.WithVersion(""))
	if meta.IsNoMatchError(err) {
		return gvk, fmt.Errorf("this cluster serves no kind %q; is Cluster API installed, and configuration-capz? See kubectl api-resources", word)
	}
	return gvk, err
}

func (o *whyOptions) print(answer *why.Answer) error {
	if o.output == "" {
		return why.Text(o.Out, answer)
	}
	return encode(o.Out, o.output, answer)
}

// complete completes KIND/NAME: the kinds of Cluster API, and the names that the cluster has.
func (o *whyOptions) complete(cmd *cobra.Command, args []string, word string) ([]string, cobra.ShellCompDirective) {
	const noFiles = cobra.ShellCompDirectiveNoFileComp
	if len(args) > 0 {
		return nil, noFiles
	}
	kind, _, named := strings.Cut(word, "/")
	if !named {
		var kinds []string
		for _, resource := range ofClusterAPI {
			kinds = append(kinds, resource+"/")
		}
		return kinds, noFiles | cobra.ShellCompDirectiveNoSpace
	}
	namespace, _, err := o.config.ToRawKubeConfigLoader().Namespace()
	if err != nil || o.connect() != nil {
		return nil, noFiles
	}
	gvk, err := o.kindNamed(kind)
	if err != nil {
		return nil, noFiles
	}
	objects, err := o.reader.List(cmd.Context(), gvk, namespace, "")
	if err != nil {
		return nil, noFiles
	}
	var names []string
	for _, object := range objects {
		names = append(names, kind+"/"+object.GetName())
	}
	return names, noFiles
}
