package main

import (
	"encoding/json"
	"fmt"
	"path/filepath"
	"strings"

	jsonpatch "github.com/evanphx/json-patch/v5"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/yaml"

	"github.com/crossplane-capz/crossplane-capz/internal/kubeyaml"
)

const (
	// flavorsDir has the templates for clusterctl, below the root of the checkout; baseFlavor is the one that the others are made of.
	flavorsDir = "examples/flavors"
	baseFlavor = "cluster-template.yaml"
	// baseExample is what baseFlavor is a template of. Those of topics are named after it.
	baseExample = "examples/self-managed"
)

// topics are the examples of self-managed clusters that have a template for clusterctl.
var topics = []string{"dual-stack", "gpu", "own-network", "private", "spot", "windows"}

// variables are what stands in a template in place of what an example says. A name that begins with the cluster's does so there, too.
var variables = map[string]string{
	"my-identity":                          "${CLUSTER_IDENTITY_NAME}",
	"westeurope":                           "${AZURE_LOCATION}",
	"00000000-0000-0000-0000-000000000001": "${AZURE_SUBSCRIPTION_ID}",
	"v1.36.3":                              "${KUBERNETES_VERSION}",
	"Standard_D2s_v5":                      "${AZURE_NODE_MACHINE_TYPE}",
	"Standard_D4s_v5":                      "${AZURE_WINDOWS_NODE_MACHINE_TYPE:=Standard_D4s_v5}",
	"Standard_NC4as_T4_v3":                 "${AZURE_GPU_NODE_MACHINE_TYPE:=Standard_NC4as_T4_v3}",
	"my-network":                           "${AZURE_CUSTOM_VNET_RESOURCE_GROUP}",
	"company":                              "${AZURE_CUSTOM_VNET_NAME}",
	"10.64.0.0/12":                         "${AZURE_CUSTOM_VNET_CIDR}",
	"control-planes":                       "${AZURE_CONTROL_PLANE_SUBNET_NAME}",
	"10.65.0.0/24":                         "${AZURE_CONTROL_PLANE_SUBNET_CIDR}",
	"nodes":                                "${AZURE_NODE_SUBNET_NAME}",
	"10.64.0.0/16":                         "${AZURE_NODE_SUBNET_CIDR}",
}

const (
	exampleCluster = "my-cluster"
	clusterNamed   = "${CLUSTER_NAME}"
	workersCounted = "${WORKER_MACHINE_COUNT:=2}"
	keyGiven       = `${AZURE_SSH_PUBLIC_KEY_B64:=""}`
)

// addFlavors adds a template for each topic: baseFlavor with what the topic's example has otherwise than baseExample, and beside it.
func addFlavors(files fileSet, root string) error {
	usual, err := byName(filepath.Join(root, baseExample))
	if err != nil {
		return err
	}
	for _, topic := range topics {
		example := baseExample + "-" + topic
		base, err := kubeyaml.Read(filepath.Join(root, flavorsDir, baseFlavor))
		if err != nil {
			return err
		}
		objects, err := kubeyaml.Read(filepath.Join(root, example))
		if err != nil {
			return err
		}
		made, err := flavor(base, usual, objects)
		if err != nil {
			return fmt.Errorf("%s: %w", example, err)
		}
		text, err := asTemplate(made)
		if err != nil {
			return err
		}
		header := fmt.Sprintf("# Generated from %s and %s by `go run ./package/generate`. Do not edit.\n", baseFlavor, example)
		files[filepath.Join(flavorsDir, "cluster-template-"+topic+".yaml")] = []byte(header + text)
	}
	return nil
}

// byName returns the objects of an example by what they are called in a template.
func byName(folder string) (map[string]*unstructured.Unstructured, error) {
	objects, err := kubeyaml.Read(folder)
	found := map[string]*unstructured.Unstructured{}
	for _, o := range objects {
		found[called(o)] = o
	}
	return found, err
}

// called returns the kind and the name of an object, as they are in a template.
func called(o *unstructured.Unstructured) string {
	return o.GetKind() + " " + withVariables(o.GetName()).(string)
}

// flavor returns the objects of base, with the changes that make of the usual objects those of an example, and what that has beside them.
func flavor(base []*unstructured.Unstructured, usual map[string]*unstructured.Unstructured, example []*unstructured.Unstructured) ([]*unstructured.Unstructured, error) {
	at := map[string]*unstructured.Unstructured{}
	for _, o := range base {
		at[o.GetKind()+" "+o.GetName()] = o
	}
	for _, o := range example {
		name := called(o)
		was, known := usual[name]
		switch target := at[name]; {
		case known && target == nil:
			return nil, fmt.Errorf("%s has no %s", baseFlavor, name)
		case known:
			if err := change(target, was, o); err != nil {
				return nil, fmt.Errorf("%s: %w", name, err)
			}
		default:
			base = append(base, addition(o))
		}
	}
	return base, nil
}

// change makes the changes to an object of a template that make of the usual object that of an example.
func change(target, was, is *unstructured.Unstructured) error {
	from, err := was.MarshalJSON()
	if err != nil {
		return err
	}
	to, err := is.MarshalJSON()
	if err != nil {
		return err
	}
	patch, err := jsonpatch.CreateMergePatch(from, to)
	if err != nil {
		return err
	}
	var changes any
	if err := json.Unmarshal(patch, &changes); err != nil {
		return err
	}
	if patch, err = json.Marshal(withVariables(changes)); err != nil {
		return err
	}
	object, err := target.MarshalJSON()
	if err != nil {
		return err
	}
	if object, err = jsonpatch.MergePatch(object, patch); err != nil {
		return err
	}
	return target.UnmarshalJSON(object)
}

// addition returns an object of an example for a template that lacks it.
func addition(o *unstructured.Unstructured) *unstructured.Unstructured {
	added := &unstructured.Unstructured{Object: withVariables(o.Object).(map[string]any)}
	added.SetNamespace("")
	switch added.GetKind() {
	case "MachineDeployment":
		_ = unstructured.SetNestedField(added.Object, workersCounted, "spec", "replicas")
	case "AzureMachineTemplate":
		_ = unstructured.SetNestedField(added.Object, keyGiven, "spec", "template", "spec", "sshPublicKey")
	}
	return added
}

// withVariables returns a value of an example with variables in it.
func withVariables(value any) any {
	switch v := value.(type) {
	case map[string]any:
		out := map[string]any{}
		for name, field := range v {
			out[name] = withVariables(field)
		}
		return out
	case []any:
		out := make([]any, len(v))
		for i, item := range v {
			out[i] = withVariables(item)
		}
		return out
	case string:
		if variable, ok := variables[v]; ok {
			return variable
		}
		if rest, begins := strings.CutPrefix(v, exampleCluster); begins && (rest == "" || rest[0] == '-') {
			return clusterNamed + rest
		}
	}
	return value
}

// asTemplate returns the objects as one file.
func asTemplate(objects []*unstructured.Unstructured) (string, error) {
	var documents []string
	for _, o := range objects {
		text, err := yaml.Marshal(o.Object)
		if err != nil {
			return "", err
		}
		documents = append(documents, string(text))
	}
	return strings.Join(documents, "---\n"), nil
}
