// Command function-capz is the Crossplane composition function of crossplane-capz. It turns each of the CAPZ kinds
// into the Azure Service Operator objects that it stands for.
package main

import (
	"context"

	"github.com/alecthomas/kong"
	"github.com/crossplane/function-sdk-go"
	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"
	"github.com/prometheus/client_golang/prometheus"

	"github.com/crossplane-capz/crossplane-capz/internal/telemetry"
	"github.com/crossplane-capz/crossplane-capz/internal/traces/export"
	"github.com/crossplane-capz/crossplane-capz/internal/version"
)

type commands struct {
	Serve  serveCommand  `cmd:"" default:"withargs" help:"Serve composition requests from Crossplane."`
	Render renderCommand `cmd:"" help:"Print the Azure Service Operator resources that a manifest stands for, without any cluster."`

	Version kong.VersionFlag `help:"Print the version and end."`
}

// serveCommand has the flags that Crossplane's function specification asks for, and the addresses.
type serveCommand struct {
	Debug          bool   `short:"d" help:"Log what is composed."`
	Network        string `default:"tcp" help:"Network to listen on."`
	Address        string `default:":9443" help:"Address to listen on for gRPC."`
	TLSCertsDir    string `name:"tls-certs-dir" env:"TLS_SERVER_CERTS_DIR" help:"Folder with tls.crt and tls.key of the server and ca.crt of its clients."`
	Insecure       bool   `help:"Serve without TLS; ignores --tls-certs-dir. Only for development."`
	MetricsAddress string `default:":8080" help:"Address to serve Prometheus metrics on; empty for none."`
	MaxMessageSize int    `default:"16" help:"Largest request in MiB."`
}

// Run serves until the process gets the signal to end.
func (c *serveCommand) Run() error {
	log, err := function.NewLogger(c.Debug)
	if err != nil {
		return err
	}
	if err := telemetry.Register(prometheus.DefaultRegisterer, telemetry.Function); err != nil {
		return err
	}
	end, err := export.Start(context.Background(), string(telemetry.Function), func(err error) { log.Info("Cannot send traces", "error", err) })
	if err != nil {
		return err
	}
	defer end()
	return function.Serve(&Function{log: log},
		function.Listen(c.Network, c.Address),
		function.MTLSCertificates(c.TLSCertsDir),
		function.Insecure(c.Insecure),
		function.MaxRecvMessageSize(c.MaxMessageSize<<20),
		function.WithMetricsServer(c.MetricsAddress))
}

func main() {
	ctx := kong.Parse(&commands{}, kong.Name("function-capz"),
		kong.Description("CAPZ kinds as Crossplane compositions of Azure Service Operator resources."), kong.UsageOnError(),
		kong.Vars{"version": version.Version})
	ctx.FatalIfErrorf(ctx.Run())
}

var _ fnv1.FunctionRunnerServiceServer = &Function{}
