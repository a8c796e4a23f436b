package main

import (
	"fmt"
	"io/fs"
	"maps"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/Azure/azure-sdk-for-go/sdk/azcore/arm"
	"go.yaml.in/yaml/v3"
	"golang.org/x/sync/errgroup"
)

// A recording is one file of recorded traffic with Azure (go-vcr's format).
type recording struct {
	Interactions []struct {
		Request  struct{ Method, URL string }
		Response struct{ Headers http.Header }
	}
}

// operations has the types of what ASO has read to find out the end of operations on a type, by the type in lower case.
type operations map[string][]string

// operationsIn returns what the recordings below dir show: each header of an answer that names an operation, and is read later.
func operationsIn(dir string) (operations, error) {
	var files []string
	err := filepath.WalkDir(dir, func(path string, _ fs.DirEntry, err error) error {
		if err == nil && filepath.Ext(path) == ".yaml" && filepath.Base(filepath.Dir(path)) == "recordings" {
			files = append(files, path)
		}
		return err
	})
	if err == nil && len(files) == 0 {
		err = fmt.Errorf("%s has no recordings", dir)
	}
	if err != nil {
		return nil, err
	}
	found := make([]operations, len(files))
	var reading errgroup.Group
	reading.SetLimit(2)
	for i, file := range files {
		reading.Go(func() error {
			raw, err := os.ReadFile(file)
			if err != nil {
				return err
			}
			var r recording
			if err := yaml.Unmarshal(raw, &r); err != nil {
				return fmt.Errorf("%s: %w", file, err)
			}
			found[i] = r.operations()
			return nil
		})
	}
	if err := reading.Wait(); err != nil {
		return nil, err
	}
	all := operations{}
	for _, some := range found {
		for on, polled := range some {
			all.add(on, polled...)
		}
	}
	return all, nil
}

func (o operations) add(on string, polled ...string) {
	for _, p := range polled {
		known := slices.ContainsFunc(o[on], func(other string) bool { return strings.EqualFold(other, p) })
		if !known {
			o[on] = append(o[on], p)
			slices.Sort(o[on])
		}
	}
}

// operations returns what is read in r to find out the end of operations.
func (r *recording) operations() operations {
	found, startedBy := operations{}, map[string]string{}
	for _, i := range r.Interactions {
		at := pathOf(i.Request.URL)
		on := strings.ToLower(typeOf(at))
		if i.Request.Method == http.MethodGet {
			on = startedBy[strings.ToLower(at)]
			if polled := typeOf(at); on != "" && strings.Contains(strings.ToLower(polled[strings.LastIndex(polled, "/")+1:]), "operation") {
				found.add(on, polled)
			}
		}
		for _, header := range []string{"Azure-Asyncoperation", "Operation-Location", "Location"} {
			next := strings.ToLower(pathOf(i.Response.Headers.Get(header)))
			if on != "" && next != "" && startedBy[next] == "" {
				startedBy[next] = on
			}
		}
	}
	return found
}

// of returns what is polled for a type: as recorded of itself, else of what it is a part of, else of more than half of the types of its provider.
func (o operations) of(ofType string) []string {
	for at := strings.ToLower(ofType); strings.Contains(at, "/"); at = at[:strings.LastIndex(at, "/")] {
		if polled := o[at]; len(polled) > 0 {
			return polled
		}
	}
	provider, _, _ := strings.Cut(strings.ToLower(ofType), "/")
	count, types := map[string]int{}, 0
	for on, polled := range o {
		if strings.HasPrefix(on, provider+"/") {
			types++
			for _, p := range polled {
				count[p]++
			}
		}
	}
	for _, polled := range slices.Sorted(maps.Keys(count)) {
		if 2*count[polled] > types {
			return []string{polled}
		}
	}
	return nil
}

// typeOf returns the type of the resource at a path in Azure, each part beginning with a small letter; empty for none.
func typeOf(at string) string {
	id, err := arm.ParseResourceID(at)
	if err != nil {
		return ""
	}
	parts := slices.Clone(id.ResourceType.Types)
	for i, part := range parts {
		parts[i] = strings.ToLower(part[:1]) + part[1:]
	}
	return id.ResourceType.Namespace + "/" + strings.Join(parts, "/")
}

func pathOf(raw string) string {
	u, err := url.Parse(raw)
	if err != nil {
		return ""
	}
	return strings.TrimSuffix(u.Path, "/")
}
