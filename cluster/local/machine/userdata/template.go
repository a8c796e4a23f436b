package userdata

import (
	"errors"
	"fmt"
	"regexp"
	"strings"
)

var (
	header     = regexp.MustCompile(`^##\s*template:\s*jinja\s*$`)
	expression = regexp.MustCompile(`\{\{-?\s*(.*?)\s*-?\}\}`)
	index      = regexp.MustCompile(`\[\s*["']([A-Za-z0-9_]+)["']\s*\]`)
)

func templated(line string) bool { return header.MatchString(strings.TrimSpace(line)) }

// render replaces the variables of cloud-init's instance data that name the host. They are all that CAPZ's templates use; another
// expression, or a statement of the template language, is an error.
func render(text string, meta Meta) ([]byte, error) {
	if strings.Contains(text, "{%") {
		return nil, errors.New("user data has a statement {% %} of Jinja, which the simulated machine does not know")
	}
	var unknown error
	out := expression.ReplaceAllStringFunc(text, func(match string) string {
		name := expression.FindStringSubmatch(match)[1]
		switch index.ReplaceAllString(name, ".$1") {
		case "ds.meta_data.local_hostname", "ds.meta_data.hostname", "v1.local_hostname", "local_hostname":
			return meta.Hostname
		case "v1.cloud_name", "cloud_name":
			return "azure"
		}
		unknown = fmt.Errorf("user data has the expression {{ %s }} of Jinja, which the simulated machine does not know", name)
		return match
	})
	return []byte(out), unknown
}
