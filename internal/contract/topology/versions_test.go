package topology

import "testing"

func TestReaches(t *testing.T) {
	for name, tc := range map[string]struct {
		runs, asked, before, wanted string
		want                        bool
	}{
		"an ordinary upgrade is Cluster API's":        {"v1.33.6", "v1.33.6", "v1.33.6", "v1.34.3", false},
		"the same version":                            {"v1.33.6", "v1.35.1", "v1.35.1", "v1.35.1", false},
		"refused, back to what runs":                  {"v1.33.6", "v1.34.99", "v1.34.99", "v1.33.6", true},
		"refused, back to something between":          {"v1.33.6", "v1.34.99", "v1.34.99", "v1.34.3", true},
		"refused, another that is newer":              {"v1.33.6", "v1.34.1", "v1.34.1", "v1.34.3", true},
		"refused, two minor versions above":           {"v1.33.6", "v1.34.1", "v1.34.1", "v1.35.0", false},
		"refused, below what runs":                    {"v1.33.6", "v1.34.99", "v1.34.99", "v1.33.5", false},
		"refused, and not yet with the control plane": {"v1.33.6", "v1.33.6", "v1.34.99", "v1.33.6", true},
		"an ordinary downgrade":                       {"v1.33.6", "v1.33.6", "v1.33.6", "v1.33.5", false},
		"upgraded by AKS, to what runs":               {"v1.33.6", "v1.33.4", "v1.33.4", "v1.33.6", true},
		"upgraded by AKS, further":                    {"v1.33.6", "v1.33.4", "v1.33.4", "v1.34.3", true},
		"upgraded by AKS to a minor version, further": {"v1.34.2", "v1.33.4", "v1.33.4", "v1.35.1", true},
		"upgraded by AKS, two minor versions above":   {"v1.33.6", "v1.33.4", "v1.33.4", "v1.35.1", false},
		"upgraded by AKS, below what runs":            {"v1.33.6", "v1.33.4", "v1.33.4", "v1.33.5", false},
		"nothing runs, lower":                         {"", "v1.34.99", "v1.34.99", "v1.33.6", true},
		"nothing runs, higher":                        {"", "v1.33.1", "v1.33.1", "v1.34.3", true},
		"nothing runs, two minor versions above":      {"", "v1.33.1", "v1.33.1", "v1.35.1", false},
		"no version":                                  {"v1.33.6", "v1.33.4", "v1.33.4", "latest", false},
		"no version before":                           {"v1.33.6", "v1.33.4", "", "v1.33.6", false},
		"another major version":                       {"v1.33.6", "v1.33.4", "v1.33.4", "v2.0.0", false},
	} {
		t.Run(name, func(t *testing.T) {
			if got := (Versions{Runs: tc.runs, Asked: tc.asked}).Reaches(tc.before, tc.wanted); got != tc.want {
				t.Errorf("want %v, got %v", tc.want, got)
			}
		})
	}
}

func TestControlPlane(t *testing.T) {
	for name, tc := range map[string]struct {
		runs, asked, wanted string
		refused             bool
		want                string
	}{
		"as wanted":                               {"v1.33.6", "v1.33.6", "v1.33.6", false, ""},
		"an upgrade that Cluster API begins":      {"v1.33.6", "v1.33.6", "v1.34.3", false, ""},
		"an upgrade that runs":                    {"v1.33.6", "v1.34.3", "v1.34.3", false, ""},
		"the next one while an upgrade runs":      {"v1.33.6", "v1.34.1", "v1.34.3", false, ""},
		"refused":                                 {"v1.33.6", "v1.34.1", "v1.34.1", true, ""},
		"refused, another that is newer":          {"v1.33.6", "v1.34.1", "v1.34.3", true, "v1.33.6"},
		"taken back":                              {"v1.33.6", "v1.35.1", "v1.33.6", true, "v1.33.6"},
		"taken back to something between":         {"v1.33.6", "v1.35.1", "v1.34.3", true, "v1.33.6"},
		"taken back while nobody has refused":     {"v1.33.6", "v1.34.3", "v1.33.6", false, "v1.33.6"},
		"upgraded by AKS, and nobody has said so": {"v1.33.6", "v1.33.4", "v1.33.4", false, ""},
		"upgraded by AKS":                         {"v1.33.6", "v1.33.4", "v1.33.6", false, "v1.33.6"},
		"upgraded by AKS, and further":            {"v1.33.6", "v1.33.4", "v1.34.3", false, "v1.33.6"},
		"below what runs":                         {"v1.33.6", "v1.33.6", "v1.33.4", false, ""},
		"nothing runs, in creation":               {"", "v1.33.1", "v1.33.6", false, ""},
		"nothing runs, refused":                   {"", "v1.33.1", "v1.33.6", true, "v1.33.6"},
		"nothing runs, taken back":                {"", "v1.34.99", "v1.33.6", false, "v1.33.6"},
		"no version":                              {"v1.33.6", "v1.33.4", "", false, ""},
	} {
		t.Run(name, func(t *testing.T) {
			if got := (Versions{Runs: tc.runs, Asked: tc.asked}).ControlPlane(tc.wanted, tc.refused); got != tc.want {
				t.Errorf("want %q, got %q", tc.want, got)
			}
		})
	}
}

func TestMachinePool(t *testing.T) {
	for name, tc := range map[string]struct {
		runs, has, wanted string
		kubelets          []string
		want              string
	}{
		"as wanted":                        {"v1.33.6", "v1.33.6", "v1.33.6", []string{"v1.33.6"}, ""},
		"upgraded by AKS":                  {"v1.33.6", "v1.33.4", "v1.33.6", []string{"v1.33.6", "v1.33.6"}, "v1.33.6"},
		"upgraded by AKS, and further":     {"v1.33.6", "v1.33.4", "v1.34.3", []string{"v1.33.6"}, "v1.33.6"},
		"upgraded by AKS, nobody says so":  {"v1.33.6", "v1.33.4", "v1.33.4", []string{"v1.33.6"}, ""},
		"AKS is still at it":               {"v1.33.6", "v1.33.4", "v1.33.6", []string{"v1.33.6", "v1.33.4"}, ""},
		"the control plane alone":          {"v1.33.6", "v1.33.4", "v1.33.6", []string{"v1.33.4"}, ""},
		"no nodes":                         {"v1.33.6", "v1.33.4", "v1.33.6", nil, ""},
		"an upgrade that Cluster API does": {"v1.34.3", "v1.33.6", "v1.34.3", []string{"v1.33.6"}, ""},
		"a node that says too much":        {"v1.33.6", "v1.33.4", "v1.34.3", []string{"v1.99.0"}, ""},
		"a node that says nothing":         {"v1.33.6", "v1.33.4", "v1.33.6", []string{"", "v1.33.6"}, ""},
		"taken back before it was made":    {"", "v1.34.99", "v1.33.6", nil, "v1.33.6"},
		"in creation":                      {"", "v1.33.6", "v1.33.6", nil, ""},
		"raised in creation":               {"", "v1.33.6", "v1.34.3", nil, ""},
	} {
		t.Run(name, func(t *testing.T) {
			if got := (Versions{Runs: tc.runs}).MachinePool(tc.has, tc.wanted, tc.kubelets); got != tc.want {
				t.Errorf("want %q, got %q", tc.want, got)
			}
		})
	}
}
