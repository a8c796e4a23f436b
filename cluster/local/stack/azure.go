package stack

import (
	"context"
	"fmt"
	"path/filepath"
)

// shareAzure makes the stack use the simulated Azure of the one in a state folder, which has to be up; its own when the
// folder is not given.
func (s *Stack) shareAzure(dir string) error {
	if dir == "" {
		return nil
	}
	dir, err := filepath.Abs(dir)
	if err != nil {
		return err
	}
	if s.azure, err = Open(s.options.Root, dir); err != nil {
		return fmt.Errorf("the simulated Azure of another stack: %w", err)
	}
	s.state.Azure = dir
	return nil
}

// runAzure starts the simulated Azure, and before it what its virtual machines run on, unless another stack has them.
func (s *Stack) runAzure(ctx context.Context) error {
	if s.azure != nil {
		s.logf("the simulated Azure is that of %s", s.simulator().dir)
		return nil
	}
	if err := s.runAndSay(ctx, Fabric); err != nil {
		return err
	}
	return s.runAndSay(ctx, AzureSim)
}

// simulator returns the stack that runs the simulated Azure.
func (s *Stack) simulator() *Stack {
	if s.azure != nil {
		return s.azure.simulator()
	}
	return s
}

// AdminURL returns the URL of the simulator's admin API.
func (s *Stack) AdminURL() string { return "http://" + s.simulator().address(portAzureAdmin) }

// ProxyURL returns the URL of the proxy behind which the simulated Azure is.
func (s *Stack) ProxyURL() string { return "http://" + s.simulator().address(portAzure) }

// AzureCA returns the file with the simulated Azure's certificate authority.
func (s *Stack) AzureCA() string { return s.simulator().path("azure", "ca.crt") }

// AzureEnv returns the variables of a client of Azure that is signed in as a person, and reaches the simulated Azure by the addresses of the real one.
func (s *Stack) AzureEnv() []string {
	return append(s.azureEnv(), "AZURE_TENANT_ID=tenant", "AZURE_CLIENT_ID="+PersonAgent, "AZURE_CLIENT_SECRET=simulated")
}

// azureEnv sends a client of Azure to the simulator: through its proxy, and with its certificate authority trusted. By plain HTTP
// the proxy answers for the Instance Metadata Service, which managed identities get their tokens from.
func (s *Stack) azureEnv() []string {
	return []string{
		"HTTPS_PROXY=" + s.ProxyURL(), "HTTP_PROXY=" + s.ProxyURL(), "NO_PROXY=127.0.0.1,localhost", "SSL_CERT_FILE=" + s.AzureCA(),
	}
}
