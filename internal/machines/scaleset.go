package machines

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/Azure/azure-sdk-for-go/sdk/azcore/arm"
	"k8s.io/apimachinery/pkg/util/cache"

	"github.com/crossplane-capz/crossplane-capz/apis/infrastructure/v1beta1"
	"github.com/crossplane-capz/crossplane-capz/internal/aso"
	"github.com/crossplane-capz/crossplane-capz/internal/azure"
	"github.com/crossplane-capz/crossplane-capz/internal/rollout"
)

// instancesValid is for how long a list of instances holds: what happens to many of them at once leads to one look.
const instancesValid = 5 * time.Second

// A ScaleSet is one that Azure has, as far as it is read.
type ScaleSet struct {
	ID   string            `json:"id"`
	Tags map[string]string `json:"tags"`
	SKU  struct {
		Name     string `json:"name"`
		Capacity int    `json:"capacity"`
	} `json:"sku"`
	Zones    []string `json:"zones"`
	Identity struct {
		PrincipalID string `json:"principalId"`
	} `json:"identity"`
	Properties struct {
		ProvisioningState     string `json:"provisioningState"`
		VirtualMachineProfile struct {
			StorageProfile struct {
				Image Image `json:"imageReference"`
			} `json:"storageProfile"`
		} `json:"virtualMachineProfile"`
	} `json:"properties"`
}

// Of reports whether the scale set was made for the Cluster.
func (s *ScaleSet) Of(cluster string) bool {
	return s.Tags[v1beta1.OwnedTag(cluster)] == lifecycleOwned
}

const lifecycleOwned = "owned"

// An Image is what machines are made from. Of the fields of Azure's that are not here some are told only by Azure.
type Image struct {
	ID        string `json:"id,omitempty"`
	Community string `json:"communityGalleryImageId,omitempty"`
	Publisher string `json:"publisher,omitempty"`
	Offer     string `json:"offer,omitempty"`
	SKU       string `json:"sku,omitempty"`
	Version   string `json:"version,omitempty"`
}

// String returns what tells an image from others: Azure does not tell upper from lower case in it.
func (i Image) String() string {
	if id := i.ID + i.Community; id != "" {
		return strings.ToLower(id)
	}
	return strings.ToLower(strings.Join([]string{i.Publisher, i.Offer, i.SKU, i.Version}, ":"))
}

// A Model is what an instance must have to be of the present one; else it is replaced.
type Model struct {
	Image, Size string
	Zones       []string
}

// Model returns the model of a scale set.
func (s *ScaleSet) Model() Model {
	return Model{Image: s.Properties.VirtualMachineProfile.StorageProfile.Image.String(), Size: s.SKU.Name, Zones: slices.Sorted(slices.Values(s.Zones))}
}

// Changes says what of a model differs from another, in Azure's words and in order.
func (m Model) Changes(to Model) []string {
	var changes []string
	for _, field := range []struct{ name, from, to string }{
		{rollout.FieldImage, m.Image, to.Image}, {rollout.FieldSize, m.Size, to.Size},
		{rollout.FieldZones, strings.Join(m.Zones, ","), strings.Join(to.Zones, ",")},
	} {
		if !strings.EqualFold(field.from, field.to) {
			changes = append(changes, fmt.Sprintf("%s from %q to %q", field.name, field.from, field.to))
		}
	}
	return changes
}

// Has reports whether an instance is of the model. What Azure does not tell of one is taken to be so.
func (m Model) Has(i Instance) bool {
	image, size := i.Properties.StorageProfile.Image.String(), i.size()
	inZone := len(i.Zones) == 0 || len(m.Zones) == 0 || slices.Contains(m.Zones, i.Zones[0])
	return (image == (Image{}).String() || image == m.Image) && (size == "" || strings.EqualFold(size, m.Size)) && inZone
}

// An Instance is one of a scale set.
type Instance struct {
	ID         string   `json:"id"`
	InstanceID string   `json:"instanceId"`
	Name       string   `json:"name"`
	Zones      []string `json:"zones"`
	SKU        struct {
		Name string `json:"name"`
	} `json:"sku"`
	Properties struct {
		ProvisioningState string    `json:"provisioningState"`
		TimeCreated       time.Time `json:"timeCreated"`
		HardwareProfile   struct {
			VMSize string `json:"vmSize"`
		} `json:"hardwareProfile"`
		StorageProfile struct {
			Image Image `json:"imageReference"`
		} `json:"storageProfile"`
		// ScaleSet is told by virtual machines that stand by themselves, as those of a Flexible scale set do.
		ScaleSet struct {
			ID string `json:"id"`
		} `json:"virtualMachineScaleSet"`
	} `json:"properties"`
}

// in reports whether Azure has the instance, which is read from an ID, in a scale set.
func (i Instance) in(id, scaleSet *arm.ResourceID) bool {
	switch strings.ToLower(id.ResourceType.String()) {
	case "microsoft.compute/virtualmachinescalesets/virtualmachines":
		return aso.SameID(id.Parent, scaleSet)
	case "microsoft.compute/virtualmachines":
		set := aso.ParseID(i.Properties.ScaleSet.ID)
		return set != nil && aso.SameID(set, scaleSet)
	}
	return false
}

func (i Instance) size() string {
	if size := i.Properties.HardwareProfile.VMSize; size != "" {
		return size
	}
	return i.SKU.Name
}

// State returns how far Azure is with an instance.
func (i Instance) State() v1beta1.ProvisioningState {
	if i.Properties.ProvisioningState == "" {
		return v1beta1.Creating
	}
	return v1beta1.ProvisioningState(i.Properties.ProvisioningState)
}

// ScaleSets creates scale sets, has them follow their objects, and deletes instances of them.
type ScaleSets struct {
	client *Client

	lock sync.Mutex
	// operations are what this process follows, by ID. What it has not begun itself is told by the scale set.
	operations map[string]*operation
	// instances are those of scale sets.
	instances *cache.Expiring
}

// NewScaleSets returns a ScaleSets.
func NewScaleSets(client *Client) *ScaleSets {
	return &ScaleSets{client: client, operations: map[string]*operation{}, instances: cache.NewExpiring()}
}

// Read returns a scale set; nil when Azure has none of the ID.
func (s *ScaleSets) Read(ctx context.Context, as azure.Account, id string) (*ScaleSet, error) {
	set := &ScaleSet{}
	found, err := s.client.get(ctx, as, call{path: id, version: computeVersion}, set)
	if err != nil {
		return nil, fmt.Errorf("cannot look for scale set %s: %w", id, err)
	}
	if !found {
		s.Forget(id)
		return nil, nil
	}
	return set, nil
}

// Instances returns the instances of a scale set, by one list of Azure's.
func (s *ScaleSets) Instances(ctx context.Context, as azure.Account, id string) ([]Instance, error) {
	key := strings.ToLower(id)
	if found, ok := s.instances.Get(key); ok {
		if instances, ok := found.([]Instance); ok {
			return instances, nil
		}
	}
	var all []Instance
	_, err := list(ctx, s.client, as, call{path: id + "/virtualMachines", version: computeVersion}, func(page []Instance) { all = append(all, page...) })
	if err != nil {
		return nil, fmt.Errorf("cannot list the instances of scale set %s: %w", id, err)
	}
	s.instances.Set(key, all, instancesValid)
	return all, nil
}

// Put sends the request that creates a scale set, or changes it. Azure goes on with it when this has returned. The error is an *Answer when
// Azure has refused it.
func (s *ScaleSets) Put(ctx context.Context, as azure.Account, id string, request Request) error {
	begun, err := s.client.create(ctx, as, id, request)
	if err != nil && !errors.Is(err, errNoOperation) {
		return err
	}
	s.instances.Delete(strings.ToLower(id))
	s.lock.Lock()
	defer s.lock.Unlock()
	if begun != nil {
		s.operations[id] = begun
	}
	return nil
}

// Follow reports whether an operation with a scale set goes on that this process has begun, and when to ask again. The error is an *Answer when
// it has failed.
func (s *ScaleSets) Follow(ctx context.Context, id string) (goesOn bool, after time.Duration, err error) {
	s.lock.Lock()
	o := s.operations[id]
	s.lock.Unlock()
	if o == nil {
		return false, 0, nil
	}
	done, after, err := o.poll(ctx)
	if failure := failedForGood(err); failure != nil {
		s.Forget(id)
		return false, 0, failure
	}
	if err == nil && !done {
		return true, max(time.Second, min(max(after, pollInterval), longestPoll)), nil
	}
	s.Forget(id) // The scale set itself tells more, also when Azure knows nothing more of the operation.
	return false, 0, nil
}

// Forget drops what is remembered of a scale set, and of its instances.
func (s *ScaleSets) Forget(id string) {
	s.lock.Lock()
	defer s.lock.Unlock()
	delete(s.operations, id)
	s.instances.Delete(strings.ToLower(id))
}

// DeleteInstance has Azure delete an instance of a scale set that was made for the Cluster, and reports whether it is gone. What is not in the
// scale set stays, and counts as gone: the IDs come from objects that users can write.
func (s *ScaleSets) DeleteInstance(ctx context.Context, as azure.Account, cluster, scaleSet, instance string) (gone bool, err error) {
	id, setID := aso.ParseID(instance), aso.ParseID(scaleSet)
	if id == nil {
		return true, nil
	}
	found := Instance{}
	there, err := s.client.get(ctx, as, call{path: instance, version: computeVersion}, &found)
	switch {
	case err != nil:
		return false, fmt.Errorf("cannot look for instance %s: %w", instance, err)
	case !there || !found.in(id, setID):
		return true, nil
	case strings.EqualFold(found.Properties.ProvisioningState, string(v1beta1.Deleting)):
		return false, nil
	}
	set, err := s.Read(ctx, as, scaleSet)
	if err != nil || set == nil || !set.Of(cluster) {
		return err == nil, err
	}
	ctx, cancel := context.WithTimeout(ctx, callTimeout)
	defer cancel()
	resp, err := s.client.do(ctx, as, call{method: http.MethodDelete, path: instance, version: computeVersion, expected: []int{http.StatusOK, http.StatusAccepted, http.StatusNoContent}})
	switch {
	case NotFound(err):
		return true, nil
	case err != nil:
		return false, fmt.Errorf("cannot delete instance %s: %w", instance, err)
	}
	s.instances.Delete(strings.ToLower(scaleSet))
	return false, resp.Body.Close()
}
