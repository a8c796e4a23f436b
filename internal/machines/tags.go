package machines

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"

	"github.com/crossplane-capz/crossplane-capz/apis/infrastructure/v1beta1"
	"github.com/crossplane-capz/crossplane-capz/internal/azure"
)

// tagsVersion is the version of Azure's API for the tags of any resource (Azure REST API reference, "Tags").
const tagsVersion = "2021-04-01"

// A Tagger writes tags of resources that exist, and nothing else of them.
type Tagger struct{ client *Client }

// NewTagger returns a Tagger.
func NewTagger(client *Client) *Tagger { return &Tagger{client: client} }

// A Tagging is which tags a resource is to have.
type Tagging struct {
	// ID is that of the resource.
	ID string
	// Cluster is the name of the Cluster that it was made for. One without the tag of that is left alone.
	Cluster string
	// As is whose credential is used.
	As azure.Account
	// Wanted are the tags that it is to have; Former those that it was given before. Of these it keeps the ones that somebody has given
	// another value since, and it keeps whatever else it has.
	Wanted, Former map[string]string
}

// Apply has a resource have its tags. What it has already is not sent.
func (t *Tagger) Apply(ctx context.Context, what Tagging) error {
	path := what.ID + "/providers/Microsoft.Resources/tags/default"
	answer := struct {
		Properties struct {
			Tags map[string]string `json:"tags"`
		} `json:"properties"`
	}{}
	found, err := t.client.get(ctx, what.As, call{path: path, version: tagsVersion}, &answer)
	if err != nil {
		return fmt.Errorf("cannot read the tags of %s: %w", what.ID, err)
	}
	have := answer.Properties.Tags
	if !found || have[v1beta1.OwnedTag(what.Cluster)] != "owned" {
		return nil
	}
	merged, deleted := what.changes(have)
	for _, change := range []tagsChange{{"Merge", tagsProperties{merged}}, {"Delete", tagsProperties{deleted}}} {
		if len(change.Properties.Tags) == 0 {
			continue
		}
		if err := t.patch(ctx, what.As, path, change); err != nil {
			return fmt.Errorf("cannot write the tags of %s: %w", what.ID, err)
		}
	}
	return nil
}

// changes returns which tags to write to a resource that has some, and which to take from it.
func (t Tagging) changes(have map[string]string) (merged, deleted map[string]string) {
	merged, deleted = map[string]string{}, map[string]string{}
	for tag, value := range t.Wanted {
		if has, there := have[tag]; !there || has != value {
			merged[tag] = value
		}
	}
	for tag, value := range t.Former {
		_, wanted := t.Wanted[tag]
		if has, there := have[tag]; there && has == value && !wanted {
			deleted[tag] = value
		}
	}
	return merged, deleted
}

type tagsChange struct {
	Operation  string         `json:"operation"`
	Properties tagsProperties `json:"properties"`
}

type tagsProperties struct {
	Tags map[string]string `json:"tags"`
}

func (t *Tagger) patch(ctx context.Context, as azure.Account, path string, change tagsChange) error {
	body, err := json.Marshal(change)
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, callTimeout)
	defer cancel()
	resp, err := t.client.do(ctx, as, call{
		method: http.MethodPatch, path: path, version: tagsVersion, body: body, expected: []int{http.StatusOK, http.StatusAccepted},
	})
	if err != nil {
		return err
	}
	return resp.Body.Close()
}
