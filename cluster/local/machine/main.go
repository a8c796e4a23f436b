// Command fabric runs the virtual machines of the simulated Azure: it listens at a unix socket for what the simulator asks of a power.Host.
// All machines and networks are in namespaces of its own, which end with it.
package main

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"

	"github.com/crossplane-capz/crossplane-capz/cluster/local/machine/guest"
)

func main() {
	if standIn := guest.StandIns[filepath.Base(os.Args[0])]; standIn != nil {
		os.Exit(standIn(os.Args[1:]))
	}
	if len(os.Args) > 1 {
		switch os.Args[1] {
		case guest.Name:
			fail(guest.Main())
		case insideName:
			fail(inside(os.Args[2:]))
		case tryName:
			fail(try())
		}
	}
	fail(outside(os.Args[1:]))
}

// fail ends the process when there is an error.
func fail(err error) {
	if err != nil {
		fmt.Fprintf(os.Stderr, "fabric: %v\n", err)
		os.Exit(1)
	}
	os.Exit(0)
}

// settings are the command's flags.
type settings struct{ dir, socket, bin string }

func parse(args []string) (settings, error) {
	var s settings
	set := flag.NewFlagSet("fabric", flag.ContinueOnError)
	set.StringVar(&s.dir, "dir", "", "Folder for the disks and consoles of machines.")
	set.StringVar(&s.socket, "socket", "", "Unix socket to listen at.")
	set.StringVar(&s.bin, "bin", "", "Folder with the combined binary kubernetes.")
	if err := set.Parse(args); err != nil {
		return s, err
	}
	for name, value := range map[string]*string{"--dir": &s.dir, "--socket": &s.socket, "--bin": &s.bin} {
		if *value == "" {
			return s, fmt.Errorf("%s is required", name)
		}
		absolute, err := filepath.Abs(*value)
		if err != nil {
			return s, err
		}
		*value = absolute
	}
	return s, nil
}
