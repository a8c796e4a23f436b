package templates

import (
	"fmt"
	"math/rand/v2"
	"path"
	"slices"
)

// Choose returns n of the templates; a seed says which.
func Choose(all []Template, n int, seed uint64) []Template {
	chosen := slices.Clone(all)
	random := rand.New(rand.NewPCG(seed, seed)) //nolint:gosec // A choice that is to be repeated.
	random.Shuffle(len(chosen), func(i, j int) { chosen[i], chosen[j] = chosen[j], chosen[i] })
	return chosen[:min(n, len(chosen))]
}

// Matching returns the templates whose path or name matches one of the patterns; all for none. A pattern that matches none is an error.
func Matching(all []Template, patterns []string) ([]Template, error) {
	if len(patterns) == 0 {
		return all, nil
	}
	var chosen []Template
	used := map[string]bool{}
	for _, t := range all {
		matches := false
		for _, p := range patterns {
			byPath, err := path.Match(p, t.Path)
			if err != nil {
				return nil, fmt.Errorf("pattern %s: %w", p, err)
			}
			byName, _ := path.Match(p, t.Name()) // As above.
			used[p] = used[p] || byPath || byName
			matches = matches || byPath || byName
		}
		if matches {
			chosen = append(chosen, t)
		}
	}
	for _, p := range patterns {
		if !used[p] {
			return nil, fmt.Errorf("no template is called %s", p)
		}
	}
	return chosen, nil
}
