package compute

import (
	"fmt"
	"regexp"
	"strings"

	machines "github.com/Azure/azure-service-operator/v2/api/compute/v1api20220301"
	"k8s.io/utils/ptr"

	"github.com/crossplane-capz/crossplane-capz/apis/infrastructure/v1beta1"
	"github.com/crossplane-capz/crossplane-capz/functions/typed"
	"github.com/crossplane-capz/crossplane-capz/internal/azuremachine"
	"github.com/crossplane-capz/crossplane-capz/internal/composer"
	"github.com/crossplane-capz/crossplane-capz/internal/kubeversion"
)

// image returns what the disk with the operating system is made from: the image of the spec, else the one that CAPZ publishes for the
// version of Kubernetes.
func (m *machine) image() (*machines.ImageReference, *composer.Blocked) {
	image := m.spec.Image
	if image == nil {
		usual, problem := m.defaultImage()
		if problem != nil {
			return nil, problem
		}
		image = usual
	}
	switch {
	case image.ID != nil:
		return &machines.ImageReference{Reference: typed.ByID(*image.ID)}, nil
	case image.Marketplace != nil:
		of := image.Marketplace
		return &machines.ImageReference{Publisher: &of.Publisher, Offer: &of.Offer, Sku: &of.SKU, Version: &of.Version}, nil
	case image.SharedGallery != nil:
		of := image.SharedGallery
		return galleryImage(of.SubscriptionID, of.ResourceGroup, of.Gallery, of.Name, of.Version), nil
	case image.ComputeGallery != nil:
		return computeGalleryImage(image.ComputeGallery), nil
	}
	return nil, invalid("%s has no source, but must have one of id, marketplace, computeGallery and sharedGallery, or be absent for the usual image", m.path("image"))
}

// computeGalleryImage returns an image of a gallery: of a community gallery, unless the spec says where it is.
func computeGalleryImage(of *v1beta1.AzureComputeGalleryImage) *machines.ImageReference {
	if of.ResourceGroup != nil && of.SubscriptionID != nil {
		return galleryImage(*of.SubscriptionID, *of.ResourceGroup, of.Gallery, of.Name, of.Version)
	}
	return &machines.ImageReference{CommunityGalleryImageId: ptr.To(fmt.Sprintf("/CommunityGalleries/%s/Images/%s/Versions/%s", of.Gallery, of.Name, of.Version))}
}

func galleryImage(subscription, group, gallery, name, version string) *machines.ImageReference {
	return &machines.ImageReference{Reference: typed.ByID(typed.ARMID(subscription, group, computeProvider, "galleries", gallery, "images", name, "versions", version))}
}

// imagePlan returns by which offer of the marketplace an image is paid; nil for none.
func imagePlan(image *v1beta1.Image) *machines.Plan {
	plan := func(p v1beta1.ImagePlan) *machines.Plan {
		return &machines.Plan{Publisher: ptr.To(p.Publisher), Name: ptr.To(p.SKU), Product: ptr.To(p.Offer)}
	}
	switch {
	case image == nil:
	case image.SharedGallery != nil && image.SharedGallery.Publisher != nil && image.SharedGallery.SKU != nil && image.SharedGallery.Offer != nil:
		of := image.SharedGallery
		return plan(v1beta1.ImagePlan{Publisher: *of.Publisher, Offer: *of.Offer, SKU: *of.SKU})
	case image.Marketplace != nil && image.Marketplace.ThirdPartyImage:
		return plan(image.Marketplace.ImagePlan)
	case image.ComputeGallery != nil && image.ComputeGallery.Plan != nil:
		return plan(*image.ComputeGallery.Plan)
	}
	return nil
}

// Where CAPZ publishes its images (CAPZ documentation, "Images").
const (
	communityGallery = "ClusterAPI-f72ceb4f-5159-4c26-a0fe-2ea738f0d019"
	linuxImage       = "capi-ubun2-2404"
	windowsImage     = "capi-win-%s-containerd"
	usualWindows     = "2022"

	marketplacePublisher = "cncf-upstream"
)

// The annotations of a Windows machine that choose its image.
const (
	annotationRuntime        = "runtime"
	annotationWindowsVersion = "windowsServerVersion"
	containerd               = "containerd"
)

var windowsVersion = regexp.MustCompile(`^windows-(\d{4})$`)

// defaultImage returns the image that CAPZ publishes for the version of Kubernetes.
func (m *machine) defaultImage() (*v1beta1.Image, *composer.Blocked) {
	version := kubeversion.WithoutV(m.facts.Machine.Version)
	if !kubeversion.Valid(version) {
		return nil, invalid("spec.version of %s %s is %q, but must be a version of Kubernetes, because %s is absent: the usual image is the one for the version",
			m.owner, m.facts.Machine.Name, m.facts.Machine.Version, m.path("image"))
	}
	if strings.Count(version, ".") == 1 {
		version += ".0"
	}
	name, published, offer, sku := linuxImage, oldLinux[version], "capi", "ubuntu-2204-gen1"
	if azuremachine.IsWindows(m.xr) {
		edition, problem := m.windowsEdition()
		if problem != nil {
			return nil, problem
		}
		name, published, offer, sku = fmt.Sprintf(windowsImage, edition), oldWindows[version], "capi-windows", "windows-2019-containerd-gen1"
	}
	if published != "" {
		return &v1beta1.Image{Marketplace: &v1beta1.AzureMarketplaceImage{
			ImagePlan: v1beta1.ImagePlan{Publisher: marketplacePublisher, Offer: offer, SKU: sku}, Version: marketplaceVersion(version, published)}}, nil
	}
	return &v1beta1.Image{ComputeGallery: &v1beta1.AzureComputeGalleryImage{Gallery: communityGallery, Name: name, Version: version}}, nil
}

// windowsEdition returns the year of the Windows Server that the annotations ask for.
func (m *machine) windowsEdition() (string, *composer.Blocked) {
	annotations := m.xr.Annotations
	if runtime := annotations[annotationRuntime]; runtime != "" && runtime != containerd {
		return "", invalid("annotation %s is %q, but must be %s or absent, because the usual image has no other", annotationRuntime, runtime, containerd)
	}
	asked := annotations[annotationWindowsVersion]
	if asked == "" {
		return usualWindows, nil
	}
	match := windowsVersion.FindStringSubmatch(asked)
	if match == nil {
		return "", invalid("annotation %s is %q, but must be windows- and a year, such as windows-%s, or absent", annotationWindowsVersion, asked, usualWindows)
	}
	return match[1], nil
}

// marketplaceVersion returns the version of an image in the marketplace: 1.28.5 was published as 128.5 and a day.
func marketplaceVersion(version, day string) string {
	major, rest, _ := strings.Cut(version, ".")
	return major + rest + "." + day
}

// oldLinux and oldWindows have the days on which images of old versions were published in the marketplace, where there are only those.
var (
	oldLinux = map[string]string{
		"1.27.14": "20240517", "1.27.15": "20240612", "1.27.16": "20240717",
		"1.28.1": "20230829", "1.28.2": "20230918", "1.28.3": "20231023", "1.28.4": "20231130", "1.28.5": "20240102", "1.28.6": "20240201",
		"1.28.7": "20240223", "1.28.8": "20240327", "1.28.9": "20240418", "1.28.10": "20240517", "1.28.11": "20240612", "1.28.12": "20240717",
		"1.29.1": "20240206", "1.29.2": "20240223", "1.29.3": "20240327", "1.29.4": "20240418", "1.29.5": "20240517", "1.29.6": "20240612", "1.29.7": "20240717",
		"1.30.0": "20240506", "1.30.1": "20240517", "1.30.2": "20240612", "1.30.3": "20240717",
	}
	oldWindows = map[string]string{
		"1.27.14": "20240515",
		"1.28.1":  "20230830", "1.28.2": "20230918", "1.28.3": "20231023", "1.28.4": "20231122", "1.28.5": "20240102", "1.28.6": "20240201",
		"1.28.7": "20240223", "1.28.8": "20240327", "1.28.9": "20240418", "1.28.10": "20240515", "1.28.11": "20240612", "1.28.12": "20240717",
		"1.29.1": "20240201", "1.29.2": "20240223", "1.29.3": "20240327", "1.29.4": "20240418", "1.29.5": "20240515", "1.29.6": "20240612", "1.29.7": "20240717",
		"1.30.0": "20240418", "1.30.1": "20240515", "1.30.2": "20240612", "1.30.3": "20240717",
	}
)
