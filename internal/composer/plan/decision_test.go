package plan

import (
	"math/rand/v2"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/crossplane-capz/crossplane-capz/apis/infrastructure/v1beta1"
	"github.com/crossplane-capz/crossplane-capz/internal/aso"
	"github.com/crossplane-capz/crossplane-capz/internal/composer"
)

// Rules that a resource may have.
var (
	byUser       = rule{declared: true}
	byUserFirst  = rule{declared: true, first: true}
	byTag        = rule{kind: aso.Kind{Ownership: aso.ByTag}}
	ofParent     = rule{kind: aso.Kind{Ownership: aso.OfParent}}
	byTagIfNew   = rule{kind: aso.Kind{Ownership: aso.ByTag, New: true}}
	ofParentNew  = rule{kind: aso.Kind{Ownership: aso.OfParent, New: true}}
	mistake      = &composer.Blocked{Reason: "Wrong"}
	duplicate    = &composer.Blocked{Reason: composer.ReasonDuplicateResource}
	waitsForX    = preconditions{all: []string{"x"}}
	needsX       = preconditions{all: []string{"x"}, ofObject: []string{"x"}}
	gated        = preconditions{gate: "g", all: []string{"x"}}
	ownerIsThere = preconditions{all: []string{"x"}, owner: nil}
	ownerLacks   = preconditions{all: []string{"x"}, owner: []string{"x"}}
)

const (
	ownedRecord     = v1beta1.OwnershipOwned
	externalRecord  = v1beta1.OwnershipExternal
	undecidedRecord = v1beta1.OwnershipUndecided
)

// TestDecide shows what becomes of a resource in each situation.
func TestDecide(t *testing.T) {
	type want struct {
		action    Action
		ownership string
		new       bool
		waits     []string
		operator  string
		loss      string
	}
	x := []string{"x"}
	held := &observedObject{held: true}
	there := &observedObject{sent: true, ready: true}
	undecided := &observedObject{ownership: undecidedRecord}
	asked := func(absent, ready bool) *observedObject {
		return &observedObject{loss: "no 1", doubted: true, absent: absent, ready: ready}
	}
	cases := map[string]struct {
		s    situation
		want want
	}{
		"an object of the user's own":                       {situation{existing: true, rule: byTag}, want{action: Use, ownership: v1beta1.OwnershipUser}},
		"an object of the user's own is gone":               {situation{err: mistake, gone: true, rule: byTag}, want{action: Refuse, ownership: v1beta1.OwnershipUser}},
		"new, nothing is waited for":                        {situation{rule: byUser, operator: "aso"}, want{action: Write, operator: "aso"}},
		"new, nobody knows which ASO it is for":             {situation{rule: byUser}, want{action: Hold}},
		"new, ASO looks first":                              {situation{rule: byUserFirst, operator: "aso", found: findingOpen}, want{action: Look, ownership: undecidedRecord, operator: "aso"}},
		"new, ASO looks first, it waits":                    {situation{rule: byUserFirst, operator: "aso", found: findingOpen, preconditions: ownerIsThere}, want{action: Look, ownership: undecidedRecord, operator: "aso"}},
		"new, ASO cannot look yet":                          {situation{rule: byUserFirst, operator: "aso", found: findingOpen, preconditions: needsX}, want{action: Wait, ownership: undecidedRecord, waits: x}},
		"new, ASO looks first, paused":                      {situation{rule: byUserFirst, operator: "aso", found: findingOpen, paused: true}, want{action: Wait, ownership: undecidedRecord}},
		"looked for, no answer":                             {situation{rule: byUserFirst, found: findingOpen, observed: undecided}, want{action: Look, ownership: undecidedRecord}},
		"looked for, absent":                                {situation{rule: byUserFirst, found: findingAbsent, observed: undecided}, want{action: Write}},
		"looked for, there":                                 {situation{rule: byUserFirst, found: findingOwned, observed: undecided}, want{action: Write}},
		"looked for, absent, it waits":                      {situation{rule: byUserFirst, found: findingAbsent, observed: undecided, preconditions: waitsForX}, want{action: Look, ownership: undecidedRecord, waits: x}},
		"looked for, absent, paused":                        {situation{rule: byUserFirst, found: findingAbsent, observed: undecided, paused: true}, want{action: Look, ownership: undecidedRecord}},
		"looked for, with a mistake now":                    {situation{rule: byUserFirst, err: mistake, observed: undecided}, want{action: Keep, ownership: undecidedRecord}},
		"new, it waits":                                     {situation{rule: byUser, operator: "aso", preconditions: waitsForX}, want{action: Hold, waits: x, operator: aso.OperatorNone}},
		"new, it cannot be written yet":                     {situation{rule: byUser, operator: "aso", preconditions: needsX}, want{action: Wait, waits: x}},
		"new, without a credential":                         {situation{rule: byUser, operator: "aso", preconditions: gated}, want{action: Wait, waits: []string{"g"}}},
		"new, with a policy of the user's, it waits":        {situation{rule: byUser, userPolicy: true, preconditions: waitsForX}, want{action: Wait, waits: x}},
		"new, paused":                                       {situation{rule: byUser, paused: true}, want{action: Wait}},
		"new, of a kind that is not served":                 {situation{rule: byUser, kindLacking: true}, want{action: Refuse}},
		"new, of a kind that is not served, it waits":       {situation{rule: byUser, kindLacking: true, preconditions: needsX}, want{action: Wait, waits: x}},
		"new, with a mistake":                               {situation{rule: byUser, err: mistake}, want{action: Refuse}},
		"held, it waits":                                    {situation{rule: byUser, observed: held, preconditions: waitsForX}, want{action: Hold, waits: x}},
		"held, paused":                                      {situation{rule: byUser, observed: held, paused: true}, want{action: Hold}},
		"held, nothing is waited for any more":              {situation{rule: byUser, observed: held, operator: "aso"}, want{action: Write, operator: "aso"}},
		"held, without a credential":                        {situation{rule: byUser, observed: held, preconditions: gated}, want{action: Hold, waits: []string{"g"}}},
		"held, with a mistake":                              {situation{rule: byUser, observed: held, err: mistake}, want{action: Keep}},
		"there":                                             {situation{rule: byUser, observed: there, preconditions: waitsForX}, want{action: Write}},
		"there, paused":                                     {situation{rule: byUser, observed: there, paused: true}, want{action: Write}},
		"there, with a mistake":                             {situation{rule: byUser, observed: there, err: mistake}, want{action: Keep}},
		"there, defined twice":                              {situation{rule: byUser, observed: there, err: duplicate}, want{action: Refuse}},
		"there, in a version that is not served":            {situation{rule: byUser, observed: there, otherVersion: true, kindLacking: true}, want{action: Keep}},
		"there, of another operator":                        {situation{rule: byUser, observed: &observedObject{operator: "other"}, operator: "aso"}, want{action: Write, operator: "other"}},
		"first look":                                        {situation{rule: byTag, operator: "aso"}, want{action: Look, ownership: undecidedRecord, operator: "aso"}},
		"first look, what it refers to is not there":        {situation{rule: byTag, preconditions: ownerIsThere}, want{action: Look, ownership: undecidedRecord}},
		"first look, its owner is not there":                {situation{rule: byTag, preconditions: ownerLacks}, want{action: Wait, ownership: undecidedRecord, waits: x}},
		"first look, paused":                                {situation{rule: byTag, paused: true}, want{action: Wait, ownership: undecidedRecord}},
		"Azure is asked":                                    {situation{rule: byTag, observed: undecided, found: findingOpen}, want{action: Look, ownership: undecidedRecord}},
		"Azure does not have it":                            {situation{rule: byTag, observed: undecided, found: findingAbsent}, want{action: Write, ownership: ownedRecord, new: true}},
		"Azure does not have it, it waits":                  {situation{rule: byTag, observed: undecided, found: findingAbsent, preconditions: waitsForX}, want{action: Look, ownership: undecidedRecord, waits: x}},
		"Azure does not have it, without a credential":      {situation{rule: byTag, observed: undecided, found: findingAbsent, preconditions: gated}, want{action: Look, ownership: undecidedRecord, waits: []string{"g"}}},
		"Azure does not have it, paused":                    {situation{rule: byTag, observed: undecided, found: findingAbsent, paused: true}, want{action: Look, ownership: undecidedRecord}},
		"Azure has it, of the Cluster":                      {situation{rule: byTag, observed: undecided, found: findingOwned}, want{action: Write, ownership: ownedRecord}},
		"Azure has it, of the Cluster, it waits":            {situation{rule: byTag, observed: undecided, found: findingOwned, preconditions: waitsForX}, want{action: Write, ownership: ownedRecord}},
		"Azure has it, it cannot be written yet":            {situation{rule: byTag, observed: undecided, found: findingOwned, preconditions: needsX}, want{action: Look, ownership: undecidedRecord, waits: x}},
		"owned, it could not be written any more":           {situation{rule: byTag, observed: &observedObject{ownership: ownedRecord}, found: findingOwned, preconditions: needsX}, want{action: Write, ownership: ownedRecord}},
		"provider created, found, not all is known":         {situation{rule: byTag, lifecycle: aso.ProviderCreated, observed: undecided, found: findingOwned, preconditions: needsX}, want{action: Read, ownership: ownedRecord}},
		"Azure has it, somebody else's":                     {situation{rule: byTag, observed: undecided, found: findingExternal}, want{action: Read, ownership: externalRecord}},
		"external, with a mistake":                          {situation{rule: byTag, observed: &observedObject{ownership: externalRecord}, err: mistake}, want{action: Keep, ownership: externalRecord}},
		"it is being made":                                  {situation{rule: byTag, observed: &observedObject{ownership: ownedRecord, new: true}, found: findingOwned}, want{action: Write, ownership: ownedRecord, new: true}},
		"it has been made":                                  {situation{rule: byTag, observed: &observedObject{ownership: ownedRecord, new: true, ready: true}, found: findingOwned}, want{action: Write, ownership: ownedRecord}},
		"in a parent that is made now":                      {situation{rule: ofParent, parentNew: true, operator: "aso", preconditions: waitsForX}, want{action: Hold, ownership: ownedRecord, new: true, waits: x, operator: aso.OperatorNone}},
		"in a parent that is made now, paused":              {situation{rule: ofParent, parentNew: true, paused: true}, want{action: Wait, ownership: undecidedRecord}},
		"in a parent that is made now, user's policy":       {situation{rule: ofParent, parentNew: true, userPolicy: true}, want{action: Look, ownership: undecidedRecord}},
		"within an owned parent, needs no look":             {situation{rule: ofParentNew, parent: findingOwned, operator: "aso"}, want{action: Write, operator: "aso"}},
		"within an external parent, needs a look":           {situation{rule: byTagIfNew, parent: findingExternal, operator: "aso"}, want{action: Look, ownership: undecidedRecord, operator: "aso"}},
		"within a parent that nobody knows of":              {situation{rule: ofParentNew, parent: findingOpen, operator: "aso", preconditions: waitsForX}, want{action: Wait, waits: x}},
		"within an owned parent, recorded":                  {situation{rule: byTagIfNew, parent: findingOwned, observed: &observedObject{ownership: externalRecord}, found: findingExternal}, want{action: Read, ownership: externalRecord}},
		"create only, new":                                  {situation{rule: byUser, lifecycle: aso.CreateOnly, operator: "aso"}, want{action: Write, operator: "aso"}},
		"create only, being created":                        {situation{rule: byUser, lifecycle: aso.CreateOnly, observed: &observedObject{sent: true}}, want{action: Write}},
		"create only, created":                              {situation{rule: byUser, lifecycle: aso.CreateOnly, observed: there}, want{action: Read}},
		"create only, created, not ready any more":          {situation{rule: byUser, lifecycle: aso.CreateOnly, observed: &observedObject{sent: true, lifecycle: aso.CreateOnly}}, want{action: Read}},
		"create only, held":                                 {situation{rule: byUser, lifecycle: aso.CreateOnly, observed: held, preconditions: waitsForX}, want{action: Hold, waits: x}},
		"create only, external":                             {situation{rule: byTag, lifecycle: aso.CreateOnly, observed: there, found: findingExternal}, want{action: Read, ownership: externalRecord}},
		"provider created, new":                             {situation{rule: byUser, lifecycle: aso.ProviderCreated, operator: "aso"}, want{action: Read, operator: "aso"}},
		"provider created, new, it waits":                   {situation{rule: byUser, lifecycle: aso.ProviderCreated, operator: "aso", preconditions: waitsForX}, want{action: Wait, waits: x}},
		"provider created, released":                        {situation{rule: byUser, lifecycle: aso.ProviderCreated, observed: held}, want{action: Read}},
		"provider created, there":                           {situation{rule: byUser, lifecycle: aso.ProviderCreated, observed: there}, want{action: Read}},
		"provider created, Azure does not have it":          {situation{rule: byTag, lifecycle: aso.ProviderCreated, observed: undecided, found: findingAbsent}, want{action: Read, ownership: ownedRecord, new: true}},
		"provider created, Azure has somebody else's":       {situation{rule: byTag, lifecycle: aso.ProviderCreated, observed: undecided, found: findingExternal}, want{action: Read, ownership: externalRecord}},
		"provider created, Azure is asked":                  {situation{rule: byTag, lifecycle: aso.ProviderCreated, observed: undecided, found: findingOpen}, want{action: Look, ownership: undecidedRecord}},
		"provider created, in a parent that is made now":    {situation{rule: ofParent, lifecycle: aso.ProviderCreated, parentNew: true, operator: "aso"}, want{action: Read, ownership: ownedRecord, new: true, operator: aso.OperatorNone}},
		"provider created, provider-capz has looked":        {situation{rule: byTag, absent: true, lifecycle: aso.ProviderCreated, operator: "aso"}, want{action: Read, ownership: ownedRecord, new: true, operator: aso.OperatorNone}},
		"provider created, is being created":                {situation{rule: byTag, lifecycle: aso.ProviderCreated, operator: "aso", found: findingOwned, observed: &observedObject{ownership: ownedRecord, new: true, operator: aso.OperatorNone}}, want{action: Read, ownership: ownedRecord, new: true, operator: aso.OperatorNone}},
		"provider created, has been created":                {situation{rule: byTag, created: true, lifecycle: aso.ProviderCreated, operator: "aso", found: findingOwned, observed: &observedObject{ownership: ownedRecord, new: true, operator: aso.OperatorNone}}, want{action: Read, ownership: ownedRecord, operator: "aso"}},
		"provider-capz has looked":                          {situation{rule: byTag, absent: true, operator: "aso"}, want{action: Write, ownership: ownedRecord, new: true, operator: "aso"}},
		"provider-capz has looked, it waits":                {situation{rule: byTag, absent: true, operator: "aso", preconditions: waitsForX}, want{action: Wait, waits: x}},
		"provider-capz has looked, paused":                  {situation{rule: byTag, absent: true, operator: "aso", paused: true}, want{action: Wait, ownership: undecidedRecord}},
		"provider-capz has looked, with a policy":           {situation{rule: byTag, absent: true, operator: "aso", userPolicy: true}, want{action: Look, ownership: undecidedRecord, operator: "aso"}},
		"provider-capz had looked, Azure has one by record": {situation{rule: byTag, absent: true, operator: "aso", found: findingExternal, observed: &observedObject{ownership: externalRecord, operator: "aso"}}, want{action: Read, ownership: externalRecord, operator: "aso"}},
		"provider created, without a credential":            {situation{rule: byUser, lifecycle: aso.ProviderCreated, preconditions: gated}, want{action: Wait, waits: []string{"g"}}},
		"provider created, of a kind that is not served":    {situation{rule: byUser, lifecycle: aso.ProviderCreated, kindLacking: true, operator: "aso"}, want{action: Refuse}},
		"provider created, there, paused":                   {situation{rule: byUser, lifecycle: aso.ProviderCreated, observed: there, paused: true}, want{action: Read}},
		"made, and doubted":                                 {situation{rule: byUser, observed: there, doubt: "no 1"}, want{action: Look, loss: "no 1"}},
		"owned, made, and doubted":                          {situation{rule: byTag, observed: &observedObject{ownership: ownedRecord}, found: findingOwned, doubt: "no 1"}, want{action: Look, ownership: ownedRecord, loss: "no 1"}},
		"doubted, with a policy in the spec":                {situation{rule: byUser, observed: there, userPolicy: true, doubt: "no 1"}, want{action: Write}},
		"doubted, with a policy of somebody's":              {situation{rule: byUser, observed: &observedObject{userPolicy: true}, doubt: "no 1"}, want{action: Write}},
		"doubted, external":                                 {situation{rule: byTag, observed: &observedObject{ownership: externalRecord}, found: findingExternal, doubt: "no 1"}, want{action: Read, ownership: externalRecord}},
		"doubted, create only":                              {situation{rule: byUser, lifecycle: aso.CreateOnly, observed: there, doubt: "no 1"}, want{action: Read}},
		"doubted, paused":                                   {situation{rule: byUser, observed: there, paused: true, doubt: "no 1"}, want{action: Write}},
		"doubted, held":                                     {situation{rule: byUser, observed: held, doubt: "no 1", operator: "aso"}, want{action: Write, operator: "aso"}},
		"asked, no answer yet":                              {situation{rule: byUser, observed: asked(false, false)}, want{action: Look, loss: "no 1"}},
		"asked, it is there":                                {situation{rule: byUser, observed: asked(false, true)}, want{action: Write}},
		"asked, it is not there":                            {situation{rule: byUser, observed: asked(true, false)}, want{action: Write, loss: aso.LossConfirmed}},
		"asked, it is not there, paused":                    {situation{rule: byUser, observed: asked(true, false), paused: true}, want{action: Write}},
		"asked, it is not there, it waits":                  {situation{rule: byUser, observed: asked(true, false), preconditions: waitsForX}, want{action: Look, waits: x, loss: "no 1"}},
		"asked before":                                      {situation{rule: byUser, observed: &observedObject{loss: "no 1"}, doubt: "no 1"}, want{action: Write, loss: "no 1"}},
		"asked before, refused anew":                        {situation{rule: byUser, observed: &observedObject{loss: "no 1"}, doubt: "no 2"}, want{action: Look, loss: "no 2"}},
		"being made again":                                  {situation{rule: byUser, observed: &observedObject{loss: aso.LossConfirmed}, preconditions: waitsForX}, want{action: Write, loss: aso.LossConfirmed}},
		"being made again, paused":                          {situation{rule: byUser, observed: &observedObject{loss: aso.LossConfirmed}, paused: true}, want{action: Write, loss: aso.LossConfirmed}},
		"made again":                                        {situation{rule: byUser, observed: &observedObject{loss: aso.LossConfirmed, ready: true}}, want{action: Write}},
		"create only, Azure has it, of the Cluster":         {situation{rule: byTag, lifecycle: aso.CreateOnly, observed: undecided, found: findingOwned}, want{action: Read, ownership: ownedRecord}},
		"create only, Azure has it, without a record":       {situation{rule: byTag, lifecycle: aso.CreateOnly, observed: &observedObject{sent: true}, found: findingOwned}, want{action: Read, ownership: ownedRecord}},
		"create only, Azure does not have it":               {situation{rule: byTag, lifecycle: aso.CreateOnly, observed: undecided, found: findingAbsent}, want{action: Write, ownership: ownedRecord, new: true}},
		"create only, being made":                           {situation{rule: byTag, lifecycle: aso.CreateOnly, observed: &observedObject{ownership: ownedRecord, new: true, sent: true}, found: findingOwned}, want{action: Write, ownership: ownedRecord, new: true}},
		"only with what is the Cluster's":                   {situation{rule: byTag, with: findingOwned}, want{action: Look, ownership: undecidedRecord}},
		"only with what is somebody else's":                 {situation{rule: byTag, with: findingExternal}, want{action: Omit}},
		"only with what is somebody else's, with a mistake": {situation{rule: byTag, with: findingExternal, err: mistake}, want{action: Omit}},
		"only with what is somebody else's, there":          {situation{rule: byTag, with: findingExternal, observed: &observedObject{ownership: ownedRecord}, found: findingOwned}, want{action: Write, ownership: ownedRecord}},
		"only with what nobody knows of":                    {situation{rule: byTag, with: findingOpen, withWhat: "VirtualNetwork net"}, want{action: Wait, ownership: undecidedRecord, waits: []string{"it is known whose VirtualNetwork net is"}}},
		"only with what nobody knows of, no credential":     {situation{rule: byTag, with: findingOpen, preconditions: gated}, want{action: Wait, ownership: undecidedRecord, waits: []string{"g"}}},
		"only found, in the Cluster's, absent":              {situation{rule: ofParent, onlyFound: true, parent: findingOwned, observed: undecided, found: findingAbsent}, want{action: Write, ownership: ownedRecord, new: true}},
		"only found, in somebody else's, absent": {situation{rule: ofParent, onlyFound: true, parent: findingExternal, parentWhat: "VirtualNetwork net", observed: undecided, found: findingAbsent},
			want{action: Look, ownership: undecidedRecord, waits: []string{"it is in Azure: VirtualNetwork net, which it lies in, is not the Cluster's, and nothing is made there"}}},
		"only found, in somebody else's, there":            {situation{rule: ofParent, onlyFound: true, parent: findingExternal, observed: undecided, found: findingExternal}, want{action: Read, ownership: externalRecord}},
		"create only, created, with a mistake in the spec": {situation{rule: byUser, lifecycle: aso.CreateOnly, observed: there, err: mistake}, want{action: Keep}},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			d := c.s.decide()
			got := want{d.action, d.ownership, d.new, d.waits, d.operator, d.loss}
			if diff := cmp.Diff(c.want, got, cmp.AllowUnexported(want{})); diff != "" {
				t.Errorf("-want, +got:\n%s", diff)
			}
		})
	}
}

// TestDecideIsSafe draws situations at random, also such that cannot be, and says what is so in each.
func TestDecideIsSafe(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2)) // The same situations each time.
	for range 300_000 {
		s := anySituation(r)
		d := s.decide()
		leaves := d.action == Wait || d.action == Refuse || d.action == Omit
		if s.observed != nil && leaves && !s.existing && (s.err == nil || s.err.Reason != composer.ReasonDuplicateResource) {
			t.Fatalf("what exists would be dropped: %+v: %+v", s, d)
		}
		if d.action != Write {
			continue
		}
		switch {
		case s.rule.asks(s) && !s.rule.inNewParent(s) && s.found == findingExternal:
			t.Fatalf("somebody else's resource would be written: %+v: %+v", s, d)
		case s.rule.asks(s) && !s.rule.inNewParent(s) && s.found == findingOpen && (!s.absent || s.observed != nil):
			t.Fatalf("a resource would be written of which nobody knows whose it is: %+v: %+v", s, d)
		case s.observed == nil && s.absent && s.onlyFound && s.rule.asks(s) && !s.rule.inNewParent(s):
			t.Fatalf("a resource would be made that has to be there: %+v: %+v", s, d)
		case s.observed == nil && len(s.preconditions.beforeCreation()) > 0:
			t.Fatalf("a resource would be created before what it refers to: %+v: %+v", s, d)
		case d.loss == aso.LossConfirmed && (!s.observed.doubted || !s.observed.absent) && s.observed.loss != aso.LossConfirmed:
			t.Fatalf("a resource would be made again that Azure has not denied to have: %+v: %+v", s, d)
		case s.observed == nil && s.paused:
			t.Fatalf("a resource would be created while paused: %+v: %+v", s, d)
		case s.observed == nil && (s.with == findingExternal || s.with == findingOpen):
			t.Fatalf("a resource would be made that belongs to what is not the Cluster's: %+v: %+v", s, d)
		case s.onlyFound && s.rule.asks(s) && s.parent == findingExternal && s.found == findingAbsent:
			t.Fatalf("a resource would be made in what is somebody else's: %+v: %+v", s, d)
		case s.lifecycle == aso.ProviderCreated:
			t.Fatalf("ASO would write what provider-capz writes: %+v: %+v", s, d)
		}
	}
}

func anySituation(r *rand.Rand) situation {
	yes := func() bool { return r.IntN(2) == 0 }
	waits := func() []string {
		if yes() {
			return []string{"x"}
		}
		return nil
	}
	s := situation{
		err: pick3(r, nil, mistake, duplicate), existing: r.IntN(9) == 0, paused: yes(), userPolicy: yes(), absent: yes(), created: yes(),
		lifecycle: pick3(r, aso.Managed, aso.CreateOnly, aso.ProviderCreated), rule: pick3(r, byUser, pick3(r, byTag, ofParent, byTag), pick3(r, byTagIfNew, ofParentNew, byTag)),
		parent: pick3(r, findingOpen, findingOwned, findingExternal), parentNew: yes(), found: pick3(r, findingOpen, findingExternal, pick3(r, findingOwned, findingAbsent, findingOwned)),
		with: pick3(r, "", findingOwned, pick3(r, "", findingOpen, findingExternal)), onlyFound: yes(),
		doubt: pick3(r, "", "no 1", "no 2"), otherVersion: yes(), kindLacking: yes(), operator: pick3(r, "", "aso", "aso"),
	}
	if all := waits(); len(all) > 0 {
		s.preconditions = preconditions{all: all, ofObject: waits(), owner: waits()}
	}
	if yes() {
		s.preconditions.gate = pick3(r, "", "g", "")
	}
	if yes() {
		s.found = findingOpen // Nobody tells of what is not there.
	} else {
		s.observed = &observedObject{
			held: yes(), ownership: pick3(r, "", ownedRecord, pick3(r, externalRecord, undecidedRecord, "nonsense")), new: yes(),
			operator: pick3(r, "", "other", aso.OperatorNone), ready: yes(), sent: yes(), lifecycle: pick3(r, aso.Managed, aso.CreateOnly, aso.ProviderCreated),
			userPolicy: yes(), loss: pick3(r, "", "no 1", aso.LossConfirmed), doubted: yes(), absent: yes(),
		}
	}
	return s
}

func pick3[T any](r *rand.Rand, a, b, c T) T { return [...]T{a, b, c}[r.IntN(3)] }
