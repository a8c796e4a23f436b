package stack

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/crossplane-capz/crossplane-capz/cluster/local/parts"
	"github.com/crossplane-capz/crossplane-capz/cluster/local/process"
)

const (
	// failureLines is how much of the log of a failed command its error shows.
	failureLines = 15
	// crossplaneServerSecret holds the certificate of Crossplane's webhook.
	crossplaneServerSecret = "crossplane-tls-server"
	// crossplaneClientSecret holds the certificate that Crossplane calls functions with.
	crossplaneClientSecret = "crossplane-tls-client"
	// usageWebhook is the configuration of the webhook that keeps what a Usage or ClusterUsage protects.
	usageWebhook = "crossplane-no-usages"
)

// installCrossplane installs Crossplane core as its chart has it, starts it, and installs the product's packages.
func (s *Stack) installCrossplane(ctx context.Context, m milestones) error {
	if s.without(Crossplane) {
		close(m.crossplaneKinds)
		return nil
	}
	chart := filepath.Join(s.sources.crossplane, "cluster", "charts", "crossplane")
	objects, err := renderChart(chart, "crossplane", crossplaneNamespace, nil)
	if err != nil {
		return fmt.Errorf("chart of Crossplane: %w", err)
	}
	if err := s.namespace(ctx, crossplaneNamespace); err != nil {
		return err
	}
	if err := s.apply(ctx, objects.withoutPods()); err != nil {
		return err
	}
	if err := s.grantToken(ctx, Crossplane, crossplaneAccount); err != nil {
		return err
	}
	if err := s.grantToken(ctx, CrossplaneRBAC, crossplaneRBACAccount); err != nil {
		return err
	}
	// `core init` installs them too, but one by one, and fails when one is not served at once.
	crds, err := readManifests(filepath.Join(s.sources.crossplane, "cluster", "crds"))
	if err != nil {
		return err
	}
	if err := s.apply(ctx, crds); err != nil {
		return err
	}
	if err := s.established(ctx, crds); err != nil {
		return err
	}
	if err := s.aggregated(ctx, "crossplane"); err != nil {
		return err
	}
	if err := s.giveServerCertificate(ctx); err != nil {
		return err
	}
	if err := s.initCrossplane(ctx); err != nil {
		return err
	}
	if err := s.takeClientCertificate(ctx); err != nil {
		return err
	}
	if err := s.serveUsages(ctx); err != nil {
		return err
	}
	close(m.crossplaneKinds)
	if err := s.run(ctx, CrossplaneRBAC); err != nil {
		return err
	}
	if err := s.run(ctx, Crossplane); err != nil {
		return err
	}
	s.logf("Crossplane core and its RBAC manager are ready")
	return s.installProduct(ctx)
}

// initCrossplane runs `crossplane core init`, as the chart's init container does: it installs the CRDs. It fails when
// the API server does not serve a CRD quickly enough, and is then run again, as the kubelet would.
func (s *Stack) initCrossplane(ctx context.Context) error {
	const attempts = 10
	var err error
	for range attempts {
		if err = s.initCrossplaneOnce(ctx); err == nil || ctx.Err() != nil {
			return err
		}
		select {
		case <-ctx.Done():
		case <-time.After(500 * time.Millisecond):
		}
	}
	return err
}

func (s *Stack) initCrossplaneOnce(ctx context.Context) error {
	cmd := exec.CommandContext(ctx, s.Bin(parts.Crossplane), "core", "init")
	cluster := filepath.Join(s.sources.crossplane, "cluster")
	cmd.Env = append(append(s.baseEnv(), s.crossplaneEnv()...),
		"CRDS_PATH="+filepath.Join(cluster, "crds"), "WEBHOOK_CONFIGS_PATH="+filepath.Join(cluster, "webhookconfigurations"),
		"TLS_CA_SECRET_NAME=crossplane-root-ca", "TLS_SERVER_SECRET_NAME="+crossplaneServerSecret,
		"TLS_CLIENT_SECRET_NAME="+crossplaneClientSecret, "WEBHOOK_SERVICE_NAME=crossplane-webhooks",
		"WEBHOOK_SERVICE_NAMESPACE="+crossplaneNamespace, "WEBHOOK_SERVICE_PORT=9443")
	log := s.LogFile("crossplane-init")
	out, err := cmd.CombinedOutput()
	if writeErr := os.WriteFile(log, out, 0o600); writeErr != nil {
		return writeErr
	}
	if err != nil {
		return fmt.Errorf("crossplane core init: %w; the last lines of %s:\n%s", err, log, process.Tail(log, failureLines))
	}
	return nil
}

// giveServerCertificate makes the Secret with the certificate that Crossplane serves its webhook with. `core init` makes
// one that is missing, but for a Service's name, and nothing here answers to that.
func (s *Stack) giveServerCertificate(ctx context.Context) error {
	data := map[string]any{}
	for _, file := range []string{"tls.crt", "tls.key", "ca.crt"} {
		content, err := os.ReadFile(s.cert("webhooks", file))
		if err != nil {
			return err
		}
		data[file] = string(content)
	}
	u := &unstructured.Unstructured{Object: map[string]any{"stringData": data}}
	u.SetGroupVersionKind(corev1.SchemeGroupVersion.WithKind("Secret"))
	u.SetNamespace(crossplaneNamespace)
	u.SetName(crossplaneServerSecret)
	return s.applyOne(ctx, u)
}

// serveUsages has the API server call Crossplane's webhook, which `core init` has installed, at a port of this machine.
func (s *Stack) serveUsages(ctx context.Context) error {
	u := &unstructured.Unstructured{}
	u.SetGroupVersionKind(schema.GroupVersionKind{Group: "admissionregistration.k8s.io", Version: "v1", Kind: validatingKind})
	if err := s.client.Get(ctx, client.ObjectKey{Name: usageWebhook}, u); err != nil {
		return fmt.Errorf("the webhook of Crossplane: %w", err)
	}
	ca, err := s.webhookCA()
	if err != nil {
		return err
	}
	if err := (manifests{u}).serveWebhooks(s.state.Ports[portCrossplaneHook], ca); err != nil {
		return err
	}
	if err := s.client.Update(ctx, u); err != nil {
		return fmt.Errorf("the webhook of Crossplane: %w", err)
	}
	return nil
}

// takeClientCertificate writes the files of the Secret that `core init` has made for Crossplane as a client.
func (s *Stack) takeClientCertificate(ctx context.Context) error {
	secret := &corev1.Secret{}
	key := client.ObjectKey{Namespace: crossplaneNamespace, Name: crossplaneClientSecret}
	if err := s.client.Get(ctx, key, secret); err != nil {
		return err
	}
	return writeFiles(s.path("certs", "crossplane"), secret.Data)
}
