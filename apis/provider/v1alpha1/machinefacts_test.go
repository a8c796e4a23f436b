package v1alpha1

import (
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestMachineFactsAreReadAsWritten(t *testing.T) {
	facts := MachineFacts{
		Format: MachineFactsFormat,
		Machine: FactsOfMachine{
			Name: "m", FailureDomain: "1", Version: "v1.33.2", ControlPlane: true, BootstrapReady: true, Owner: FactsOfOwner{Kind: OwnerControlPlane, Name: "cp"},
		},
		Size: FactsOfSize{
			Name: "Standard_D2s_v3", Known: true, Offered: true, VCPUs: 2, MemoryGiB: 3.5, Zones: []string{"1", "2"}, UltraSSDZones: []string{"2"},
			AcceleratedNetworking: true, Architecture: "x64", FaultDomains: 3,
		},
		SSHPort: 2201, Created: FactsOfCreation{State: Created}, PrincipalID: "p",
	}
	text, err := facts.Encode()
	if err != nil {
		t.Fatal(err)
	}
	got, err := ReadMachineFacts(map[string]string{AnnotationMachineFacts: text})
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(facts, got); diff != "" {
		t.Errorf("-written, +read:\n%s", diff)
	}
	if empty, err := (MachineFacts{}).Encode(); err != nil || empty != `{"format":1}` {
		t.Errorf("facts without anything are %s, %v", empty, err)
	}
}

func TestMachineFactsThatCannotBeRead(t *testing.T) {
	cases := map[string]struct{ text, want string }{
		"none":           {"", ErrNoMachineFacts.Error()},
		"no JSON":        {"facts", "not what provider-capz writes"},
		"no object":      {"[]", "not what provider-capz writes"},
		"another type":   {`{"format":1,"sshPort":"22"}`, "not what provider-capz writes"},
		"no format":      {`{"sshPort":22}`, "has format 0"},
		"another format": {`{"format":2,"sshPort":22}`, "has format 2"},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			facts, err := ReadMachineFacts(map[string]string{AnnotationMachineFacts: c.text})
			if err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("got error %v, want %q", err, c.want)
			}
			if diff := cmp.Diff(MachineFacts{}, facts); diff != "" {
				t.Errorf("facts are used all the same:\n%s", diff)
			}
			if none := errors.Is(err, ErrNoMachineFacts); none != (c.text == "") {
				t.Errorf("ErrNoMachineFacts: %v", none)
			}
		})
	}
}
