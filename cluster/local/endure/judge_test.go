package endure

import (
	"context"
	"net/http"
	"regexp"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/crossplane-capz/crossplane-capz/cluster/azuresim/admin"
)

// at returns a time, so many seconds after a day has begun.
func at(seconds float64) time.Time {
	return time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC).Add(time.Duration(seconds * float64(time.Second)))
}

func TestLost(t *testing.T) {
	composed := []Composed{
		{Kind: "ResourceGroup", Name: "a", ID: "/subscriptions/s/resourceGroups/A", Ready: true},
		{Kind: "ManagedCluster", Name: "b", ID: "/subscriptions/s/resourceGroups/a/x/b", Ready: true},
		{Kind: "ManagedCluster", Name: "not yet", ID: "/subscriptions/s/resourceGroups/a/x/c"},
		{Kind: "ManagedCluster", Name: "without ID", Ready: true},
	}
	want := []string{"lost: Azure has no /subscriptions/s/resourceGroups/a/x/b, which ManagedCluster b stands for"}
	if diff := cmp.Diff(want, Lost(composed, []string{"/subscriptions/s/resourcegroups/a"})); diff != "" {
		t.Errorf("-want +got\n%s", diff)
	}
}

func TestDropped(t *testing.T) {
	before := map[string]string{"Subnet/kept": "1", "Subnet/gone": "2", "Subnet/other": "3", "VirtualMachine/scaled": "4"}
	after := map[string]string{"Subnet/kept": "1", "Subnet/other": "5", "Subnet/new": "6"}
	want := []string{"dropped: Subnet/gone", "dropped and made anew: Subnet/other"}
	if diff := cmp.Diff(want, Dropped(before, after, regexp.MustCompile("^VirtualMachine/"))); diff != "" {
		t.Errorf("-want +got\n%s", diff)
	}
	if got := Dropped(after, before, nil); len(got) != 2 {
		t.Errorf("Dropped without permission = %q, want two", got)
	}
}

func TestUnasked(t *testing.T) {
	scaled := Permission{From: at(10), To: at(20), Path: regexp.MustCompile(`/virtualMachines/`)}
	deleted := Permission{From: at(30), Path: regexp.MustCompile(`.`)}
	cases := map[string]struct {
		request admin.Request
		unasked bool
	}{
		"before":               {admin.Request{Method: http.MethodDelete, Path: "/g/virtualMachines/a", Time: at(9)}, true},
		"while it is asked":    {admin.Request{Method: http.MethodDelete, Path: "/g/virtualMachines/a", Time: at(11)}, false},
		"another kind":         {admin.Request{Method: http.MethodDelete, Path: "/g/subnets/a", Time: at(11)}, true},
		"refused, not asked":   {admin.Request{Method: http.MethodDelete, Path: "/g/subnets/a", Time: at(11), Status: 409}, true},
		"between":              {admin.Request{Method: http.MethodDelete, Path: "/g/virtualMachines/a", Time: at(21)}, true},
		"at the end":           {admin.Request{Method: http.MethodDelete, Path: "/g/subnets/a", Time: at(3000)}, false},
		"instances":            {admin.Request{Method: http.MethodPost, Path: "/g/virtualMachineScaleSets/a/delete", Time: at(21)}, true},
		"another action":       {admin.Request{Method: http.MethodPost, Path: "/g/virtualMachineScaleSets/a/start", Time: at(21)}, false},
		"nothing is deleted":   {admin.Request{Method: http.MethodPut, Path: "/g/subnets/a", Time: at(11)}, false},
		"on the border counts": {admin.Request{Method: http.MethodDelete, Path: "/g/virtualMachines/a", Time: at(20)}, false},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			if got := Unasked([]admin.Request{c.request}, []Permission{scaled, deleted}); (len(got) > 0) != c.unasked {
				t.Errorf("Unasked = %q, want it to be unasked: %v", got, c.unasked)
			}
		})
	}
}

func TestFlapping(t *testing.T) {
	var writes []Write
	for second := range 60 {
		if second%10 == 0 {
			writes = append(writes, Write{"flaps", at(float64(second))})
		}
	}
	writes = append(writes, Write{"once", at(1)}, Write{"twice", at(2)}, Write{"twice", at(3)}, Write{"before", at(-1)}, Write{"before", at(-2)}, Write{"after", at(60)})
	perHour, flapping := Flapping(writes, at(0), at(60))
	if diff := cmp.Diff([]string{"flapping: flaps was written 6 times within 1m0s while nothing happened"}, flapping); diff != "" {
		t.Errorf("-want +got\n%s", diff)
	}
	if perHour != 9*60 {
		t.Errorf("%v writes an hour, want %d", perHour, 9*60)
	}
	if perHour, flapping := Flapping(writes, at(5), at(5)); perHour != 0 || flapping != nil {
		t.Errorf("in no time: %v %q", perHour, flapping)
	}
}

func TestStuck(t *testing.T) {
	ending := []Ending{{"Cluster/a", at(0), []string{"one", "two"}}, {"Cluster/b", at(50), nil}}
	want := []string{"stuck: Cluster/a has been deleted for 1m0s (finalizers one, two)"}
	if diff := cmp.Diff(want, Stuck(ending, at(60), 30*time.Second)); diff != "" {
		t.Errorf("-want +got\n%s", diff)
	}
}

func TestPercentile(t *testing.T) {
	hundred := make([]time.Duration, 100)
	for i := range hundred {
		hundred[len(hundred)-1-i] = time.Duration(i+1) * time.Second
	}
	cases := map[string]struct {
		all  []time.Duration
		part float64
		want time.Duration
	}{
		"none":             {nil, 0.5, 0},
		"one":              {hundred[:1], 0.5, 100 * time.Second},
		"half of hundred":  {hundred, 0.5, 50 * time.Second},
		"99 of hundred":    {hundred, 0.99, 99 * time.Second},
		"99 of a few":      {hundred[:3], 0.99, 100 * time.Second},
		"all":              {hundred, 1, 100 * time.Second},
		"the least of all": {hundred, 0, time.Second},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			if got := Percentile(c.all, c.part); got != c.want {
				t.Errorf("Percentile = %s, want %s", got, c.want)
			}
		})
	}
}

func TestMet(t *testing.T) {
	requests := []admin.Request{
		{Fault: faultName("life-1", 2, "operation hangs")}, {Fault: faultName("life-7", 3, "operation hangs")}, {Fault: faultName("life-1", 4, "conflict")},
		{Fault: "somebody else's"}, {},
	}
	if diff := cmp.Diff(map[string]int{"operation hangs": 2, "conflict": 1}, Met(requests)); diff != "" {
		t.Errorf("-want +got\n%s", diff)
	}
}

func TestOrphans(t *testing.T) {
	if got := Orphans(nil); got != nil {
		t.Errorf("of nothing: %q", got)
	}
	if diff := cmp.Diff([]string{"orphaned: Azure still has /a"}, Orphans([]string{"/a"})); diff != "" {
		t.Errorf("-want +got\n%s", diff)
	}
}

func TestOverdue(t *testing.T) {
	const patience = time.Minute
	cases := map[string]struct {
		now    float64
		broken []time.Time
		want   bool
	}{
		"in time":                         {59, nil, false},
		"nothing was broken":              {61, nil, true},
		"broken meanwhile":                {61, []time.Time{at(30)}, false},
		"broken for another":              {100, []time.Time{{}, at(50)}, false},
		"broken before":                   {61, []time.Time{at(-30)}, true},
		"a minute after the last":         {111, []time.Time{at(30), at(50)}, true},
		"broken again and again, at last": {241, []time.Time{at(240)}, true},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			if got := overdue(at(c.now), at(0), patience, c.broken...); got != c.want {
				t.Errorf("overdue is %v, want %v", got, c.want)
			}
		})
	}
}

// TestRest has two lives come to rest, a third that ends before, and lets them go on.
func TestRest(t *testing.T) {
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
	defer cancel()
	r := newRest()
	r.enter(0)
	r.arrive(ctx) // There is no rest yet.
	r.enter(1)
	r.enter(2)
	counted, gone := make(chan int), make(chan struct{}, 2)
	go func() { counted <- r.want(ctx, 10*time.Second) }()
	for number := range 2 {
		go func() {
			for !r.isWanted() {
				time.Sleep(time.Millisecond)
			}
			r.arrive(ctx)
			r.leave(number)
			gone <- struct{}{}
		}()
	}
	r.leave(2)
	if got := <-counted; got != 2 {
		t.Errorf("%d lives rest, want 2", got)
	}
	r.end()
	<-gone
	<-gone
	r.arrive(ctx) // It is over.
	if got := r.want(ctx, time.Millisecond); got != 0 {
		t.Errorf("%d lives rest at the end, want none", got)
	}
}
