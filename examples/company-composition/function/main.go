// Command function-company-policy is a composition function for a step after function-capz: it tags what is composed, and
// refuses sizes of virtual machines. It is an example of what a platform team may add.
package main

import (
	"github.com/alecthomas/kong"
	"github.com/crossplane/function-sdk-go"
)

// command has the flags that Crossplane's function specification asks for, and the addresses.
type command struct {
	Debug          bool   `short:"d" help:"Log more."`
	Network        string `default:"tcp" help:"Network to listen on."`
	Address        string `default:":9443" help:"Address to listen on for gRPC."`
	TLSCertsDir    string `name:"tls-certs-dir" env:"TLS_SERVER_CERTS_DIR" help:"Folder with tls.crt and tls.key of the server and ca.crt of its clients."`
	Insecure       bool   `help:"Serve without TLS; ignores --tls-certs-dir. Only for development."`
	MetricsAddress string `default:":8080" help:"Address to serve Prometheus metrics on; empty for none."`
}

// Run serves until the process is told to end.
func (c *command) Run() error {
	return function.Serve(&Function{},
		function.Listen(c.Network, c.Address),
		function.MTLSCertificates(c.TLSCertsDir),
		function.Insecure(c.Insecure),
		function.MaxRecvMessageSize(16<<20),
		function.WithMetricsServer(c.MetricsAddress))
}

func main() {
	ctx := kong.Parse(&command{}, kong.Name("function-company-policy"), kong.Description("Tags what is composed, and refuses sizes of virtual machines."))
	ctx.FatalIfErrorf(ctx.Run())
}
