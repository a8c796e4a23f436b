package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/spf13/cobra"
	"k8s.io/cli-runtime/pkg/genericclioptions"
	"k8s.io/cli-runtime/pkg/genericiooptions"

	"github.com/crossplane-capz/crossplane-capz/internal/migrate"
)

const migrateExample = `  # What would be changed to bring a cluster from AzureManaged* to AzureASOManaged*?
  kubectl capz migrate cluster/my-cluster --dry-run

  # Bring it; the same command goes on where one was ended
  kubectl capz migrate cluster/my-cluster

  # Bring all of a namespace, and keep the way back
  kubectl capz migrate --all -n team-a --keep
  kubectl capz migrate --all -n team-a --back

  # Which versions in this folder are old?
  kubectl capz migrate -f my-cluster/

  # Write them anew, in place
  kubectl capz migrate -f my-cluster/ --write

  # From another tool
  kustomize build . | kubectl capz migrate -f - > my-cluster.yaml

  # Have the cluster store its objects in the new version
  kubectl capz migrate --stored`

// migrateOptions are what migrate is told on the command line.
type migrateOptions struct {
	genericiooptions.IOStreams
	telling

	config *genericclioptions.ConfigFlags
	files  []string
	write  bool
	stored bool
	output string

	// Of Clusters.
	selector        string
	all, back, keep bool
	dry             bool
	patience        time.Duration
}

// A migrated file is one with places whose version is old.
type migrated struct {
	File string `json:"file"`
	// Changes are the places; Problem is why there are none, where the file could not be read as YAML.
	Changes []migrate.Change `json:"changes,omitempty"`
	Problem string           `json:"problem,omitempty"`

	content []byte
}

func newMigrateCommand(streams genericiooptions.IOStreams) *cobra.Command {
	o := &migrateOptions{IOStreams: streams, telling: telling{to: streams.ErrOut}, config: genericclioptions.NewConfigFlags(true)}
	cmd := &cobra.Command{
		Use:   "migrate cluster/NAME... | --all | -f FILE|FOLDER|- | --stored",
		Short: "Bring clusters from AzureManaged* to AzureASOManaged*, or AzureASOManaged* from v1alpha1 to v1beta1",
		Long: `Bring running clusters from AzureManaged* to AzureASOManaged*, or AzureASOManaged* and references to them from v1alpha1 to v1beta1, in manifests or
in what a cluster has stored.

A cluster keeps its name, its namespace, its kubeconfig and its MachinePools, and nothing is changed in Azure. What is done is found out by looking at
the objects: start it again when it was ended, and it goes on. With --keep it can go back, by --back.

The versions v1alpha1 and v1beta1 differ in nothing but their names. In files only the versions change; comments and order stay as they are.
It ends with 0 when all is up to date, with 2 when it is not and nothing was written, and with 1 when something is wrong.`,
		Example: migrateExample,
		RunE:    func(cmd *cobra.Command, args []string) error { return o.run(cmd.Context(), args) },
	}
	flags := cmd.Flags()
	flags.StringSliceVarP(&o.files, "filename", "f", nil, "Manifests: files, folders with all in them, or - for standard input, which is written to standard output.")
	flags.BoolVar(&o.write, "write", false, "Write the files anew.")
	flags.BoolVar(&o.stored, "stored", false, "Have the cluster store its objects in v1beta1, and forget that it has stored others.")
	addOutput(cmd, &o.output, "json or yaml; empty for people.")
	flags.StringVarP(&o.selector, "selector", "l", "", "The clusters with these labels, of one namespace, as for kubectl get.")
	flags.BoolVar(&o.all, "all", false, "All clusters of the namespace.")
	flags.BoolVar(&o.keep, "keep", false, "Keep the AzureManaged* objects, so that --back can return the cluster to them. Without it they are removed in the end.")
	flags.BoolVar(&o.back, "back", false, "Return clusters to the AzureManaged* objects that they came from.")
	flags.BoolVar(&o.dry, "dry-run", false, "Print what would be changed of clusters, and change nothing. It ends with 2 when there is something.")
	flags.DurationVar(&o.patience, "timeout", 10*time.Minute, "How long each step of a cluster waits for controllers.")
	cmd.MarkFlagsMutuallyExclusive("filename", "stored")
	o.config.AddFlags(flags)
	return cmd
}

func (o *migrateOptions) run(ctx context.Context, args []string) error {
	if err := checkOutput(o.output); err != nil {
		return err
	}
	switch {
	case o.ofClusters(args):
		return o.runClusters(ctx, args)
	case len(o.files) == 0 && !o.stored:
		return errors.New("nothing is named: say cluster/NAME, --all, --filename or --stored")
	case o.stored:
		return o.runStored(ctx)
	case slices.Contains(o.files, "-"):
		return o.stream()
	}
	all, err := o.read()
	if err != nil {
		return err
	}
	if o.write {
		for _, file := range all {
			if len(file.Changes) > 0 {
				if err := rewrite(file.File, file.content); err != nil {
					return err
				}
			}
		}
	}
	if err := o.print(all); err != nil {
		return err
	}
	switch {
	case slices.ContainsFunc(all, func(m migrated) bool { return m.Problem != "" }):
		return errShown
	case len(all) > 0 && !o.write:
		return errChanges
	}
	return nil
}

// stream migrates standard input to standard output.
func (o *migrateOptions) stream() error {
	if len(o.files) > 1 || o.write || o.output != "" {
		return errors.New("-f - goes with no other file, and with neither --write nor --output: what is migrated is written to standard output")
	}
	raw, err := io.ReadAll(o.In)
	if err != nil {
		return err
	}
	content, _, err := migrate.Manifests(raw)
	if err != nil {
		return fmt.Errorf("standard input: %w", err)
	}
	_, err = o.Out.Write(content)
	return err
}

// read returns the files in which something is old, or which cannot be read, in the order of their paths.
func (o *migrateOptions) read() ([]migrated, error) {
	var all []migrated
	for _, name := range o.files {
		err := filepath.WalkDir(name, func(path string, entry fs.DirEntry, err error) error {
			if err != nil || entry.IsDir() {
				return err
			}
			if path != name && !slices.Contains([]string{".yaml", ".yml", ".json"}, filepath.Ext(path)) {
				return nil
			}
			raw, err := os.ReadFile(path) //nolint:gosec // The user has named it.
			if err != nil {
				return err
			}
			file := migrated{File: path}
			if file.content, file.Changes, err = migrate.Manifests(raw); err != nil {
				file.Problem = err.Error()
			}
			if file.Problem != "" || len(file.Changes) > 0 {
				all = append(all, file)
			}
			return nil
		})
		if err != nil {
			return nil, err
		}
	}
	return all, nil
}

// rewrite replaces a file at once, so that it is whole whatever happens.
func rewrite(path string, content []byte) error {
	path, err := filepath.EvalSymlinks(path)
	if err != nil {
		return err
	}
	info, err := os.Stat(path)
	if err != nil {
		return err
	}
	temporary, err := os.CreateTemp(filepath.Dir(path), ".migrate-*")
	if err != nil {
		return err
	}
	defer func() { _ = os.Remove(temporary.Name()) }() // It is there no more when all went well.
	_, err = temporary.Write(content)
	if err = errors.Join(err, temporary.Close()); err != nil {
		return err
	}
	if err := os.Chmod(temporary.Name(), info.Mode()); err != nil {
		return err
	}
	return os.Rename(temporary.Name(), path)
}

func (o *migrateOptions) print(all []migrated) error {
	if o.output != "" {
		return encode(o.Out, o.output, map[string]any{"files": append([]migrated{}, all...), "written": o.write})
	}
	places := 0
	for _, file := range all {
		if file.Problem != "" {
			_, _ = fmt.Fprintf(o.ErrOut, "%s: left as it is: %s\n", file.File, file.Problem)
		}
		for _, change := range file.Changes {
			_, _ = fmt.Fprintf(o.Out, "%s:%d: %s: %s -> %s\n", file.File, change.Line, change.Kind, change.From, change.To)
			places++
		}
	}
	word := "to be written"
	if o.write {
		word = "written"
	}
	_, err := fmt.Fprintf(o.Out, "%d places %s\n", places, word)
	return err
}
