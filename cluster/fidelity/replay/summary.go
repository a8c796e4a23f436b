package replay

import (
	"fmt"
	"slices"
)

// Count is how many interactions match.
type Count struct {
	Match, Total int
}

func (c *Count) add(match bool) {
	c.Total++
	if match {
		c.Match++
	}
}

// Percent is the share that matches, 0 of nothing.
func (c Count) Percent() float64 {
	if c.Total == 0 {
		return 0
	}
	return 100 * float64(c.Match) / float64(c.Total)
}

// String is "M of N interactions match (P%)".
func (c Count) String() string {
	return fmt.Sprintf("%d of %d interactions match (%.1f%%)", c.Match, c.Total, c.Percent())
}

// Summary counts the results.
type Summary struct {
	// All are the interactions of all families that are counted, WithoutPolls those of them that are no polls.
	All, WithoutPolls Count
	// Managed are those of All that clusters of AKS need, ManagedWithoutPolls those of them that are no polls.
	Managed, ManagedWithoutPolls Count
	// Families are the interactions of All by what they are about, FamiliesWithoutPolls those that are no polls.
	Families, FamiliesWithoutPolls map[Family]Count
	// Others are the interactions of the same recordings with other resource types.
	Others Count
}

// Summarize counts results.
func Summarize(results []Result) Summary {
	s := Summary{Families: map[Family]Count{}, FamiliesWithoutPolls: map[Family]Count{}}
	for _, r := range results {
		match := len(r.Differences) == 0
		if r.Family == Other {
			s.Others.add(match)
			continue
		}
		managed := slices.Contains(ManagedFamilies, r.Family)
		s.All.add(match)
		if managed {
			s.Managed.add(match)
		}
		addTo(s.Families, r.Family, match)
		if !r.Poll {
			s.WithoutPolls.add(match)
			if managed {
				s.ManagedWithoutPolls.add(match)
			}
			addTo(s.FamiliesWithoutPolls, r.Family, match)
		}
	}
	return s
}

func addTo(counts map[Family]Count, family Family, match bool) {
	count := counts[family]
	count.add(match)
	counts[family] = count
}
