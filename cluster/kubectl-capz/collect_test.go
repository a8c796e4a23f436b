package main

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"encoding/base64"
	"encoding/json"
	"errors"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/cli-runtime/pkg/genericiooptions"

	"github.com/crossplane-capz/crossplane-capz/internal/collect"
	"github.com/crossplane-capz/crossplane-capz/internal/kubeyaml"
	"github.com/crossplane-capz/crossplane-capz/internal/leaks"
)

// What is secret in the cluster that is collected from.
const (
	appSecret   = "Pl4nted~client-secret-7f3a9c0e2"
	joinToken   = "abcdef.0123456789abcdef"
	bearerToken = "a2f9c8e1d0b3a4f5c6e7"
	bootstrap   = "#cloud-config\nruncmd: [kubeadm join --token " + joinToken + "]\n"
)

// troubled has a Cluster that is not ready, and secrets in places where they do not belong.
const troubled = `
apiVersion: teams.example.org/v1
kind: XTeam
metadata: {name: team-a, uid: team}
---
apiVersion: cluster.x-k8s.io/v1beta2
kind: Cluster
metadata: {name: my-cluster, namespace: team-a, uid: cluster, managedFields: [{manager: kubectl}], ownerReferences: [{apiVersion: teams.example.org/v1, kind: XTeam, name: team-a, uid: team}]}
spec:
  infrastructureRef: {apiGroup: infrastructure.cluster.x-k8s.io, kind: AzureCluster, name: my-cluster}
status: {conditions: [{type: Available, status: "False", reason: NotAvailable, message: no}]}
---
apiVersion: cluster.x-k8s.io/v1beta2
kind: Cluster
metadata: {name: other, namespace: team-a, uid: other}
status: {conditions: [{type: Available, status: "True"}]}
---
apiVersion: infrastructure.cluster.x-k8s.io/v1beta1
kind: AzureCluster
metadata: {name: my-cluster, namespace: team-a, uid: infra, labels: {cluster.x-k8s.io/cluster-name: my-cluster}}
spec: {identityRef: {kind: AzureClusterIdentity, name: id, namespace: identities}}
status:
  conditions: [{type: Synced, status: "True"}]
  resources: [{resource: {group: network.azure.com, version: v1, kind: VirtualNetwork, name: vnet}, ready: false, reason: AuthorizationFailed, message: "the secret APP_SECRET was refused"}]
---
apiVersion: infrastructure.cluster.x-k8s.io/v1beta1
kind: AzureClusterIdentity
metadata: {name: id, namespace: identities, uid: id}
spec: {type: ServicePrincipal, clientSecret: {name: id-secret, namespace: identities}}
---
apiVersion: network.azure.com/v1
kind: VirtualNetwork
metadata: {name: vnet, namespace: team-a, uid: vnet, ownerReferences: [{apiVersion: infrastructure.cluster.x-k8s.io/v1beta1, kind: AzureCluster, name: my-cluster, uid: infra}]}
---
apiVersion: compute.azure.com/v1
kind: VirtualMachine
metadata: {name: vm, namespace: team-a, uid: vm, labels: {cluster.x-k8s.io/cluster-name: my-cluster}}
spec: {osProfile: {customData: "BOOTSTRAP_BASE64", adminPassword: {name: vm-secret, key: password}}}
---
apiVersion: bootstrap.cluster.x-k8s.io/v1beta2
kind: KubeadmConfig
metadata: {name: md, namespace: team-a, uid: kubeadm, labels: {cluster.x-k8s.io/cluster-name: my-cluster}}
spec: {joinConfiguration: {discovery: {bootstrapToken: {token: JOIN_TOKEN}}}}
---
apiVersion: apiextensions.crossplane.io/v2
kind: CompositeResourceDefinition
metadata: {name: azureclusters.infrastructure.cluster.x-k8s.io, uid: xrd}
spec: {versions: [{name: v1beta1, schema: {openAPIV3Schema: {type: object}}}]}
---
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: azureclusters.infrastructure.cluster.x-k8s.io, uid: crd}
spec: {versions: [{name: v1beta1, served: true}]}
status: {storedVersions: [v1beta1], conditions: [{type: Established, status: "True"}]}
---
apiVersion: v1
kind: Secret
metadata: {name: id-secret, namespace: identities, uid: s1}
type: Opaque
data: {clientSecret: APP_SECRET_BASE64}
---
apiVersion: v1
kind: Secret
metadata: {name: my-cluster-kubeconfig, namespace: team-a, uid: s2, managedFields: [{manager: provider-capz, fieldsType: FieldsV1, fieldsV1: {"f:data": {"f:value": {}}}}]}
type: cluster.x-k8s.io/secret
data: {value: KUBECONFIG_BASE64}
---
apiVersion: v1
kind: Secret
metadata: {name: my-cluster-md, namespace: team-a, uid: s3}
type: cluster.x-k8s.io/secret
data: {value: BOOTSTRAP_BASE64}
---
apiVersion: v1
kind: Secret
metadata: {name: other-kubeconfig, namespace: team-a, uid: s4}
type: cluster.x-k8s.io/secret
data: {value: KUBECONFIG_BASE64}
---
apiVersion: v1
kind: Pod
metadata: {name: provider-capz-0, namespace: crossplane-system, uid: pod, labels: {pkg.crossplane.io/provider: provider-capz}}
spec: {containers: [{name: package-runtime, env: [{name: AZURE_CLIENT_SECRET, value: another-secret-1}]}]}
status: {containerStatuses: [{name: package-runtime, restartCount: 2}]}
---
apiVersion: v1
kind: Pod
metadata: {name: nginx, namespace: web, uid: nginx}
spec: {containers: [{name: nginx}]}
---
apiVersion: apps/v1
kind: Deployment
metadata: {name: provider-capz, namespace: crossplane-system, uid: deployment}
spec: {template: {metadata: {labels: {pkg.crossplane.io/provider: provider-capz}}, spec: {containers: [{name: package-runtime, image: "provider-capz:v0.1.0"}]}}}
---
apiVersion: v1
kind: Event
metadata: {name: e1, namespace: team-a, uid: e1}
involvedObject: {apiVersion: infrastructure.cluster.x-k8s.io/v1beta1, kind: AzureCluster, name: my-cluster, uid: infra}
type: Warning
reason: CredentialFailed
message: "sign in with APP_SECRET failed"
lastTimestamp: "2026-11-27T14:05:00Z"
---
apiVersion: v1
kind: Event
metadata: {name: e0, namespace: team-a, uid: e0}
involvedObject: {apiVersion: infrastructure.cluster.x-k8s.io/v1beta1, kind: AzureCluster, name: my-cluster, namespace: team-a, uid: before}
type: Normal
reason: Deleted
message: "the one before"
lastTimestamp: "2026-11-27T14:04:00Z"
---
apiVersion: v1
kind: Event
metadata: {name: e2, namespace: web, uid: e2}
involvedObject: {apiVersion: v1, kind: Pod, name: nginx, uid: nginx}
message: "none of our business"
lastTimestamp: "2026-11-27T14:05:00Z"
`

const logOfProvider = "/api/v1/namespaces/crossplane-system/pods/provider-capz-0/log?container=package-runtime&previous="

func troubledServer(t *testing.T) (*server, *leaks.Haul) {
	t.Helper()
	inBase64 := func(text string) string { return base64.StdEncoding.EncodeToString([]byte(text)) }
	kubeconfig := "apiVersion: v1\nkind: Config\nclusters: [{name: c, cluster: {server: https://my-cluster.hcp.westeurope.azmk8s.io}}]\nusers: [{name: admin, user: {token: " + bearerToken + "}}]\n"
	objects, err := kubeyaml.Parse([]byte(strings.NewReplacer("APP_SECRET_BASE64", inBase64(appSecret), "KUBECONFIG_BASE64", inBase64(kubeconfig), "BOOTSTRAP_BASE64", inBase64(bootstrap),
		"APP_SECRET", appSecret, "JOIN_TOKEN", joinToken).Replace(troubled)))
	if err != nil {
		t.Fatal(err)
	}
	haul := &leaks.Haul{}
	for _, o := range objects {
		if o.GetKind() != "Secret" {
			continue
		}
		data, _, err := unstructured.NestedStringMap(o.Object, "data")
		if err != nil {
			t.Fatal(err)
		}
		for key, value := range data {
			decoded, err := base64.StdEncoding.DecodeString(value)
			if err != nil {
				t.Fatal(err)
			}
			haul.Add(o.GetName(), key, decoded)
		}
	}
	return newServer(objects, map[string]string{
		logOfProvider:                            "starting\nbearer is " + bearerToken + ", and it joins with " + joinToken + "\n",
		logOfProvider + "true":                   "panic: password=hunter2-and-more\n",
		logOfProvider + "&sinceSeconds=7200":     "lately\n",
		logOfProvider + "true&sinceSeconds=7200": "lately, before\n",
	}), haul
}

// collected runs the command, and returns how it ends, what it says, and the files of its archive.
func collected(t *testing.T, s *server, args ...string) (code int, said string, files map[string]string) {
	t.Helper()
	dir := t.TempDir()
	kubeconfig := "{apiVersion: v1, kind: Config, current-context: c, clusters: [{name: c, cluster: {server: " + s.start(t) + "}}], contexts: [{name: c, context: {cluster: c, namespace: team-a}}]}"
	t.Setenv("KUBECONFIG", filepath.Join(dir, "kubeconfig"))
	if err := os.WriteFile(filepath.Join(dir, "kubeconfig"), []byte(kubeconfig), 0o600); err != nil {
		t.Fatal(err)
	}
	archive := filepath.Join(dir, "bug.tar.gz")
	out := &bytes.Buffer{}
	streams := genericiooptions.IOStreams{In: &bytes.Buffer{}, Out: out, ErrOut: out}
	cmd := newCommand(streams)
	cmd.SetArgs(append([]string{"collect", "--cache-dir", filepath.Join(dir, "cache"), "--output", archive}, args...))
	code = exitCode(cmd.ExecuteContext(t.Context()), streams)
	if left, err := filepath.Glob(archive + ".*"); err != nil || len(left) > 0 {
		t.Errorf("it leaves %v behind, %v", left, err)
	}
	content, err := os.ReadFile(archive)
	if errors.Is(err, os.ErrNotExist) {
		return code, out.String(), nil
	}
	if err != nil {
		t.Fatal(err)
	}
	return code, out.String(), unpacked(t, content)
}

// unpacked returns the files of an archive, without the folder that all are in.
func unpacked(t *testing.T, archive []byte) map[string]string {
	t.Helper()
	decompressed, err := gzip.NewReader(bytes.NewReader(archive))
	if err != nil {
		t.Fatal(err)
	}
	files := map[string]string{}
	for reader := tar.NewReader(decompressed); ; {
		header, err := reader.Next()
		if errors.Is(err, io.EOF) {
			return files
		}
		if err != nil {
			t.Fatal(err)
		}
		content, err := io.ReadAll(reader)
		if err != nil {
			t.Fatal(err)
		}
		name, inFolder := strings.CutPrefix(header.Name, "bug/")
		if !inFolder || header.Mode != 0o600 {
			t.Errorf("file %s has mode %o", header.Name, header.Mode)
		}
		files[name] = string(content)
	}
}

// checkNoSecret looks for everything that is secret in all files, as they are and by the search of the leak tests.
func checkNoSecret(t *testing.T, haul *leaks.Haul, said string, files map[string]string) {
	t.Helper()
	search := leaks.NewSearch(haul.Values())
	for name, content := range files {
		search.Text(name, []byte(content), func(int) string { return "" })
		for _, secret := range []string{appSecret, joinToken, joinToken[7:], bearerToken, "another-secret-1", "hunter2", "#cloud-config", "I2Nsb3VkLWNvbmZpZ"} {
			if strings.Contains(content, secret) || strings.Contains(said, secret) {
				t.Errorf("%s is in %s, or is said", secret, name)
			}
		}
	}
	for _, f := range search.Findings() {
		t.Error(f)
	}
}

func reportOf(t *testing.T, files map[string]string) *collect.Report {
	t.Helper()
	report := &collect.Report{}
	if err := json.Unmarshal([]byte(files["summary.json"]), report); err != nil {
		t.Fatal(err)
	}
	return report
}

// What is in every archive of the Cluster.
var filesOfCluster = []string{
	"definitions.txt",
	"events/team-a.txt",
	"logs/crossplane-system/provider-capz-0/package-runtime.log",
	"logs/crossplane-system/provider-capz-0/package-runtime.previous.log",
	"objects/_cluster/compositeresourcedefinition.apiextensions.crossplane.io/azureclusters.infrastructure.cluster.x-k8s.io.yaml",
	"objects/_cluster/xteam.teams.example.org/team-a.yaml",
	"objects/crossplane-system/deployment.apps/provider-capz.yaml",
	"objects/crossplane-system/pod/provider-capz-0.yaml",
	"objects/identities/azureclusteridentity.infrastructure.cluster.x-k8s.io/id.yaml",
	"objects/team-a/azurecluster.infrastructure.cluster.x-k8s.io/my-cluster.yaml",
	"objects/team-a/cluster.cluster.x-k8s.io/my-cluster.yaml",
	"objects/team-a/kubeadmconfig.bootstrap.cluster.x-k8s.io/md.yaml",
	"objects/team-a/virtualmachine.compute.azure.com/vm.yaml",
	"objects/team-a/virtualnetwork.network.azure.com/vnet.yaml",
	"secrets.yaml",
	"summary.json",
	"summary.txt",
	"why/team-a/my-cluster.txt",
}

func TestCollect(t *testing.T) {
	s, haul := troubledServer(t)
	code, said, files := collected(t, s, "--cluster", "my-cluster", "-n", "team-a")
	if code != 0 {
		t.Fatalf("ends with %d: %s", code, said)
	}
	checkNoSecret(t, haul, said, files)
	if diff := cmp.Diff(filesOfCluster, slices.Sorted(maps.Keys(files))); diff != "" {
		t.Errorf("files (-want +got):\n%s", diff)
	}
	for name, want := range map[string]string{
		"events/team-a.txt": "AzureCluster/my-cluster x1: the one before\n2026-11-27T14:05:00Z Warning  CredentialFailed AzureCluster/my-cluster x1: sign in with <redacted: clientSecret of Secret identities/id-secret> failed",
		"logs/crossplane-system/provider-capz-0/package-runtime.log":                  "starting\nbearer is <redacted: value, user admin, token of Secret team-a/my-cluster-kubeconfig>, and it joins with",
		"logs/crossplane-system/provider-capz-0/package-runtime.previous.log":         "panic: password=<redacted: what is called a secret>\n",
		"objects/team-a/azurecluster.infrastructure.cluster.x-k8s.io/my-cluster.yaml": "the secret <redacted: clientSecret of Secret identities/id-secret> was",
		"objects/team-a/virtualmachine.compute.azure.com/vm.yaml":                     "customData: '<redacted: the text of a field that is secret>'",
		"secrets.yaml":              "- keys:\n  - value\n  name: my-cluster-kubeconfig\n  namespace: team-a\n  type: cluster.x-k8s.io/secret\n",
		"definitions.txt":           "azureclusters.infrastructure.cluster.x-k8s.io",
		"why/team-a/my-cluster.txt": "Cluster my-cluster is not ready.",
		"summary.txt":               "crossplane-system/provider-capz: provider-capz:v0.1.0",
	} {
		if !strings.Contains(files[name], want) {
			t.Errorf("%s has no %q:\n%s", name, want, files[name])
		}
	}
	for name, unwanted := range map[string]string{
		"objects/team-a/cluster.cluster.x-k8s.io/my-cluster.yaml": "managedFields", "secrets.yaml": "other-kubeconfig",
		"objects/_cluster/compositeresourcedefinition.apiextensions.crossplane.io/azureclusters.infrastructure.cluster.x-k8s.io.yaml": "openAPIV3Schema",
	} {
		if strings.Contains(files[name], unwanted) {
			t.Errorf("%s has %q:\n%s", name, unwanted, files[name])
		}
	}
	checkReport(t, said, files)
}

// checkReport counts again what the report says.
func checkReport(t *testing.T, said string, files map[string]string) {
	t.Helper()
	report := reportOf(t, files)
	marks := 0
	for name, content := range files {
		if !strings.HasPrefix(name, "summary.") {
			marks += strings.Count(content, "<redacted: ")
		}
	}
	if report.Redacted != marks || marks == 0 || report.Files != len(files) || report.Server != "v1.36.3" || len(report.NotRead) > 0 {
		t.Errorf("there are %d redactions in %d files, the report is %+v", marks, len(files), report)
	}
	if !strings.Contains(said, "Objects: ") || !strings.Contains(said, "Redacted: ") {
		t.Errorf("says %q", said)
	}
}

func TestCollectAll(t *testing.T) {
	s, haul := troubledServer(t)
	code, said, files := collected(t, s, "--since", "2h")
	if code != 0 {
		t.Fatalf("ends with %d: %s", code, said)
	}
	checkNoSecret(t, haul, said, files)
	if files["objects/team-a/cluster.cluster.x-k8s.io/other.yaml"] == "" || !strings.Contains(files["secrets.yaml"], "other-kubeconfig") {
		t.Error("the other Cluster is not there")
	}
	if got := files["logs/crossplane-system/provider-capz-0/package-runtime.log"]; got != "lately\n" {
		t.Errorf("the log is %q", got)
	}
	for name := range files {
		if strings.Contains(name, "nginx") || strings.Contains(name, "web") {
			t.Errorf("%s is none of our business", name)
		}
	}
}

// TestCollectWithFewRights says what could not be read, and redacts by the form of secrets alone.
func TestCollectWithFewRights(t *testing.T) {
	for name, c := range map[string]struct {
		forbidden func(path string) bool
		args      []string
		code      int
		notRead   []string
		notes     []string
	}{
		"no Secrets": {
			forbidden: func(path string) bool { return strings.HasSuffix(path, "/secrets") }, code: 2,
			notRead: []string{"Secrets in namespace crossplane-system", "Secrets in namespace identities", "Secrets in namespace team-a"},
			notes:   []string{"Not all Secrets were read"},
		},
		"Secrets are not wanted": {args: []string{"--no-secrets"}, code: 0, notes: []string{"Not all Secrets were read"}},
		"its own namespace only": {
			forbidden: func(path string) bool { return !strings.Contains(path, "/namespaces/team-a/") }, code: 2,
			notRead: []string{"azureclusters.infrastructure.cluster.x-k8s.io in namespaces other than team-a", "pods in namespace crossplane-system", "events in namespaces other than team-a"},
		},
		"its own namespace only, and it is named": {
			forbidden: func(path string) bool { return !strings.Contains(path, "/namespaces/team-a/") }, args: []string{"-n", "team-a"}, code: 2,
			notRead: []string{"AzureClusterIdentity id", "compositeresourcedefinitions.apiextensions.crossplane.io"},
		},
		"no logs":       {forbidden: func(path string) bool { return strings.HasSuffix(path, "/log") }, code: 2, notRead: []string{"logs/crossplane-system/provider-capz-0/package-runtime.log"}},
		"logs unwanted": {forbidden: func(path string) bool { return strings.HasSuffix(path, "/log") }, args: []string{"--no-logs"}, code: 0},
	} {
		t.Run(name, func(t *testing.T) {
			s, _ := troubledServer(t)
			if c.forbidden != nil {
				s.forbidden = c.forbidden
			}
			code, said, files := collected(t, s, c.args...)
			if code != c.code {
				t.Fatalf("ends with %d, want %d: %s", code, c.code, said)
			}
			report := reportOf(t, files)
			for _, want := range c.notRead {
				if !slices.ContainsFunc(report.NotRead, func(u collect.Unread) bool { return u.What == want && u.Why != "" }) {
					t.Errorf("does not say that it has not read %q, but %+v", want, report.NotRead)
				}
			}
			for _, want := range c.notes {
				if !slices.ContainsFunc(report.Notes, func(note string) bool { return strings.HasPrefix(note, want) }) {
					t.Errorf("does not note %q, but %q", want, report.Notes)
				}
			}
			for file, content := range files { // What has the form of a secret is redacted all the same.
				for _, secret := range []string{joinToken, "another-secret-1", "hunter2", "#cloud-config", "I2Nsb3VkLWNvbmZpZ"} {
					if strings.Contains(content, secret) {
						t.Errorf("%s is in %s", secret, file)
					}
				}
			}
			if files["objects/team-a/cluster.cluster.x-k8s.io/my-cluster.yaml"] == "" {
				t.Error("the Cluster is not there")
			}
		})
	}
}

// TestCollectKeysWithoutSecrets knows the keys of a Secret by its metadata.
func TestCollectKeysWithoutSecrets(t *testing.T) {
	s, _ := troubledServer(t)
	_, _, files := collected(t, s, "--no-secrets", "-n", "team-a")
	if want := "- keys:\n  - value\n  name: my-cluster-kubeconfig\n  namespace: team-a\n"; !strings.Contains(files["secrets.yaml"], want) {
		t.Errorf("no %q in\n%s", want, files["secrets.yaml"])
	}
}

func TestCollectMistakes(t *testing.T) {
	for name, c := range map[string]struct {
		args []string
		want string
	}{
		"no such Cluster":  {[]string{"--cluster", "none", "-n", "team-a"}, `there is no Cluster "none" in namespace "team-a"; -n names another`},
		"an argument":      {[]string{"my-cluster"}, `unknown command "my-cluster"`},
		"a negative time":  {[]string{"--since", "-1h"}, "--since is -1h0m0s, but must not be negative"},
		"no cluster there": {[]string{"--server", "http://127.0.0.1:1"}, "--kubeconfig and --context say which cluster is asked"},
	} {
		t.Run(name, func(t *testing.T) {
			s, _ := troubledServer(t)
			code, said, files := collected(t, s, c.args...)
			if code != 1 || !strings.Contains(said, c.want) || files != nil {
				t.Errorf("ends with %d, want 1 and %q: %s; %d files", code, c.want, said, len(files))
			}
		})
	}
}

func TestCollectCompletes(t *testing.T) {
	s, _ := troubledServer(t)
	dir := t.TempDir()
	t.Setenv("KUBECONFIG", filepath.Join(dir, "none"))
	out := &bytes.Buffer{}
	cmd := newCommand(genericiooptions.IOStreams{Out: out, ErrOut: io.Discard})
	cmd.SetArgs([]string{"__complete", "collect", "--server", s.start(t), "--cache-dir", filepath.Join(dir, "cache"), "-n", "team-a", "--cluster", ""})
	if err := cmd.ExecuteContext(t.Context()); err != nil {
		t.Fatal(err)
	}
	if got := strings.Fields(out.String()); !slices.Contains(got, "my-cluster") || !slices.Contains(got, "other") {
		t.Errorf("completes %q", out)
	}
}
