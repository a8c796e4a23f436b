package main

import (
	"context"
	"fmt"
	"os"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/crossplane-capz/crossplane-capz/cluster/local/parts"
)

// binaries measures what a side costs before there is any Cluster: its memory, its executables, and its start.
func binaries(ctx context.Context, a *arena) error {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	if err := a.takeResident(ctx); err != nil {
		return err
	}
	if err := a.takeExecutables(); err != nil {
		return err
	}
	if err := a.takePackages(); err != nil {
		return err
	}
	return a.takeStart(ctx)
}

// takeResident notes the memory that the processes hold at the moment.
func (a *arena) takeResident(ctx context.Context) error {
	var own usage
	for _, name := range a.side.processes() {
		u, err := a.usage(ctx, name)
		if err != nil {
			return fmt.Errorf("usage of %s: %w", name, err)
		}
		a.take("memory of "+name, u.resident/(1<<20), "MiB")
		own = own.add(u)
	}
	a.take("memory", own.resident/(1<<20), "MiB")
	return nil
}

// takeExecutables notes the size of the files that the processes run. One that several run counts once.
func (a *arena) takeExecutables() error {
	sizes := map[string]int64{}
	total := 0.0
	for _, name := range a.side.processes() {
		path, err := a.executable(name)
		if err != nil {
			return fmt.Errorf("executable of %s: %w", name, err)
		}
		if _, known := sizes[path]; known {
			continue
		}
		if sizes[path], err = size(path); err != nil {
			return err
		}
		a.take("executable of "+name, mebibytes(sizes[path]), "MiB")
		total += mebibytes(sizes[path])
	}
	a.take("executables", total, "MiB")
	return nil
}

func (a *arena) executable(component string) (string, error) {
	proc, err := a.process(component)
	if err != nil {
		return "", err
	}
	return proc.Executable()
}

// takePackages notes the size of the product's packages: archives of an image's layers, which are compressed.
func (a *arena) takePackages() error {
	if a.side.name != product {
		return nil
	}
	total := 0.0
	for _, p := range (&parts.Builder{Root: a.root}).Packages() {
		bytes, err := size(p.File)
		if err != nil {
			return err
		}
		a.take("package "+p.Name, mebibytes(bytes), "MiB")
		total += mebibytes(bytes)
	}
	a.take("packages", total, "MiB")
	return nil
}

// takeStart kills the components and notes how long they take until they are ready when all start at once. It is looked every 50 ms;
// their files are in the page cache.
func (a *arena) takeStart(ctx context.Context) error {
	for _, name := range a.side.components {
		if err := a.stack.Kill(name); err != nil {
			return err
		}
	}
	g, ctx := errgroup.WithContext(ctx)
	took := make([]time.Duration, len(a.side.components))
	begun := time.Now()
	for i, name := range a.side.components {
		g.Go(func() error {
			err := a.stack.Start(ctx, name)
			took[i] = time.Since(begun)
			return err
		})
	}
	if err := g.Wait(); err != nil {
		return err
	}
	last := time.Duration(0)
	for i, name := range a.side.components {
		a.takeSeconds("start of "+name, took[i])
		last = max(last, took[i])
	}
	a.takeSeconds("start", last)
	return nil
}

func size(path string) (int64, error) {
	info, err := os.Stat(path)
	if err != nil {
		return 0, err
	}
	return info.Size(), nil
}

func mebibytes(bytes int64) float64 { return float64(bytes) / (1 << 20) }
