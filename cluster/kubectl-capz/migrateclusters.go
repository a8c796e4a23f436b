package main

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/labels"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/crossplane-capz/crossplane-capz/internal/composite"
	"github.com/crossplane-capz/crossplane-capz/internal/field"
	"github.com/crossplane-capz/crossplane-capz/internal/migrate/clusters"
	"github.com/crossplane-capz/crossplane-capz/internal/walk"
)

// A migratedCluster is what has become of one Cluster.
type migratedCluster struct {
	Namespace string        `json:"namespace"`
	Name      string        `json:"name"`
	Changes   []walk.Change `json:"changes,omitempty"`
	// Manifests are the AzureASOManaged* objects that a dry run would make.
	Manifests []map[string]any `json:"manifests,omitempty"`
	// Problem is what stands in the way, or has gone wrong.
	Problem string `json:"problem,omitempty"`
}

// ofClusters reports whether the command line asks for Clusters.
func (o *migrateOptions) ofClusters(args []string) bool {
	return len(args) > 0 || o.selector != "" || o.all || o.back || o.keep || o.dry
}

// runClusters migrates one Cluster after another. What stands in the way of one does not keep the others.
func (o *migrateOptions) runClusters(ctx context.Context, args []string) error {
	switch {
	case len(o.files) > 0 || o.stored || o.write:
		return errors.New("Clusters go with none of --filename, --write and --stored") //nolint:staticcheck // A kind.
	case o.keep && o.back:
		return errors.New("--keep goes with the way there, not with --back")
	}
	config, err := connection(o.config)
	if err != nil {
		return err
	}
	connected, err := client.New(config, client.Options{})
	if err != nil {
		return err
	}
	keys, err := o.clusterKeys(ctx, connected, args)
	if err != nil {
		return err
	}
	var all []migratedCluster
	failed, changes := false, 0
	for _, key := range keys {
		one := o.migrateCluster(ctx, connected, key)
		o.printCluster(one)
		failed, changes = failed || one.Problem != "", changes+len(one.Changes)
		all = append(all, one)
	}
	if o.output != "" {
		if err := encode(o.Out, o.output, map[string]any{"clusters": append([]migratedCluster{}, all...)}); err != nil {
			return err
		}
	}
	switch {
	case failed:
		return errShown
	case o.dry && changes > 0:
		return errChanges
	}
	return nil
}

// clusterKeys returns the Clusters that the command line means.
func (o *migrateOptions) clusterKeys(ctx context.Context, connected client.Client, args []string) ([]client.ObjectKey, error) {
	namespace, _, err := o.config.ToRawKubeConfigLoader().Namespace()
	if err != nil {
		return nil, err
	}
	if len(args) > 0 {
		if o.all || o.selector != "" {
			return nil, errors.New("--all and --selector go with no name of a Cluster")
		}
		return namedClusters(namespace, args)
	}
	if !o.all && o.selector == "" {
		return nil, errors.New("no Cluster is named: say cluster/NAME, --selector LABEL=VALUE or --all")
	}
	list := &unstructured.UnstructuredList{}
	list.SetGroupVersionKind(clusterv1.GroupVersion.WithKind("ClusterList"))
	options := []client.ListOption{client.InNamespace(namespace)}
	if o.selector != "" {
		selector, err := labels.Parse(o.selector)
		if err != nil {
			return nil, fmt.Errorf("--selector: %w", err)
		}
		options = append(options, client.MatchingLabelsSelector{Selector: selector})
	}
	if err := connected.List(ctx, list, options...); err != nil {
		return nil, err
	}
	var keys []client.ObjectKey
	for i := range list.Items {
		if c := &list.Items[i]; o.concerns(c) {
			keys = append(keys, client.ObjectKeyFromObject(c))
		}
	}
	return keys, nil
}

func namedClusters(namespace string, args []string) ([]client.ObjectKey, error) {
	var keys []client.ObjectKey
	for _, arg := range args {
		kind, name, found := strings.Cut(arg, "/")
		if !found || name == "" || strings.ToLower(kind) != "cluster" && strings.ToLower(kind) != "clusters" {
			return nil, fmt.Errorf("%q names no Cluster; it must be cluster/NAME", arg)
		}
		keys = append(keys, client.ObjectKey{Namespace: namespace, Name: name})
	}
	return keys, nil
}

// concerns reports whether a Cluster of a selection is one to migrate: one with typed fields, or one in the middle.
func (o *migrateOptions) concerns(cluster *unstructured.Unstructured) bool {
	_, begun := cluster.GetAnnotations()[clusters.StateAnnotation]
	ref := field.At[string]("spec", "controlPlaneRef", "kind").Value(cluster)
	return begun || !o.back && ref == composite.AzureManagedControlPlane.Kind
}

// migrateCluster migrates one Cluster.
func (o *migrateOptions) migrateCluster(ctx context.Context, connected client.Client, key client.ObjectKey) migratedCluster {
	m := &clusters.Migration{
		Walker:    walk.Walker{Client: connected, FieldOwner: clusters.FieldOwner, Say: o.say, Patience: o.patience, Poll: time.Second},
		Namespace: key.Namespace, Name: key.Name, Keep: o.keep,
	}
	one := migratedCluster{Namespace: key.Namespace, Name: key.Name}
	way := m.Forth
	if o.back {
		way = m.Back
	}
	var err error
	if one.Changes, err = way(ctx, o.dry); err == nil && o.dry && !o.back {
		var objects []*unstructured.Unstructured
		objects, err = m.Manifests(ctx)
		for _, object := range objects {
			one.Manifests = append(one.Manifests, object.Object)
		}
	}
	if err != nil {
		one.Problem = err.Error()
	}
	return one
}

// say tells what is done, beside what is printed for machines.
func (o *migrateOptions) say(words string) { _, _ = fmt.Fprintln(o.ErrOut, words) }

func (o *migrateOptions) printCluster(one migratedCluster) {
	name := "Cluster " + one.Namespace + "/" + one.Name
	if one.Problem != "" {
		_, _ = fmt.Fprintf(o.ErrOut, "%s: %s\n", name, one.Problem)
		return
	}
	if o.output != "" {
		return
	}
	word := "changes"
	if len(one.Changes) == 1 {
		word = "change"
	}
	switch {
	case len(one.Changes) == 0:
		_, _ = fmt.Fprintf(o.Out, "%s: nothing to do\n", name)
	case o.dry:
		for _, c := range one.Changes {
			_, _ = fmt.Fprintf(o.Out, "%s: %s\n", c.Step, c)
		}
		_, _ = fmt.Fprintf(o.Out, "%s: %d %s to be made\n", name, len(one.Changes), word)
	default:
		_, _ = fmt.Fprintf(o.Out, "%s: done, %d %s\n", name, len(one.Changes), word)
	}
}
