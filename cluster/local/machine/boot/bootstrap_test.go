package boot

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"fmt"
	"net"
	"testing"
	"time"

	"github.com/blang/semver/v4"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
	"k8s.io/utils/ptr"
	bootstrapv1 "sigs.k8s.io/cluster-api/api/bootstrap/kubeadm/v1beta2"
	"sigs.k8s.io/cluster-api/bootstrap/kubeadm/pkg/cloudinit"
	"sigs.k8s.io/cluster-api/bootstrap/kubeadm/pkg/ignition"
	"sigs.k8s.io/cluster-api/bootstrap/kubeadm/pkg/types"
	"sigs.k8s.io/cluster-api/bootstrap/kubeadm/pkg/types/upstream"
	"sigs.k8s.io/cluster-api/controlplane/kubeadm/pkg/etcd"
	"sigs.k8s.io/cluster-api/controlplane/kubeadm/pkg/proxy"
	"sigs.k8s.io/cluster-api/util/certs"
	"sigs.k8s.io/cluster-api/util/kubeconfig"
	"sigs.k8s.io/cluster-api/util/secret"
)

// A cluster is what Cluster API's kubeadm providers know of one.
type cluster struct {
	name, endpoint, version string
	certificates            secret.Certificates
}

func newCluster(t *testing.T, name, endpoint, version string) *cluster {
	t.Helper()
	c := &cluster{name: name, endpoint: endpoint, version: version, certificates: secret.NewCertificatesForInitialControlPlane(nil)}
	if err := c.certificates.Generate(); err != nil {
		t.Fatal(err)
	}
	return c
}

// registration is that of CAPZ's default flavor.
func registration() bootstrapv1.NodeRegistrationOptions {
	return bootstrapv1.NodeRegistrationOptions{
		Name:             `{{ ds.meta_data["local_hostname"] }}`,
		KubeletExtraArgs: []bootstrapv1.Arg{{Name: "cloud-provider", Value: ptr.To("external")}},
	}
}

func (c *cluster) base() cloudinit.BaseUserData {
	return cloudinit.BaseUserData{
		KubernetesVersion: semver.MustParse(c.version[1:]), KubeadmVerbosity: "--v 2",
		AdditionalFiles: []bootstrapv1.File{{Path: "/etc/kubernetes/azure.json", Owner: "root:root", Permissions: "0644", Content: "{}"}},
	}
}

// controlPlane returns the user data of the first control plane machine, as CAPZ's default flavor has it.
func (c *cluster) controlPlane(t *testing.T) []byte {
	t.Helper()
	version := semver.MustParse(c.version[1:])
	config := &bootstrapv1.ClusterConfiguration{
		ControlPlaneEndpoint: c.endpoint,
		Etcd: bootstrapv1.Etcd{Local: bootstrapv1.LocalEtcd{
			DataDir: "/var/lib/etcddisk/etcd", ExtraArgs: []bootstrapv1.Arg{{Name: "quota-backend-bytes", Value: ptr.To("8589934592")}},
		}},
		ControllerManager: bootstrapv1.ControllerManager{ExtraArgs: []bootstrapv1.Arg{
			{Name: "allocate-node-cidrs", Value: ptr.To("false")}, {Name: "cloud-provider", Value: ptr.To("external")},
		}},
	}
	clusterConfig, err := types.MarshalClusterConfigurationForVersion(config, version, &upstream.AdditionalData{
		KubernetesVersion: ptr.To(c.version), ClusterName: ptr.To(c.name), PodSubnet: ptr.To("192.168.0.0/16"),
	})
	if err != nil {
		t.Fatal(err)
	}
	initConfig, err := types.MarshalInitConfigurationForVersion(&bootstrapv1.InitConfiguration{NodeRegistration: registration()}, version)
	if err != nil {
		t.Fatal(err)
	}
	base := c.base()
	base.DiskSetup = &bootstrapv1.DiskSetup{
		Partitions: []bootstrapv1.Partition{{Device: "/dev/disk/azure/scsi1/lun0", Layout: ptr.To(true), Overwrite: ptr.To(false), TableType: "gpt"}},
		Filesystems: []bootstrapv1.Filesystem{
			{Device: "/dev/disk/azure/scsi1/lun0", Filesystem: "ext4", Label: "etcd_disk"},
			{Device: "ephemeral0.1", Filesystem: "ext4", Label: "ephemeral0", ReplaceFS: "ntfs"},
		},
	}
	base.Mounts = []bootstrapv1.MountPoints{{"LABEL=etcd_disk", "/var/lib/etcddisk"}}
	data, err := cloudinit.NewInitControlPlane(&cloudinit.ControlPlaneInput{
		BaseUserData: base, Certificates: c.certificates, ClusterConfiguration: clusterConfig, InitConfiguration: initConfig,
	})
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// token is a bootstrap token as Cluster API makes one for each machine.
const (
	tokenID     = "abcdef"
	tokenSecret = "0123456789abcdef"
)

func (c *cluster) createToken(ctx context.Context, t *testing.T, client kubernetes.Interface) {
	t.Helper()
	_, err := client.CoreV1().Secrets("kube-system").Create(ctx, &corev1.Secret{
		ObjectMeta: metav1.ObjectMeta{Name: "bootstrap-token-" + tokenID}, Type: "bootstrap.kubernetes.io/token",
		StringData: map[string]string{
			"token-id": tokenID, "token-secret": tokenSecret, "usage-bootstrap-signing": "true", "usage-bootstrap-authentication": "true",
			"auth-extra-groups": "system:bootstrappers:kubeadm:default-node-token",
		},
	}, metav1.CreateOptions{})
	if err != nil {
		t.Fatal(err)
	}
}

// join returns how a machine finds the cluster.
func (c *cluster) join(t *testing.T, node bootstrapv1.NodeRegistrationOptions, controlPlane *bootstrapv1.JoinControlPlane) string {
	t.Helper()
	hashes, err := c.certificates.GetByPurpose(secret.ClusterCA).Hashes()
	if err != nil {
		t.Fatal(err)
	}
	join, err := types.MarshalJoinConfigurationForVersion(&bootstrapv1.JoinConfiguration{
		NodeRegistration: node, ControlPlane: controlPlane,
		Discovery: bootstrapv1.Discovery{BootstrapToken: bootstrapv1.BootstrapTokenDiscovery{
			Token: tokenID + "." + tokenSecret, APIServerEndpoint: c.endpoint, CACertHashes: hashes,
		}},
	}, semver.MustParse(c.version[1:]))
	if err != nil {
		t.Fatal(err)
	}
	return join
}

// worker returns the user data of a worker.
func (c *cluster) worker(t *testing.T) []byte {
	t.Helper()
	data, err := cloudinit.NewNode(&cloudinit.NodeInput{BaseUserData: c.base(), JoinConfiguration: c.join(t, registration(), nil)})
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// flatcarWorker is a worker of CAPZ's flavor for Flatcar, which reads Ignition.
func (c *cluster) flatcarWorker(t *testing.T) []byte {
	t.Helper()
	node := registration()
	node.Name = "@@HOSTNAME@@"
	base := c.base()
	base.PreKubeadmCommands = []string{`sed -i "s/@@HOSTNAME@@/$(curl -s -H Metadata:true --noproxy '*' ` +
		`'http://169.254.169.254/metadata/instance?api-version=2020-09-01' | jq -r .compute.name)/g" /etc/kubeadm.yml`}
	data, warnings, err := ignition.NewNode(&ignition.NodeInput{
		NodeInput: &cloudinit.NodeInput{BaseUserData: base, JoinConfiguration: c.join(t, node, nil)},
	})
	if err != nil || warnings != "" {
		t.Fatal(warnings, err)
	}
	return data
}

// anotherControlPlane returns the user data of a control plane machine that joins.
func (c *cluster) anotherControlPlane(t *testing.T) []byte {
	t.Helper()
	data, err := cloudinit.NewJoinControlPlane(&cloudinit.ControlPlaneJoinInput{
		BaseUserData: c.base(), Certificates: c.certificates, JoinConfiguration: c.join(t, registration(), &bootstrapv1.JoinControlPlane{}),
	})
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// etcd is the client of KubeadmControlPlane's controller for the member on one machine.
func (c *cluster) etcd(t *testing.T, config *rest.Config, machine string) *etcd.Client {
	t.Helper()
	ca := c.certificates.GetByPurpose(secret.EtcdCA)
	cert, err := certs.DecodeCertPEM(ca.KeyPair.Cert)
	if err != nil {
		t.Fatal(err)
	}
	caKey, err := certs.DecodePrivateKeyPEM(ca.KeyPair.Key)
	if err != nil {
		t.Fatal(err)
	}
	key, err := certs.NewPrivateKey()
	if err != nil {
		t.Fatal(err)
	}
	client, err := (&certs.Config{CommonName: "test", Usages: []x509.ExtKeyUsage{x509.ExtKeyUsageClientAuth}}).NewSignedCert(key, cert, caKey)
	if err != nil {
		t.Fatal(err)
	}
	pool := x509.NewCertPool()
	pool.AddCert(cert)
	made, err := etcd.NewClient(t.Context(), etcd.ClientConfiguration{
		Endpoint: "etcd-" + machine, DialTimeout: 10 * time.Second, CallTimeout: 10 * time.Second,
		Proxy: proxy.Proxy{Kind: "pods", Namespace: "kube-system", KubeConfig: config, Port: 2379},
		TLSConfig: &tls.Config{
			RootCAs: pool, Certificates: []tls.Certificate{{Certificate: [][]byte{client.Raw}, PrivateKey: key}}, MinVersion: tls.VersionTLS12,
			// The name in the certificate is that of the node, as in the controller.
			InsecureSkipVerify: true,
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = made.Close() })
	return made
}

// config reaches the API server through a dialer, as its administrator.
func (c *cluster) config(t *testing.T, dial func(ctx context.Context, network, address string) (net.Conn, error)) *rest.Config {
	t.Helper()
	ca := c.certificates.GetByPurpose(secret.ClusterCA)
	var cert *x509.Certificate
	cert, err := certs.DecodeCertPEM(ca.KeyPair.Cert)
	if err != nil {
		t.Fatal(err)
	}
	key, err := certs.DecodePrivateKeyPEM(ca.KeyPair.Key)
	if err != nil {
		t.Fatal(err)
	}
	kube, err := kubeconfig.New(c.name, fmt.Sprintf("https://%s", c.endpoint), cert, key)
	if err != nil {
		t.Fatal(err)
	}
	config, err := clientcmd.NewDefaultClientConfig(*kube, nil).ClientConfig()
	if err != nil {
		t.Fatal(err)
	}
	config.Dial = dial
	return config
}
