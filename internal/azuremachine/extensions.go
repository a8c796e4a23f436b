package azuremachine

import (
	"k8s.io/utils/ptr"

	"github.com/crossplane-capz/crossplane-capz/apis/infrastructure/v1beta1"
)

// The extension with which Azure tells whether the bootstrap data has been carried out. Azure's public cloud has it.
const (
	bootstrappingLinux     = "CAPZ.Linux.Bootstrapping"
	bootstrappingWindows   = "CAPZ.Windows.Bootstrapping"
	bootstrappingPublisher = "Microsoft.Azure.ContainerUpstream"
	// publicCloud is the spec.azureEnvironment of an AzureCluster in it; an empty one means it too.
	publicCloud = "AzurePublicCloud"
	// arm64 is the architecture, as Azure says it, of sizes that need another version of the extension.
	arm64 = "Arm64"
)

// Bootstrap providers write a file on a machine when the bootstrap data has been carried out (CAPI contract, BootstrapConfig: "sentinel
// file"). The scripts look for it every five seconds, for five minutes, and fail if it does not come.
const (
	awaitBootstrapLinux = `n=0; until [ -f /run/cluster-api/bootstrap-success.complete ]; do n=$((n+1)); ` +
		`if [ "$n" -ge 60 ]; then echo 'kubeadm has not finished within 5 minutes; /var/log/cloud-init-output.log and journalctl -u kubelet tell why' >&2; exit 1; fi; sleep 5; done`
	awaitBootstrapWindows = `powershell.exe -NoProfile -Command "$n = 0; while (-not (Test-Path 'c:\run\cluster-api\bootstrap-success.complete')) ` +
		`{ $n++; if ($n -ge 60) { exit 1 }; Start-Sleep -Seconds 5 }; exit 0"`
)

// Extensions returns the extensions that a machine has: those of its spec, and the one that awaits the bootstrap data where
// spec.disableVMBootstrapExtension is false and the cloud has it. Architecture is that of the size. Their protected settings are secret.
func Extensions(m *v1beta1.AzureMachine, cloud, architecture string) []v1beta1.VMExtension {
	if ptr.Deref(m.Spec.DisableExtensionOperations, false) {
		return nil
	}
	extensions := m.Spec.VMExtensions
	if ptr.Deref(m.Spec.DisableVMBootstrapExtension, true) || cloud != "" && cloud != publicCloud {
		return extensions
	}
	awaits := v1beta1.VMExtension{
		Name: bootstrappingLinux, Publisher: bootstrappingPublisher, Version: "1.0",
		ProtectedSettings: v1beta1.Tags{"commandToExecute": awaitBootstrapLinux},
	}
	switch {
	case IsWindows(m):
		awaits.Name, awaits.ProtectedSettings = bootstrappingWindows, v1beta1.Tags{"commandToExecute": awaitBootstrapWindows}
	case architecture == arm64:
		awaits.Version = "1.1" // The other is for x64 only.
	}
	return append(extensions[:len(extensions):len(extensions)], awaits)
}

// ExtensionObject returns the name that the ASO object of an extension has in Kubernetes: extensions are named within their machine.
func ExtensionObject(machine, extension string) string {
	return v1beta1.ASOObjectName(machine + "-" + extension)
}

// ProtectedSettingsSecret returns the name of the Secret with the protected settings of an extension, one key a setting. provider-capz
// writes it, ASO reads it.
func ProtectedSettingsSecret(machine, extension string) string {
	return ExtensionObject(machine, extension) + "-protected-settings"
}
