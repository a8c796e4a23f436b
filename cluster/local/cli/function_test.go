package cli

import (
	"bytes"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// quiet has functions of this project open no port for metrics; others do not know the flag.
const quiet = "--metrics-address="

// serve runs a composition function on 127.0.0.1, without TLS, until the test ends, and returns its address.
func serve(t *testing.T, command string, args ...string) string {
	t.Helper()
	address := freeAddress(t)
	cmd := exec.CommandContext(t.Context(), command, append(args, "--insecure", "--address="+address)...)
	var log bytes.Buffer
	cmd.Stdout, cmd.Stderr = &log, &log
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	ended := make(chan error, 1)
	go func() { ended <- cmd.Wait() }()
	t.Cleanup(func() {
		_ = cmd.Process.Kill() // It may have ended already, which the tests will have noticed.
		<-ended                //nolint:errcheck // It was killed.
	})
	for deadline := time.Now().Add(commandTimeout); ; time.Sleep(20 * time.Millisecond) {
		conn, err := net.Dial("tcp", address)
		if err == nil {
			_ = conn.Close()
			return address
		}
		select {
		case err := <-ended:
			ended <- err
			t.Fatalf("%s ended: %v\n%s", command, err, log.String())
		default:
		}
		if time.Now().After(deadline) {
			t.Fatalf("%s does not listen at %s: %v", command, address, err)
		}
	}
}

func freeAddress(t *testing.T) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	return l.Addr().String()
}

// functionsFile writes the Functions of the names given, each served at the address given, for composition render.
func functionsFile(t *testing.T, addresses map[string]string) string {
	t.Helper()
	var text strings.Builder
	for name, address := range addresses {
		text.WriteString("---\napiVersion: pkg.crossplane.io/v1\nkind: Function\nmetadata:\n  name: " + name +
			"\n  annotations:\n    render.crossplane.io/runtime: Development\n    render.crossplane.io/runtime-development-target: " + address +
			"\nspec:\n  package: xpkg.crossplane.io/crossplane-capz/" + name + ":v0.0.0\n")
	}
	return writeFile(t, "functions.yaml", text.String())
}

func writeFile(t *testing.T, name, text string) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return file
}
