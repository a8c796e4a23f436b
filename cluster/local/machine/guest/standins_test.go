package guest

import (
	"os"
	"path/filepath"
	"testing"
)

func TestDropLockedGate(t *testing.T) {
	const rest = "apiVersion: kubeadm.k8s.io/v1beta4\nfeatureGates:\n"
	cases := map[string]struct{ config, want string }{
		"on":        {rest + "  ControlPlaneKubeletLocalMode: true\nkind: ClusterConfiguration\n", rest + "kind: ClusterConfiguration\n"},
		"off":       {rest + "  ControlPlaneKubeletLocalMode: false\n", rest + "  ControlPlaneKubeletLocalMode: false\n"},
		"other one": {rest + "  NodeLocalCRISocket: true\n", rest + "  NodeLocalCRISocket: true\n"},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			file := filepath.Join(t.TempDir(), "kubeadm.yaml")
			if err := os.WriteFile(file, []byte(c.config), 0o600); err != nil {
				t.Fatal(err)
			}
			if err := dropLockedGate([]string{"init", "--config", file, "--v", "2"}); err != nil {
				t.Fatal(err)
			}
			if got, err := os.ReadFile(file); err != nil || string(got) != c.want {
				t.Errorf("got %q, %v, want %q", got, err, c.want)
			}
		})
	}
	if err := dropLockedGate([]string{"join", "--token", "x"}); err != nil {
		t.Error(err)
	}
}
