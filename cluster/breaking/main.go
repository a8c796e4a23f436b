// Command breaking compares the definitions of all kinds with those of the last release, and fails when a change breaks objects that are
// stored, or manifests that users have: a field that is gone, a narrower type, enum, bound or pattern, a new required field or rule.
//
// Changes that were decided on stand in package/released/accepted.yaml, with the reason, and in docs/upgrade.md. With --write it makes the
// definitions of the checkout those of the last release.
package main

import (
	"flag"
	"fmt"
	"io"
	"os"
)

func main() {
	root := flag.String("root", "../..", "Folder of the checkout.")
	write := flag.Bool("write", false, "Make the definitions of the checkout those of the last release, which package/version.txt names.")
	flag.Parse()
	if err := run(*root, *write, os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "breaking:", err)
		os.Exit(1)
	}
}

func run(root string, write bool, out io.Writer) error {
	now, err := ofTree(root)
	if err != nil {
		return err
	}
	if write {
		return release(root, now)
	}
	problems, err := check(root, now)
	if err != nil {
		return err
	}
	for _, p := range problems {
		if _, err := fmt.Fprintln(out, p); err != nil {
			return err
		}
	}
	if len(problems) > 0 {
		return fmt.Errorf("%d problems: undo the changes, or accept them in %s with the reason, and tell users in %s", len(problems), acceptedFile, upgradePage)
	}
	return nil
}
