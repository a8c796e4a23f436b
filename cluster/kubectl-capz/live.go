package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/url"
	"os"
	"strings"

	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"
	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/client-go/dynamic"

	"github.com/crossplane-capz/crossplane-capz/internal/aso"
	"github.com/crossplane-capz/crossplane-capz/internal/changes"
	"github.com/crossplane-capz/crossplane-capz/internal/management"
	"github.com/crossplane-capz/crossplane-capz/internal/preview"
	"github.com/crossplane-capz/crossplane-capz/package/configuration"
)

// where decides whether there is a cluster to ask: none is when nobody has configured one.
func (o *planOptions) where() error {
	if o.offline || os.Getenv("KUBERNETES_SERVICE_HOST") != "" || *o.config.APIServer != "" {
		return nil
	}
	raw, err := o.config.ToRawKubeConfigLoader().RawConfig()
	if err != nil {
		return fmt.Errorf("cannot read the kubeconfig: %w; --offline plans without a cluster", err)
	}
	o.offline = len(raw.Clusters) == 0
	return nil
}

// reader returns what reads the cluster.
func (o *planOptions) reader() (*management.Reader, error) {
	config, err := connection(o.config)
	if err != nil {
		return nil, err
	}
	client, err := dynamic.NewForConfig(config)
	if err != nil {
		return nil, err
	}
	mapper, err := o.config.ToRESTMapper()
	if err != nil {
		return nil, err
	}
	discovery, err := o.config.ToDiscoveryClient()
	if err != nil {
		return nil, err
	}
	return &management.Reader{Client: client, Mapper: mapper, OpenAPI: discovery.OpenAPIV3()}, nil
}

// live has the cluster say what it would make of the manifests, and reads what they are about.
func (o *planOptions) live(ctx context.Context, in changes.Input, pipeline *changes.Pipeline) (changes.Input, []changes.Mistake, []string, error) {
	reader, err := o.reader()
	if err != nil {
		return in, nil, nil, unreachable(err)
	}
	applier := &management.Applier{Reader: reader, ServerSide: o.serverSide, Force: o.force, Manager: o.manager}
	pipeline.Composition = orOurs(compositionsOf(reader, amongManifests(in.Manifests)))
	in, mistakes, notes, err := planned(ctx, applier, in, o.progress)
	return in, mistakes, notes, unreachable(err)
}

// unreachable says what to do without the cluster, when it is that which does not answer.
func unreachable(err error) error {
	if request := (&url.Error{}); !errors.As(err, &request) {
		return err
	}
	return fmt.Errorf("%w; --offline plans without a cluster", err)
}

// planned reads what the manifests are about, and asks the cluster what it would make of each.
func planned(ctx context.Context, applier *management.Applier, in changes.Input, progress func(string)) (changes.Input, []changes.Mistake, []string, error) {
	var mistakes []changes.Mistake
	var notes []string
	progress("reading the cluster")
	live, err := applier.Around(ctx, matter(in.Manifests))
	if err != nil {
		return in, nil, nil, err
	}
	if in.Instances, err = applier.Instances(ctx, live); err != nil {
		return in, nil, nil, err
	}
	var manifests []*unstructured.Unstructured
	var notAsked []string
	var whyNot error
	for _, manifest := range matter(in.Manifests) {
		progress("asking the cluster about " + manifest.GetKind() + " " + manifest.GetName())
		after, err := applier.Apply(ctx, manifest)
		refused := &management.RefusedError{}
		switch {
		case errors.As(err, &refused):
			for _, message := range refused.Messages {
				mistakes = append(mistakes, changes.MistakeOf(manifest, message))
			}
			continue
		case errors.Is(err, management.ErrNotAsked):
			wrong, admitErr := changes.Admit(ctx, configuration.Definitions, []*unstructured.Unstructured{after})
			if admitErr != nil {
				return in, nil, nil, admitErr
			}
			mistakes = append(mistakes, wrong...)
			notAsked = append(notAsked, manifest.GetKind()+" "+manifest.GetName())
			whyNot = cmp.Or(whyNot, err)
		case err != nil:
			return in, nil, nil, err
		}
		manifests = append(manifests, after)
	}
	if len(notAsked) > 0 {
		notes = append(notes, fmt.Sprintf("%s: checked by what this version of kubectl-capz knows, as %v", strings.Join(notAsked, ", "), whyNot))
	}
	in.Cluster, in.Read = applier.Reader, applier.Get
	if in.Live, err = current(live); err == nil {
		in.Manifests, err = current(manifests)
	}
	return in, mistakes, notes, err
}

// current returns objects in the versions that composers work at.
func current(objects []*unstructured.Unstructured) ([]*unstructured.Unstructured, error) {
	var all []*unstructured.Unstructured
	for _, o := range objects {
		converted, err := preview.Current(o.DeepCopy())
		if err != nil {
			return nil, err
		}
		all = append(all, converted)
	}
	return all, nil
}

// matter returns the manifests that a plan is about: CAPZ's kinds, those for application teams, Cluster API's, and the resources of Azure
// Service Operator.
func matter(manifests []*unstructured.Unstructured) []*unstructured.Unstructured {
	var all []*unstructured.Unstructured
	for _, o := range manifests {
		if group := o.GroupVersionKind().Group; aso.IsASO(group) || strings.HasSuffix(group, "cluster.x-k8s.io") || preview.IsForApplications(o) {
			all = append(all, o)
		}
	}
	return all
}

// compositionsOf returns the Compositions that the manifests bring, else those of the cluster. Who may not read them gets the ones of this
// project.
func compositionsOf(reader *management.Reader, brought compositions) compositions {
	read := map[string]*unstructured.Unstructured{}
	return func(ctx context.Context, name string) (*unstructured.Unstructured, error) {
		if o, err := brought(ctx, name); o != nil || err != nil {
			return o, err
		}
		if o, ok := read[name]; ok {
			return o, nil
		}
		o, err := reader.Get(ctx, changes.CompositionKind, "", name)
		if apierrors.IsForbidden(err) {
			err = nil
		}
		read[name] = o
		return o, err
	}
}

// connect returns the further functions that the command line names.
func (o *planOptions) connect() (map[string]fnv1.FunctionRunnerServiceClient, error) {
	clients := map[string]fnv1.FunctionRunnerServiceClient{}
	for name, address := range o.functions {
		connection, err := grpc.NewClient(address, grpc.WithTransportCredentials(insecure.NewCredentials()))
		if err != nil {
			return nil, fmt.Errorf("--function %s=%s: %w", name, address, err)
		}
		clients[name] = fnv1.NewFunctionRunnerServiceClient(connection)
	}
	return clients, nil
}
