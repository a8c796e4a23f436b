package arm

import (
	"maps"
	"net/http"
	"strings"

	"github.com/crossplane-capz/crossplane-capz/cluster/azuresim/arm/fields"
)

// typeTags are the tags of any resource, as a resource of their own (Azure REST API reference, "Tags").
const typeTags = "Microsoft.Resources/tags"

// How many tags a resource may have, and how long they may be (Azure documentation, "Use tags to organize your Azure resources").
const (
	mostTags        = 50
	longestTag      = 512
	longestTagValue = 256
)

// tags answers a request about the tags of a resource.
func (s *Service) tags(w http.ResponseWriter, r *http.Request, id ID, body []byte) *Error {
	resource := s.Store.Get(id.Parent)
	switch {
	case !strings.EqualFold(id.Name, "default"):
		return BadRequest("InvalidTagsResourceName", "The name '%s' of the tags resource is not valid. It must be 'default'.", id.Name)
	case resource == nil:
		scope, err := ParseID(id.Parent)
		if err != nil {
			return BadRequest("InvalidResourceId", "%s", err)
		}
		if e := s.checkScope(scope); e != nil {
			return e
		}
		return ResourceNotFound(scope)
	case r.Method == http.MethodGet:
		s.showTags(w, id, resource)
		return nil
	case r.Method == http.MethodPatch:
		return s.noteChange(r.Context(), id, func() *Error { return s.patchTags(w, id, resource, body) })
	}
	return &Error{Status: http.StatusMethodNotAllowed, Code: "HttpMethodNotSupported", Message: "The HTTP method " + r.Method + " is not supported at scope '" + id.Path + "'."}
}

func (s *Service) showTags(w http.ResponseWriter, id ID, resource *Resource) {
	WriteJSON(w, http.StatusOK, NewBody(id.Path, "default", typeTags, map[string]any{"tags": fields.Child(fields.Clone(resource.Body), "tags")}))
}

// patchTags adds, replaces or takes away tags, and leaves all else of the resource as it is.
func (s *Service) patchTags(w http.ResponseWriter, id ID, resource *Resource, body []byte) *Error {
	change, err := fields.Decode(body)
	if err != nil || change == nil {
		return BadRequest("InvalidRequestContent", "The request content was invalid and could not be deserialized: '%v'.", err)
	}
	given := fields.Child(fields.Child(change, "properties"), "tags")
	updated := *resource
	updated.Body = fields.Clone(resource.Body)
	tags := fields.Child(updated.Body, "tags")
	switch fields.Text(change, "operation") {
	case "Merge":
		for tag, value := range given {
			tags[spelled(tags, tag)] = value
		}
	case "Replace":
		tags = given
	case "Delete":
		for tag, value := range given {
			if has := spelled(tags, tag); value == nil || value == "" || tags[has] == value {
				delete(tags, has)
			}
		}
	default:
		return BadRequest("InvalidTagsPatchOperation", "The operation '%s' is not valid. It must be one of 'Replace', 'Merge' and 'Delete'.", fields.Text(change, "operation"))
	}
	if e := checkTags(tags); e != nil {
		return e
	}
	updated.Body["tags"] = tags
	if err := s.Store.Put(&updated); err != nil {
		return InternalError(err)
	}
	s.showTags(w, id, &updated)
	return nil
}

// spelled returns a tag as a resource has it: names of tags are the same in upper and lower case.
func spelled(tags map[string]any, tag string) string {
	for has := range maps.Keys(tags) {
		if strings.EqualFold(has, tag) {
			return has
		}
	}
	return tag
}

func checkTags(tags map[string]any) *Error {
	if len(tags) > mostTags {
		return BadRequest("InvalidTags", "The number of tags %d exceeds the maximum allowed value %d.", len(tags), mostTags)
	}
	for tag, value := range tags {
		text, ok := value.(string)
		switch {
		case !ok:
			return BadRequest("InvalidTagValue", "The value of tag '%s' is not a string.", tag)
		case tag == "" || len(tag) > longestTag || strings.ContainsAny(tag, `<>%&\?/`):
			return BadRequest("InvalidTagNameCharacters", `The tag name '%s' is empty, longer than %d characters, or has one of the characters '<,>,%%,&,\,?,/'.`, tag, longestTag)
		case len(text) > longestTagValue:
			return BadRequest("InvalidTagValueLength", "Tag value too large. Following tag value '%s' exceeded the maximum length. Maximum allowed length for tag value - '%d' characters.", text, longestTagValue)
		}
	}
	return nil
}
