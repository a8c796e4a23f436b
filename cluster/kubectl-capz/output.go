package main

import (
	"encoding/json"
	"fmt"
	"io"

	"github.com/spf13/cobra"
	"k8s.io/cli-runtime/pkg/genericclioptions"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/metadata"
	"k8s.io/client-go/rest"

	"github.com/crossplane-capz/crossplane-capz/internal/kubeyaml"
	"github.com/crossplane-capz/crossplane-capz/internal/management"
)

// The formats of --output for programs.
const (
	outputJSON = "json"
	outputYAML = "yaml"
)

// addOutput gives a verb the flag --output, whose words say what is printed.
func addOutput(cmd *cobra.Command, output *string, words string) {
	cmd.Flags().StringVarP(output, "output", "o", "", words)
	_ = cmd.RegisterFlagCompletionFunc("output", cobra.FixedCompletions([]string{outputJSON, outputYAML}, cobra.ShellCompDirectiveNoFileComp)) // It is there.
}

// checkOutput returns an error if there is no such format.
func checkOutput(output string) error {
	if output != "" && output != outputJSON && output != outputYAML {
		return fmt.Errorf("--output is %q, but must be json or yaml", output)
	}
	return nil
}

// encode writes a value for programs: as YAML if that is the format, else as JSON.
func encode(w io.Writer, output string, value any) error {
	var content []byte
	var err error
	if output == outputYAML {
		content, err = kubeyaml.Marshal(value)
	} else {
		content, err = json.MarshalIndent(value, "", "  ")
		content = append(content, '\n')
	}
	if err != nil {
		return err
	}
	_, err = w.Write(content)
	return err
}

// newObjects returns what reads the cluster that a connection leads to, by the kinds that it serves.
func newObjects(flags *genericclioptions.ConfigFlags, config *rest.Config) (*management.Objects, error) {
	reader := &management.Objects{}
	var err error
	if reader.Dynamic, err = dynamic.NewForConfig(config); err != nil {
		return nil, err
	}
	if reader.Meta, err = metadata.NewForConfig(config); err != nil {
		return nil, err
	}
	reader.Mapper, err = flags.ToRESTMapper()
	return reader, err
}

// connection returns how the cluster is reached that the flags name.
func connection(flags *genericclioptions.ConfigFlags) (*rest.Config, error) {
	config, err := flags.ToRESTConfig()
	if err != nil {
		return nil, err
	}
	config.QPS, config.Burst = 50, 300 // As kubectl has it.
	config.WarningHandler = rest.NoWarnings{}
	return config, nil
}
