package main

import (
	"context"
	"errors"
	"log/slog"
	"net"
	"os"
	"path/filepath"

	clientgoscheme "k8s.io/client-go/kubernetes/scheme"
	"k8s.io/client-go/tools/clientcmd"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/crossplane-capz/crossplane-capz/cluster/local/cloudcontroller"
	"github.com/crossplane-capz/crossplane-capz/cluster/local/node"
	"github.com/crossplane-capz/crossplane-capz/cluster/local/registry"
	"github.com/crossplane-capz/crossplane-capz/cluster/local/written"
)

type registryCommand struct {
	Address string `required:"" help:"Where to listen."`
	Dir     string `required:"" type:"path" help:"Folder for what is pushed."`
}

func (c *registryCommand) Run(ctx context.Context, _ checkout) error {
	listener, err := net.Listen("tcp", c.Address)
	if err != nil {
		return err
	}
	return ended(ctx, registry.Serve(ctx, listener, c.Dir))
}

type nodeCommand struct {
	Kubeconfig string `required:"" type:"existingfile" help:"How to reach the API server."`
	Namespace  string `required:"" help:"Whose Deployments and Services these are."`
	Proxy      string `required:"" help:"Where to listen as the HTTP proxy that knows the Services by name."`
	State      string `required:"" type:"existingdir" help:"Folder for everything that is written."`
	Record     string `type:"path" help:"File for what is said through the proxy, which is not recorded without it."`
	Client     string `type:"path" help:"Folder with the certificate of who uses the proxy; for --record."`
}

func (c *nodeCommand) Run(ctx context.Context, _ checkout) error {
	config, err := clientcmd.BuildConfigFromFlags("", c.Kubeconfig)
	if err != nil {
		return err
	}
	config.QPS = -1
	kube, err := client.New(config, client.Options{Scheme: clientgoscheme.Scheme})
	if err != nil {
		return err
	}
	listener, err := net.Listen("tcp", c.Proxy)
	if err != nil {
		return err
	}
	n := &node.Node{
		Client: kube, Config: config, Namespace: c.Namespace, Dir: c.State, Log: os.Stderr,
		Env: []string{"HOME=" + os.Getenv("HOME"), "TMPDIR=" + os.Getenv("TMPDIR")},
	}
	if c.Record != "" {
		spool, err := written.Create(c.Record)
		if err != nil {
			return err
		}
		n.Recorder = &node.Recorder{Servers: filepath.Join(c.State, "pods", "*", "tls-server-certs"), Client: c.Client, Spool: spool}
	}
	return ended(ctx, n.Run(ctx, listener))
}

type cloudControllerCommand struct {
	Kubeconfig string `required:"" type:"existingfile" help:"How to reach the management cluster."`
}

func (c *cloudControllerCommand) Run(ctx context.Context, _ checkout) error {
	config, err := clientcmd.BuildConfigFromFlags("", c.Kubeconfig)
	if err != nil {
		return err
	}
	kube, err := client.New(config, client.Options{Scheme: clientgoscheme.Scheme})
	if err != nil {
		return err
	}
	controllers := &cloudcontroller.Controllers{Management: kube, Log: slog.New(slog.NewTextHandler(os.Stderr, nil))}
	return ended(ctx, controllers.Run(ctx))
}

// ended makes no error of an end that was asked for.
func ended(ctx context.Context, err error) error {
	if ctx.Err() != nil && errors.Is(err, context.Canceled) {
		return nil
	}
	return err
}
