package guest

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

// switched notes what is done to the kubelet.
type switched struct {
	did []string
	on  bool
}

func (s *switched) start()       { s.did, s.on = append(s.did, "start"), true }
func (s *switched) stop()        { s.did, s.on = append(s.did, "stop"), false }
func (s *switched) active() bool { return s.on }

func TestUnits(t *testing.T) {
	for name, c := range map[string]struct {
		args []string
		off  bool
		want unitAnswer
		did  []string
	}{
		"status of the kubelet":       {args: []string{"status", "kubelet"}, want: unitAnswer{Out: "kubelet.service: active (running)\n"}},
		"status of it when off":       {args: []string{"status", "kubelet.service"}, off: true, want: unitAnswer{Out: "kubelet.service: inactive (dead)\n", Code: 3}},
		"status of what is not there": {args: []string{"status", "firewalld"}, want: unitAnswer{Err: "Unit firewalld.service could not be found.\n", Code: 4}},
		"firewalld is not active":     {args: []string{"is-active", "firewalld"}, want: unitAnswer{Out: "inactive\n", Code: 3}},
		"nor is the resolver":         {args: []string{"is-active", "systemd-resolved"}, want: unitAnswer{Out: "inactive\n", Code: 3}},
		"the runtime is":              {args: []string{"is-active", "--quiet", "containerd"}, want: unitAnswer{Out: "active\n"}},
		"the kubelet is enabled":      {args: []string{"is-enabled", "kubelet"}, want: unitAnswer{Out: "enabled\n"}},
		"others are not":              {args: []string{"is-enabled", "nginx"}, want: unitAnswer{Out: "not-found\n", Code: 4}},
		"start":                       {args: []string{"start", "kubelet"}, off: true, did: []string{"start"}},
		"stop":                        {args: []string{"stop", "kubelet"}, did: []string{"stop"}},
		"restart":                     {args: []string{"restart", "kubelet"}, did: []string{"stop", "start"}},
		"enable":                      {args: []string{"enable", "kubelet"}},
		"enable now":                  {args: []string{"enable", "--now", "kubelet"}, off: true, did: []string{"start"}},
		"disable now":                 {args: []string{"disable", "--now", "kubelet"}, did: []string{"stop"}},
		"the runtime stays":           {args: []string{"restart", "containerd"}},
		"daemon-reload":               {args: []string{"daemon-reload"}},
		"a unit that was written":     {args: []string{"enable", "mine"}, want: unitAnswer{Err: "mine.service is not played by a simulated machine\n"}},
		"a unit of nobody":            {args: []string{"start", "nginx"}, want: unitAnswer{Err: "Failed to start nginx.service: Unit nginx.service not found.\n", Code: 5}},
		"several, of which one fails": {args: []string{"restart", "kubelet", "nginx"}, did: []string{"stop", "start"},
			want: unitAnswer{Err: "Failed to restart nginx.service: Unit nginx.service not found.\n", Code: 5}},
		"nothing":       {args: nil},
		"an odd one":    {args: []string{"poweroff"}, want: unitAnswer{Err: "systemctl poweroff: a simulated machine does not know this\n", Code: 1}},
		"only a switch": {args: []string{"--failed"}},
	} {
		t.Run(name, func(t *testing.T) {
			k := &switched{on: !c.off}
			u := units{kubelet: k, written: func(name string) bool { return name == "mine" }}
			if diff := cmp.Diff(c.want, u.answer(c.args)); diff != "" {
				t.Error(diff)
			}
			if diff := cmp.Diff(c.did, k.did); diff != "" {
				t.Error(diff)
			}
		})
	}
}
