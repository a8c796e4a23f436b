package rollout

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/util/intstr"
	"k8s.io/utils/ptr"

	"github.com/crossplane-capz/crossplane-capz/apis/infrastructure/v1beta1"
)

// parse reads instances, oldest first: a name, and words about it. One without words is ready and of the present model.
func parse(text string) []Instance {
	var all []Instance
	for n, line := range strings.Split(text, ",") {
		words := strings.Fields(line)
		i := Instance{Name: words[0], Created: time.Unix(int64(n), 0), State: v1beta1.Succeeded, Ready: true, Latest: true}
		for _, word := range words[1:] {
			switch word {
			case "old":
				i.Latest = false
			case "unready":
				i.Ready = false
			case "creating":
				i.Ready, i.State = false, v1beta1.Creating
			case "failed":
				i.State = v1beta1.Failed
			case "deleting":
				i.Ready, i.State = false, v1beta1.Deleting
			case "chosen":
				i.Chosen = true
			case "leaving":
				i.Leaving = true
			default:
				panic(word)
			}
		}
		all = append(all, i)
	}
	return all
}

func TestChoose(t *testing.T) {
	oldest, newest := Strategy{Surge: 1, DeletePolicy: v1beta1.DeleteOldest}, Strategy{Surge: 1, DeletePolicy: v1beta1.DeleteNewest}
	cases := map[string]struct {
		strategy  Strategy
		instances string
		replicas  int
		replacing bool
		want      []string
	}{
		"nothing to do":                   {oldest, "a, b, c", 3, false, nil},
		"one too many, the oldest":        {oldest, "a, b, c", 2, false, []string{"a"}},
		"one too many, the newest":        {newest, "a, b, c", 2, false, []string{"c"}},
		"what has failed goes first":      {oldest, "a, b failed, c", 1, false, []string{"b"}},
		"what Azure deletes, too":         {oldest, "a, b deleting, c", 2, false, []string{"b"}},
		"unless it is known":              {oldest, "a, b deleting leaving, c", 2, false, nil},
		"what others have chosen":         {oldest, "a, b, c chosen", 2, false, []string{"c"}},
		"chosen among the failed":         {oldest, "a failed, b failed chosen", 2, false, []string{"b", "a"}},
		"unready before ready":            {oldest, "a, b unready, c", 2, false, []string{"b"}},
		"old before new":                  {oldest, "a, b old, c", 2, false, []string{"b"}},
		"unready and old before unready":  {oldest, "a unready, b unready old, c", 2, false, []string{"b"}},
		"down to nothing":                 {oldest, "a, b", 0, false, []string{"a", "b"}},
		"one that goes is not counted":    {oldest, "a leaving, b, c", 2, false, nil},
		"surged, not ready yet":           {oldest, "a old, b old, c creating", 2, true, nil},
		"surged, ready":                   {oldest, "a old, b old, c", 2, true, []string{"a"}},
		"lowered while replacing":         {oldest, "a old, b old, c creating", 2, false, []string{"c"}},
		"all old, none may be missing":    {oldest, "a old, b old", 2, true, nil},
		"all old, one may be missing":     {Strategy{Unavailable: 1, DeletePolicy: v1beta1.DeleteOldest}, "a old, b old", 2, true, []string{"a"}},
		"all old, the newest first":       {Strategy{Unavailable: 1, DeletePolicy: v1beta1.DeleteNewest}, "a old, b old", 2, true, []string{"b"}},
		"more may be missing than are":    {Strategy{Unavailable: 5, DeletePolicy: v1beta1.DeleteOldest}, "a old, b old", 2, true, []string{"a", "b"}},
		"not enough ready":                {Strategy{Unavailable: 1, DeletePolicy: v1beta1.DeleteOldest}, "a old, b creating", 2, true, nil},
		"too few":                         {oldest, "a old", 3, false, nil},
		"surged beyond what is protected": {oldest, "a old, b creating, c creating", 1, true, []string{"b"}},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			if diff := cmp.Diff(tc.want, tc.strategy.Choose(parse(tc.instances), tc.replicas, tc.replacing)); diff != "" {
				t.Errorf("-want +got:\n%s", diff)
			}
		})
	}
}

// TestRollout replaces every instance of pools of many sizes by many strategies: enough stay ready, there are never too many, and it ends.
func TestRollout(t *testing.T) {
	for replicas := range 8 {
		for surge := range 4 {
			for unavailable := range 4 {
				for _, policy := range []v1beta1.AzureMachinePoolDeletePolicy{v1beta1.DeleteOldest, v1beta1.DeleteNewest, v1beta1.DeleteRandom} {
					s, err := StrategyOf(&v1beta1.MachineRollingUpdateDeployment{MaxSurge: ptr.To(intstr.FromInt(surge)), MaxUnavailable: ptr.To(intstr.FromInt(unavailable)), DeletePolicy: policy}, replicas)
					if err != nil {
						t.Fatal(err)
					}
					replaceAll(t, s, replicas)
				}
			}
		}
	}
}

func replaceAll(t *testing.T, s Strategy, replicas int) {
	t.Helper()
	var pool []Instance
	for n := range replicas {
		pool = append(pool, Instance{Name: string(rune('a' + n)), Created: time.Unix(int64(n), 0), State: v1beta1.Succeeded, Ready: true})
	}
	made := replicas
	for range 100 {
		outdated := count(pool, isOld) > 0
		if !outdated && len(pool) == replicas {
			return
		}
		for wanted := s.Wanted(len(pool), replicas, outdated); len(pool) < wanted; made++ {
			pool = append(pool, Instance{Name: string(rune('a' + made)), Created: time.Unix(int64(made), 0), State: v1beta1.Creating, Latest: true})
		}
		if len(pool) > replicas+s.Surge {
			t.Fatalf("%+v, %d replicas: there are %d", s, replicas, len(pool))
		}
		going := map[string]bool{}
		for _, name := range s.Choose(pool, replicas, outdated) {
			going[name] = true
		}
		pool = filter(pool, func(i Instance) bool { return !going[i.Name] })
		if ready := count(pool, func(i Instance) bool { return i.Ready }); ready < replicas-s.Unavailable {
			t.Fatalf("%+v, %d replicas: only %d are ready", s, replicas, ready)
		}
		for n := range pool { // Those that were made become ready.
			pool[n].Ready, pool[n].State = true, v1beta1.Succeeded
		}
	}
	t.Fatalf("%+v, %d replicas: it does not end: %+v", s, replicas, pool)
}

// TestOrder shows which instances go one after the other.
func TestOrder(t *testing.T) {
	cases := map[string]struct {
		instances string
		policy    v1beta1.AzureMachinePoolDeletePolicy
		n         int
		want      []string
	}{
		"none":               {"a,b", v1beta1.DeleteOldest, 0, nil},
		"the oldest":         {"a,b,c", v1beta1.DeleteOldest, 2, []string{"a", "b"}},
		"the newest":         {"a,b,c", v1beta1.DeleteNewest, 2, []string{"c", "b"}},
		"chosen first":       {"a,b,c chosen", v1beta1.DeleteOldest, 2, []string{"c", "a"}},
		"older models first": {"a,b old,c old", v1beta1.DeleteOldest, 3, []string{"b", "c", "a"}},
		"failed first":       {"a,b failed,c failed", v1beta1.DeleteOldest, 1, []string{"b"}},
		"no more than all":   {"a,b", v1beta1.DeleteOldest, 3, []string{"a", "b"}},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			got := Strategy{Surge: 1, DeletePolicy: c.policy}.Order(parse(c.instances), c.n)
			if diff := cmp.Diff(c.want, got); diff != "" {
				t.Errorf("-want, +got:\n%s", diff)
			}
		})
	}
}

func TestStrategyOf(t *testing.T) {
	of := func(surge, unavailable intstr.IntOrString) *v1beta1.MachineRollingUpdateDeployment {
		return &v1beta1.MachineRollingUpdateDeployment{MaxSurge: &surge, MaxUnavailable: &unavailable}
	}
	number, text := intstr.FromInt, intstr.FromString
	cases := map[string]struct {
		given *v1beta1.MachineRollingUpdateDeployment
		want  Strategy
		wrong string
	}{
		"nothing":           {nil, Strategy{Surge: 1}, ""},
		"percent":           {of(text("25%"), text("25%")), Strategy{Surge: 2, Unavailable: 1}, ""},
		"0% and 0":          {of(text("0%"), number(0)), Strategy{Unavailable: 1}, ""},
		"too little of all": {of(number(0), text("1%")), Strategy{Unavailable: 1}, ""},
		"no number":         {of(text("x"), number(0)), Strategy{}, "maxSurge is \"x\""},
		"no number, again":  {of(number(0), text("x")), Strategy{}, "maxUnavailable is \"x\""},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			got, err := StrategyOf(tc.given, 5)
			if tc.wrong != "" {
				if err == nil || !strings.Contains(err.Error(), tc.wrong) {
					t.Errorf("got %v, want %s", err, tc.wrong)
				}
				return
			}
			tc.want.DeletePolicy = v1beta1.DeleteOldest
			if err != nil || got != tc.want {
				t.Errorf("got %+v, %v, want %+v", got, err, tc.want)
			}
		})
	}
}
