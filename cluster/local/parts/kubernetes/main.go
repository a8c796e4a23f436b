// Command kubernetes is etcd, kubeadm, kubectl, kubelet and the control plane's components in one binary: upstream's packages, unmodified but for
// what the kubelet measures. The name that it is called by chooses the component, as a busybox does.
package main

import (
	"fmt"
	"os"
	"path/filepath"

	etcd "go.etcd.io/etcd/server/v3/etcdmain"
	"k8s.io/component-base/cli"
	_ "k8s.io/component-base/logs/json/register"
	_ "k8s.io/component-base/metrics/prometheus/clientgo"
	_ "k8s.io/component-base/metrics/prometheus/version"
	kubectl "k8s.io/kubectl/pkg/cmd"
	apiserver "k8s.io/kubernetes/cmd/kube-apiserver/app"
	controllermanager "k8s.io/kubernetes/cmd/kube-controller-manager/app"
	scheduler "k8s.io/kubernetes/cmd/kube-scheduler/app"
	kubeadm "k8s.io/kubernetes/cmd/kubeadm/app"
	kubeadmerrors "k8s.io/kubernetes/cmd/kubeadm/app/util/errors"

	_ "github.com/crossplane-capz/crossplane-capz/cluster/local/parts/kubernetes/version"
)

func main() {
	switch name := filepath.Base(os.Args[0]); name {
	case "etcd":
		etcd.Main(os.Args)
	case "kube-apiserver":
		os.Exit(cli.Run(apiserver.NewAPIServerCommand()))
	case "kube-controller-manager":
		os.Exit(cli.Run(controllermanager.NewControllerManagerCommand()))
	case "kube-scheduler":
		os.Exit(cli.Run(scheduler.NewSchedulerCommand()))
	case "kubeadm":
		kubeadmerrors.HandleError(kubeadm.Run())
	case "kubectl":
		if err := cli.RunNoErrOutput(kubectl.NewDefaultKubectlCommand()); err != nil {
			os.Exit(1)
		}
	case "kubelet":
		if err := runKubelet(os.Args[1:]); err != nil {
			fmt.Fprintf(os.Stderr, "kubelet: %v\n", err)
			os.Exit(1)
		}
	default:
		fmt.Fprintf(os.Stderr, "%s: call me etcd, kubeadm, kubectl, kubelet or by the name of a control plane component\n", name)
		os.Exit(2)
	}
}
