package main

import (
	"context"
	"fmt"
	"io"
	"time"

	"github.com/spf13/cobra"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/cli-runtime/pkg/genericclioptions"
	"k8s.io/cli-runtime/pkg/genericiooptions"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/crossplane-capz/crossplane-capz/internal/kubeyaml"
	"github.com/crossplane-capz/crossplane-capz/internal/takeover"
	"github.com/crossplane-capz/crossplane-capz/internal/walk"
)

const takeoverExample = `  # What would be changed, object by object?
  kubectl capz takeover -f install.yaml --dry-run

  # Take the cluster over; the same command goes on where one was ended
  kubectl capz takeover -f install.yaml

  # Return it to CAPZ
  kubectl capz takeover --back`

type takeoverOptions struct {
	genericiooptions.IOStreams

	config   *genericclioptions.ConfigFlags
	files    []string
	dry      bool
	back     bool
	output   string
	patience time.Duration
}

func newTakeoverCommand(streams genericiooptions.IOStreams) *cobra.Command {
	o := &takeoverOptions{IOStreams: streams, config: genericclioptions.NewConfigFlags(true)}
	cmd := &cobra.Command{
		Use:   "takeover -f install.yaml",
		Short: "Take a management cluster over from CAPZ, or return it",
		Long: `Take a management cluster over from Cluster API Provider Azure (CAPZ): check, keep what the way back needs, stop CAPZ, install crossplane-capz, hand
over what CAPZ has made, and wait until all is Available again. Nothing is changed in Azure.

What is done is found out by looking at the cluster: start it again when it was ended, and it goes on.`,
		Example: takeoverExample,
		Args:    cobra.NoArgs,
		RunE:    func(cmd *cobra.Command, _ []string) error { return o.run(cmd.Context()) },
	}
	flags := cmd.Flags()
	flags.StringSliceVarP(&o.files, "filename", "f", nil, "What installs crossplane-capz: install.yaml of a release, files or folders.")
	flags.BoolVar(&o.dry, "dry-run", false, "Print what would be changed, and change nothing. It ends with 2 when there is something.")
	flags.BoolVar(&o.back, "back", false, "Return the cluster to CAPZ.")
	addOutput(cmd, &o.output, "json or yaml; empty for people.")
	flags.DurationVar(&o.patience, "timeout", 10*time.Minute, "How long each step waits for other controllers.")
	o.config.AddFlags(flags)
	return cmd
}

func (o *takeoverOptions) run(ctx context.Context) error {
	if err := checkOutput(o.output); err != nil {
		return err
	}
	if o.back && len(o.files) > 0 {
		return fmt.Errorf("-f is given together with --back, which installs nothing")
	}
	walk, err := o.walk()
	if err != nil {
		return err
	}
	way := walk.To
	if o.back {
		way = walk.Back
	}
	changes, err := way(ctx, o.dry)
	if err != nil {
		return err
	}
	if err := o.print(changes); err != nil {
		return err
	}
	if o.dry && len(changes) > 0 {
		return errChanges
	}
	return nil
}

func (o *takeoverOptions) walk() (*takeover.Walk, error) {
	config, err := connection(o.config)
	if err != nil {
		return nil, err
	}
	connected, err := client.New(config, client.Options{})
	if err != nil {
		return nil, err
	}
	w := &takeover.Walk{Walker: walk.Walker{Client: connected, FieldOwner: takeover.FieldOwner, Say: o.say, Patience: o.patience, Poll: time.Second}}
	for _, file := range o.files {
		objects, err := o.read(file)
		if err != nil {
			return nil, err
		}
		w.Install = append(w.Install, objects...)
	}
	return w, nil
}

func (o *takeoverOptions) read(file string) ([]*unstructured.Unstructured, error) {
	if file != "-" {
		return kubeyaml.Read(file)
	}
	raw, err := io.ReadAll(o.In)
	if err != nil {
		return nil, err
	}
	return kubeyaml.Parse(raw)
}

// say tells what is done, beside what is printed for machines.
func (o *takeoverOptions) say(words string) { _, _ = fmt.Fprintln(o.ErrOut, words) }

func (o *takeoverOptions) print(changes []walk.Change) error {
	var text []byte
	switch {
	case o.output != "":
		return encode(o.Out, o.output, changes)
	case o.dry:
		for _, c := range changes {
			text = fmt.Appendf(text, "%s: %s\n", c.Step, c)
		}
	default:
		text = fmt.Appendf(text, "done, %d changes\n", len(changes))
	}
	_, err := o.Out.Write(text)
	return err
}
