package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"slices"

	"github.com/spf13/cobra"
	"golang.org/x/term"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/cli-runtime/pkg/genericclioptions"
	"k8s.io/cli-runtime/pkg/genericiooptions"
	"k8s.io/cli-runtime/pkg/resource"
	"sigs.k8s.io/yaml"

	"github.com/crossplane-capz/crossplane-capz/functions/registry"
	"github.com/crossplane-capz/crossplane-capz/internal/changes"
	"github.com/crossplane-capz/crossplane-capz/package/configuration"
)

// errShown is the answer when all that is wrong has been printed.
var errShown = errors.New("there are mistakes")

const planExample = `  # What would this folder change in Azure, beside what the cluster has already?
  kubectl capz plan -f my-cluster/

  # What does it stand for, without any cluster?
  kubectl capz plan --offline -f my-cluster/

  # Before a merge, in CI: 0 is no change, 2 are changes, 1 is a mistake
  kubectl capz plan -f my-cluster/ --output json > plan.json

  # Which rights in Azure does it need?
  kubectl capz plan --offline -f my-cluster/ --role > role.json && az role definition create --role-definition role.json

  # From another tool
  kustomize build . | kubectl capz plan -f -`

// planOptions are what plan is told on the command line.
type planOptions struct {
	genericiooptions.IOStreams
	telling

	config     *genericclioptions.ConfigFlags
	files      resource.FilenameOptions
	offline    bool
	output     string
	serverSide bool
	force      bool
	manager    string
	functions  map[string]string
	role       bool
	// subscription is the one of the role.
	subscription string
}

func newPlanCommand(streams genericiooptions.IOStreams) *cobra.Command {
	o := &planOptions{IOStreams: streams, telling: telling{to: streams.ErrOut}, config: genericclioptions.NewConfigFlags(true)}
	cmd := &cobra.Command{
		Use:   "plan -f FILE|FOLDER|-",
		Short: "Print what applying manifests would change in Azure",
		Long: `Print what applying manifests would change in Azure, resource by resource and in that order, before anything is applied.

Objects that the cluster has and the manifests have not stay as they are: a plan deletes nothing that kubectl apply does not.
It ends with 0 when Azure would be sent nothing, with 2 when it would, and with 1 when something is wrong or a note says that it is not known.`,
		Example: planExample,
		Args:    cobra.NoArgs,
		RunE:    func(cmd *cobra.Command, _ []string) error { return o.run(cmd.Context()) },
	}
	flags := cmd.Flags()
	flags.StringSliceVarP(&o.files.Filenames, "filename", "f", nil, "Manifests: files, folders, addresses, or - for standard input.")
	flags.BoolVarP(&o.files.Recursive, "recursive", "R", false, "Read the folders in the folders of -f, too.")
	flags.BoolVar(&o.offline, "offline", false, "Ask no cluster: all is taken to be new.")
	addOutput(cmd, &o.output, "json or yaml; empty for people.")
	flags.BoolVar(&o.serverSide, "server-side", false, "Plan for kubectl apply --server-side.")
	flags.BoolVar(&o.force, "force-conflicts", false, "Plan for kubectl apply --server-side --force-conflicts.")
	flags.StringVar(&o.manager, "field-manager", "kubectl", "The name that kubectl apply --server-side has in the cluster.")
	flags.StringToStringVar(&o.functions, "function", nil, "Address of a further function of a Composition, by the name of its Function, as in function-x=127.0.0.1:9443; reached by gRPC without TLS.")
	flags.BoolVar(&o.role, "role", false, "Print the custom role in Azure that the manifests need, as JSON for az role definition create, and no plan.")
	flags.StringVar(&o.subscription, "subscription", "", "The subscription that --role is for, where the manifests do not say it.")
	_ = cmd.MarkFlagRequired("filename") // It is there.
	o.config.AddFlags(flags)
	return cmd
}

func (o *planOptions) run(ctx context.Context) error {
	if err := checkOutput(o.output); err != nil {
		return err
	}
	if err := o.where(); err != nil {
		return err
	}
	manifests, err := o.read()
	if err != nil {
		return err
	}
	if o.role {
		return o.printRole(ctx, manifests)
	}
	plan, err := o.plan(ctx, manifests)
	o.done()
	if err != nil {
		return err
	}
	if err := o.print(plan); err != nil {
		return err
	}
	switch {
	case len(plan.Mistakes) > 0:
		return errShown
	case plan.Summary.Changes():
		return errChanges
	case plan.Incomplete:
		return errShown // Nobody can say that nothing changes.
	}
	return nil
}

// A question is what is asked about manifests that were read.
type question struct {
	changes.Input

	pipeline *changes.Pipeline
	mistakes []changes.Mistake
	notes    []string
}

// ask reads what a plan is made from, and what is wrong with it.
func (o *planOptions) ask(ctx context.Context, manifests []*unstructured.Unstructured) (*question, error) {
	q := &question{pipeline: &changes.Pipeline{Run: registry.Run}}
	q.Input = changes.Input{Function: q.pipeline, Sources: registry.Sources, Manifests: manifests}
	var err error
	if q.pipeline.Others, err = o.connect(); err != nil {
		return nil, err
	}
	if o.offline {
		q.pipeline.Composition = orOurs(amongManifests(manifests))
		q.mistakes, err = changes.Admit(ctx, configuration.Definitions, manifests)
	} else {
		q.Input, q.mistakes, q.notes, err = o.live(ctx, q.Input, q.pipeline)
	}
	o.progress("composing")
	return q, err
}

// plan returns the plan for the manifests, or what is wrong with them.
func (o *planOptions) plan(ctx context.Context, manifests []*unstructured.Unstructured) (*changes.Plan, error) {
	q, err := o.ask(ctx, manifests)
	if err != nil {
		return nil, err
	}
	if len(q.mistakes) > 0 {
		return changes.Refused(q.mistakes), nil
	}
	plan, err := changes.Make(ctx, q.Input)
	if err != nil {
		return nil, err
	}
	notRun := q.pipeline.Notes()
	plan.Incomplete = plan.Incomplete || len(notRun) > 0
	plan.Notes = slices.Concat(q.notes, notRun, plan.Notes)
	return plan, nil
}

// compositions return the Composition of a name; nil for none.
type compositions func(ctx context.Context, name string) (*unstructured.Unstructured, error)

// amongManifests returns the Compositions that manifests have.
func amongManifests(manifests []*unstructured.Unstructured) compositions {
	return func(_ context.Context, name string) (*unstructured.Unstructured, error) {
		for _, o := range manifests {
			if o.GroupVersionKind() == changes.CompositionKind && o.GetName() == name {
				return o, nil
			}
		}
		return nil, nil
	}
}

// orOurs returns the Compositions that this project has for the kinds for application teams, where there is no other: those have an input.
func orOurs(others compositions) compositions {
	return func(ctx context.Context, name string) (*unstructured.Unstructured, error) {
		o, err := others(ctx, name)
		if o != nil || err != nil {
			return o, err
		}
		content, err := configuration.Compositions.ReadFile(name + "/composition.yaml")
		if errors.Is(err, fs.ErrNotExist) {
			return nil, nil
		}
		if err != nil {
			return nil, err
		}
		o = &unstructured.Unstructured{}
		return o, yaml.Unmarshal(content, &o.Object)
	}
}

// read returns the objects of the manifests, each in the namespace that it would be applied to.
func (o *planOptions) read() ([]*unstructured.Unstructured, error) {
	namespace, explicit, err := o.config.ToRawKubeConfigLoader().Namespace()
	if err != nil {
		return nil, err
	}
	builder := resource.NewLocalBuilder().Unstructured().Local().NamespaceParam(namespace).DefaultNamespace().Flatten()
	files := o.files
	files.Filenames = slices.DeleteFunc(slices.Clone(files.Filenames), func(name string) bool { return name == "-" })
	if len(files.Filenames) < len(o.files.Filenames) {
		builder.Stream(o.In, "standard input")
	}
	if len(files.Filenames) > 0 {
		builder.FilenameParam(explicit, &files)
	}
	infos, err := builder.Do().Infos()
	if err != nil {
		return nil, err
	}
	var objects []*unstructured.Unstructured
	for _, info := range infos {
		u, ok := info.Object.(*unstructured.Unstructured)
		if !ok {
			return nil, fmt.Errorf("%s: %T is no object", info.Source, info.Object)
		}
		if u.GetNamespace() == "" {
			u.SetNamespace(namespace)
		}
		objects = append(objects, u)
	}
	return objects, nil
}

func (o *planOptions) print(plan *changes.Plan) error {
	if o.output == "" {
		return changes.Text(o.Out, plan, coloured(o.Out))
	}
	return encode(o.Out, o.output, plan)
}

// coloured reports whether what is written is for a terminal of somebody who wants colours (https://no-color.org).
func coloured(w io.Writer) bool {
	file, ok := w.(*os.File)
	return ok && os.Getenv("NO_COLOR") == "" && term.IsTerminal(int(file.Fd()))
}
