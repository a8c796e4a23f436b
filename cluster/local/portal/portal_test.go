package portal

import (
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/nikolalohinski/gonja/v2/builtins"
	gonjaconfig "github.com/nikolalohinski/gonja/v2/config"
	"github.com/nikolalohinski/gonja/v2/exec"
	"github.com/nikolalohinski/gonja/v2/loaders"
	utiljson "k8s.io/apimachinery/pkg/util/json"
	"sigs.k8s.io/yaml"

	"github.com/crossplane-capz/crossplane-capz/internal/schema"
)

const (
	checkout = "../../.."
	folder   = checkout + "/examples/portal"
	// manifest is the skeleton, whose name is a template too. By its ending the portal takes it for one, and other tools do not take it for YAML.
	manifest = "${{ values.name }}.yaml.njk"
)

// A softwareTemplate is what of one is looked at here.
type softwareTemplate struct {
	Spec struct {
		Parameters []struct {
			Required   []string
			Properties map[string]any
		}
		Steps []struct {
			Action string
			Input  map[string]any
		}
	}
}

func readTemplate(t *testing.T) softwareTemplate {
	t.Helper()
	raw, err := os.ReadFile(filepath.Join(folder, "template.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	var found softwareTemplate
	if err := yaml.Unmarshal(raw, &found); err != nil {
		t.Fatal(err)
	}
	return found
}

// form returns the schema of all pages of the form together.
func (s softwareTemplate) form(t *testing.T) *schema.Schema {
	t.Helper()
	properties, required := map[string]any{}, []string{}
	for _, page := range s.Spec.Parameters {
		required = append(required, page.Required...)
		for name, field := range page.Properties {
			properties[name] = field
		}
	}
	definition, err := json.Marshal(map[string]any{"spec": map[string]any{"versions": []any{map[string]any{"name": "form", "schema": map[string]any{
		"openAPIV3Schema": map[string]any{"type": "object", "required": required, "properties": properties},
	}}}}})
	if err != nil {
		t.Fatal(err)
	}
	parsed, err := schema.Parse(definition, "form")
	if err != nil {
		t.Fatal(err)
	}
	return parsed
}

var parameter = regexp.MustCompile(`^\$\{\{ parameters\.(\w+) \}\}$`)

// values returns what the step that writes the manifest gets of what was entered: a value that is one expression keeps its type.
func (s softwareTemplate) values(t *testing.T, entered map[string]any) map[string]any {
	t.Helper()
	given, _ := s.Spec.Steps[0].Input["values"].(map[string]any)
	values := map[string]any{}
	for name, expression := range given {
		found := parameter.FindStringSubmatch(expression.(string))
		if found == nil {
			t.Fatalf("value %s is %q, no parameter", name, expression)
		}
		if value, ok := entered[found[1]]; ok {
			values[name] = value
		}
	}
	return values
}

// fill returns the skeleton with values. What it uses of the portal's template language is the same in Jinja, which there is an engine for here.
func fill(t *testing.T, text string, values map[string]any) string {
	t.Helper()
	config := gonjaconfig.New()
	config.VariableStartString, config.StrictUndefined, config.KeepTrailingNewline = "${{", false, true
	loader, err := loaders.NewMemoryLoader(map[string]string{"/skeleton": text})
	if err != nil {
		t.Fatal(err)
	}
	parsed, err := exec.NewTemplate("/skeleton", config, loader, &exec.Environment{
		Context: builtins.GlobalFunctions, Filters: builtins.Filters, Tests: builtins.Tests, ControlStructures: builtins.ControlStructures, Methods: builtins.Methods,
	})
	if err != nil {
		t.Fatal(err)
	}
	out, err := parsed.ExecuteToString(exec.NewContext(map[string]any{"values": values}))
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// TestManifest enters what is in testdata/*.json. The manifest must be the one beside it, which Backstage's engine has made of the same
// (nunjucks 3.2.4 without autoescape, whose variables begin with ${{), and an AKSCluster by its schema and rules.
func TestManifest(t *testing.T) {
	template := readTemplate(t)
	skeleton, err := os.ReadFile(filepath.Join(folder, "skeleton", manifest))
	if err != nil {
		t.Fatal(err)
	}
	kind, err := schema.Read(filepath.Join(checkout, "package", "configuration", "aksclusters", "definition.yaml"), "v1alpha1")
	if err != nil {
		t.Fatal(err)
	}
	form := template.form(t)
	for _, name := range []string{"least", "most"} {
		t.Run(name, func(t *testing.T) {
			entered := readJSON(t, name)
			if err := form.Validate(t.Context(), entered, nil); err == nil || !strings.Contains(err.Error(), "repository") {
				t.Errorf("the form does not ask for a repository: %v", err)
			}
			entered["repository"] = "github.com?owner=shop&repo=clusters"
			if err := form.Validate(t.Context(), entered, nil); err != nil {
				t.Errorf("the form refuses it: %v", err)
			}
			made := fill(t, string(skeleton), template.values(t, entered))
			want, err := os.ReadFile(filepath.Join("testdata", name+".yaml"))
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(string(want), made); diff != "" {
				t.Errorf("-nunjucks, +here:\n%s", diff)
			}
			inJSON, err := yaml.YAMLToJSONStrict([]byte(made))
			if err != nil {
				t.Fatal(err)
			}
			object := map[string]any{}
			if err := utiljson.Unmarshal(inJSON, &object); err != nil {
				t.Fatal(err)
			}
			spec := map[string]any{"spec": object["spec"]}
			if pruned := kind.Prune(spec); len(pruned) > 0 {
				t.Errorf("an AKSCluster has no fields %v", pruned)
			}
			object["spec"] = spec["spec"]
			if err := kind.Validate(t.Context(), object, nil); err != nil {
				t.Error(err)
			}
		})
	}
}

// TestFormRefuses enters what an AKSCluster must not have.
func TestFormRefuses(t *testing.T) {
	form := readTemplate(t).form(t)
	for field, wrong := range map[string]any{
		"name": "Shop", "location": "West Europe", "version": "latest", "policy": "flannel",
		"nodePools": []any{map[string]any{"name": "Main"}},
	} {
		entered := readJSON(t, "least")
		entered["repository"] = "github.com?owner=shop&repo=clusters"
		entered[field] = wrong
		if err := form.Validate(t.Context(), entered, nil); err == nil || !strings.Contains(err.Error(), field) {
			t.Errorf("%s: %v is not refused: %v", field, wrong, err)
		}
	}
}

func readJSON(t *testing.T, name string) map[string]any {
	t.Helper()
	raw, err := os.ReadFile(filepath.Join("testdata", name+".json"))
	if err != nil {
		t.Fatal(err)
	}
	entered := map[string]any{}
	if err := utiljson.Unmarshal(raw, &entered); err != nil {
		t.Fatal(err)
	}
	return entered
}
