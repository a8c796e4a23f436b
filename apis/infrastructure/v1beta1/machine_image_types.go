package v1beta1

// Image is what a machine is made from: one of id, sharedGallery, marketplace and computeGallery.
//
// +kubebuilder:validation:XValidation:rule="[has(self.id), has(self.sharedGallery), has(self.marketplace), has(self.computeGallery)].filter(x, x).size() == 1",message="must have exactly one of id, sharedGallery, marketplace and computeGallery"
// +kubebuilder:validation:XValidation:rule=`!has(self.id) || self.id != ""`,message="must not be empty",fieldPath=".id"
type Image struct {
	// id is the resource ID of an image.
	// Example: /subscriptions/00000000-0000-0000-0000-000000000000/resourceGroups/images/providers/Microsoft.Compute/images/mine
	// +optional
	// +kubebuilder:validation:MaxLength=2048
	ID *string `json:"id,omitempty"`

	// sharedGallery is the former name of computeGallery, with a subscription and a resource group.
	// Example: {subscriptionID: 00000000-0000-0000-0000-000000000000, resourceGroup: images, gallery: mine, name: ubuntu, version: 1.2.3}
	// +optional
	SharedGallery *AzureSharedGalleryImage `json:"sharedGallery,omitempty"`

	// marketplace is an image of the Azure Marketplace.
	// Example: {publisher: kinvolk, offer: flatcar-container-linux-corevm-amd64, sku: stable-gen2, version: latest, thirdPartyImage: true}
	// +optional
	Marketplace *AzureMarketplaceImage `json:"marketplace,omitempty"`

	// computeGallery is an image of an Azure Compute Gallery: your own, with subscriptionID and resourceGroup, or a
	// community gallery.
	// Example: {gallery: ClusterAPI-f72ceb4f-5159-4c26-a0fe-2ea738f0d019, name: capi-ubun2-2404, version: 1.34.2}
	// +optional
	ComputeGallery *AzureComputeGalleryImage `json:"computeGallery,omitempty"`
}

// AzureComputeGalleryImage is an image of an Azure Compute Gallery.
//
// +kubebuilder:validation:XValidation:rule="has(self.resourceGroup) || !has(self.subscriptionID)",message="is needed with subscriptionID: both say whose gallery it is",fieldPath=".resourceGroup",reason="FieldValueRequired"
// +kubebuilder:validation:XValidation:rule="has(self.subscriptionID) || !has(self.resourceGroup)",message="is needed with resourceGroup: both say whose gallery it is",fieldPath=".subscriptionID",reason="FieldValueRequired"
type AzureComputeGalleryImage struct {
	// gallery is the name of the gallery.
	// Example: ClusterAPI-f72ceb4f-5159-4c26-a0fe-2ea738f0d019
	// +kubebuilder:validation:MinLength=1
	Gallery string `json:"gallery"`

	// name of the image.
	// Example: capi-ubun2-2404
	// +kubebuilder:validation:MinLength=1
	Name string `json:"name"`

	// version of the image: three numbers, or latest for the newest one when the machine is created.
	// Example: 1.34.2
	// +kubebuilder:validation:MinLength=1
	Version string `json:"version"`

	// subscriptionID is the subscription of your own gallery. It requires resourceGroup.
	// Example: 00000000-0000-0000-0000-000000000000
	// +optional
	SubscriptionID *string `json:"subscriptionID,omitempty"`

	// resourceGroup is that of your own gallery. It requires subscriptionID.
	// Example: images
	// +optional
	ResourceGroup *string `json:"resourceGroup,omitempty"`

	// plan is the plan that was bought in the Azure Marketplace, if the image was made from a Marketplace image.
	// Example: {publisher: kinvolk, offer: flatcar-container-linux-corevm-amd64, sku: stable-gen2}
	// +optional
	Plan *ImagePlan `json:"plan,omitempty"`
}

// ImagePlan is what is bought in the Azure Marketplace.
type ImagePlan struct {
	// publisher of the image.
	// Example: kinvolk
	// +kubebuilder:validation:MinLength=1
	Publisher string `json:"publisher"`

	// offer is a group of images of the publisher.
	// Example: flatcar-container-linux-corevm-amd64
	// +kubebuilder:validation:MinLength=1
	Offer string `json:"offer"`

	// sku is the member of the group, such as a release of a distribution.
	// Example: stable-gen2
	// +kubebuilder:validation:MinLength=1
	SKU string `json:"sku"`
}

// AzureMarketplaceImage is an image of the Azure Marketplace.
type AzureMarketplaceImage struct {
	ImagePlan `json:",inline"`

	// version of the image: three numbers, or latest for the newest one when the machine is created.
	// Example: latest
	// +kubebuilder:validation:MinLength=1
	Version string `json:"version"`

	// thirdPartyImage true says that the image was bought, so Azure needs the purchase plan.
	// Example: true
	// +optional
	// +kubebuilder:default=false
	ThirdPartyImage bool `json:"thirdPartyImage,omitempty"`
}

// AzureSharedGalleryImage is an image of a gallery of yours.
type AzureSharedGalleryImage struct {
	// subscriptionID is the subscription of the gallery.
	// Example: 00000000-0000-0000-0000-000000000000
	// +kubebuilder:validation:MinLength=1
	SubscriptionID string `json:"subscriptionID"`

	// resourceGroup is that of the gallery.
	// Example: images
	// +kubebuilder:validation:MinLength=1
	ResourceGroup string `json:"resourceGroup"`

	// gallery is the name of the gallery.
	// Example: mine
	// +kubebuilder:validation:MinLength=1
	Gallery string `json:"gallery"`

	// name of the image.
	// Example: ubuntu
	// +kubebuilder:validation:MinLength=1
	Name string `json:"name"`

	// version of the image: three numbers, or latest for the newest one when the machine is created.
	// Example: 1.2.3
	// +kubebuilder:validation:MinLength=1
	Version string `json:"version"`

	// publisher of the Azure Marketplace image that this one was made from, if it was bought. It requires offer and sku.
	// Example: kinvolk
	// +optional
	Publisher *string `json:"publisher,omitempty"`

	// offer of that image.
	// Example: flatcar-container-linux-corevm-amd64
	// +optional
	Offer *string `json:"offer,omitempty"`

	// sku of that image.
	// Example: stable-gen2
	// +optional
	SKU *string `json:"sku,omitempty"`
}
