package main

import (
	"context"
	"fmt"
	"io"

	"github.com/spf13/pflag"
	genericapiserver "k8s.io/apiserver/pkg/server"
	utilfeature "k8s.io/apiserver/pkg/util/feature"
	cliflag "k8s.io/component-base/cli/flag"
	"k8s.io/component-base/logs"
	logsapi "k8s.io/component-base/logs/api/v1"
	"k8s.io/component-base/version/verflag"
	kubelet "k8s.io/kubernetes/cmd/kubelet/app"
	"k8s.io/kubernetes/cmd/kubelet/app/options"
	"k8s.io/kubernetes/pkg/features"
	"k8s.io/kubernetes/pkg/kubelet/apis/config"
	"k8s.io/kubernetes/pkg/kubelet/apis/config/validation"
	"k8s.io/kubernetes/pkg/kubelet/cm"
	"k8s.io/kubernetes/pkg/kubelet/eviction"
	"k8s.io/kubernetes/pkg/kubelet/kubeletconfig/configfiles"
	utilfs "k8s.io/kubernetes/pkg/util/filesystem"
	"k8s.io/kubernetes/pkg/util/oom"
)

// runKubelet is the kubelet of a simulated machine. It reads flags and files as upstream's command does; it manages no cgroups, and has the
// capacity that the machine's size says, as there are many machines on the one below.
func runKubelet(args []string) error {
	flags, settings, err := parseKubelet(args)
	if err != nil {
		return err
	}
	settings.CgroupsPerQOS = false
	settings.EnforceNodeAllocatable = nil
	settings.FailCgroupV1 = false
	settings.FailSwapOn = false
	settings.LocalStorageCapacityIsolation = false
	gates := map[string]bool{string(features.KubeletInUserNamespace): true}
	for name, value := range settings.FeatureGates {
		gates[name] = value
	}
	if err := utilfeature.DefaultMutableFeatureGate.SetFromMap(gates); err != nil {
		return err
	}
	logs.InitLogs()
	if err := logsapi.ValidateAndApply(&settings.Logging, utilfeature.DefaultFeatureGate); err != nil {
		return fmt.Errorf("logging: %w", err)
	}
	if err := validation.ValidateKubeletConfiguration(settings, utilfeature.DefaultFeatureGate); err != nil {
		return fmt.Errorf("configuration: %w", err)
	}
	ctx := genericapiserver.SetupSignalContext()
	server := &options.KubeletServer{KubeletFlags: *flags, KubeletConfiguration: *settings}
	dependencies, err := kubelet.UnsecuredDependencies(ctx, server, utilfeature.DefaultFeatureGate)
	if err != nil {
		return err
	}
	dependencies.CAdvisorInterface = &machine{}
	dependencies.ContainerManager = cm.NewStubContainerManager()
	dependencies.OOMAdjuster = oom.NewFakeOOMAdjuster()
	return kubelet.Run(ctx, server, dependencies, utilfeature.DefaultFeatureGate)
}

// parseKubelet reads the flags, then the file that they name, and then the flags that the file has too, which win.
func parseKubelet(args []string) (*options.KubeletFlags, *config.KubeletConfiguration, error) {
	flags := options.NewKubeletFlags()
	settings, err := options.NewKubeletConfiguration()
	if err != nil {
		return nil, nil, err
	}
	set := pflag.NewFlagSet("kubelet", pflag.ContinueOnError)
	set.SetNormalizeFunc(cliflag.WordSepNormalizeFunc)
	flags.AddFlags(set)
	options.AddKubeletConfigFlags(set, settings)
	options.AddGlobalFlags(set)
	if err := set.Parse(args); err != nil {
		return nil, nil, err
	}
	// kubeadm asks for the version, and waits for good if it gets none.
	verflag.PrintAndExitIfRequested()
	if err := options.ValidateKubeletFlags(flags); err != nil {
		return nil, nil, err
	}
	if flags.KubeletConfigFile == "" {
		return flags, settings, nil
	}
	if settings, err = loadKubelet(flags.KubeletConfigFile); err != nil {
		return nil, nil, err
	}
	return flags, settings, preferFlags(settings, args)
}

func loadKubelet(file string) (*config.KubeletConfiguration, error) {
	loader, err := configfiles.NewFsLoader(&utilfs.DefaultFs{}, file)
	if err != nil {
		return nil, err
	}
	settings, err := loader.Load(context.Background())
	if err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	if settings.EvictionHard == nil {
		settings.EvictionHard = eviction.DefaultEvictionHard
	}
	return settings, nil
}

// preferFlags sets what is given by flags in settings from a file. Values of global flags would add up if they were set once more.
func preferFlags(settings *config.KubeletConfiguration, args []string) error {
	globals := pflag.NewFlagSet("", pflag.ContinueOnError)
	globals.SetNormalizeFunc(cliflag.WordSepNormalizeFunc)
	options.AddGlobalFlags(globals)
	set := pflag.NewFlagSet("", pflag.ContinueOnError)
	set.SetNormalizeFunc(cliflag.WordSepNormalizeFunc)
	globals.VisitAll(func(f *pflag.Flag) { set.VarP(cliflag.NoOp{}, f.Name, f.Shorthand, f.Usage) })
	options.NewKubeletFlags().AddFlags(set)
	gates := settings.FeatureGates
	options.AddKubeletConfigFlags(set, settings)
	set.SetOutput(io.Discard) // Warnings about deprecated flags were printed.
	if err := set.Parse(args); err != nil {
		return err
	}
	for name, value := range gates {
		if _, ok := settings.FeatureGates[name]; !ok {
			settings.FeatureGates[name] = value
		}
	}
	return nil
}
