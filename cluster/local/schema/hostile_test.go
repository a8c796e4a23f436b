package schema

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/rest"
)

// entry has an ASO object with the text in place of its spec.
func entry(spec string) string {
	return `{"apiVersion": "resources.azure.com/v1api20200601", "kind": "ResourceGroup", "metadata": {"name": "rg"}, "spec": ` + spec + `}`
}

// deep has objects within objects, so many levels deep.
func deep(levels int) string {
	return strings.Repeat(`{"a":`, levels) + "1" + strings.Repeat("}", levels)
}

// TestHostile asks the API server to create objects that no client of Kubernetes would write, byte by byte. It must answer
// each at once, say what is wrong with it, and go on.
func TestHostile(t *testing.T) {
	resources := func(entries string) string { return `"spec": {"resources": [` + entries + `]}` }
	many := func(n int, item string) string { return strings.TrimSuffix(strings.Repeat(item+",", n), ",") }
	typed := func(more string) string {
		return `"spec": {"location": "westeurope", "version": "v1.33.6", "resourceGroupName": "rg", "identityRef": {"kind": "AzureClusterIdentity", "name": "id"}` + more + `}`
	}
	pool := func(more string) string {
		return `"spec": {"mode": "User", "sku": "Standard_D2s_v5", "name": "p"` + more + `}`
	}
	const aso, controlPlanes, pools = "azureasomanagedclusters", "azuremanagedcontrolplanes", "azuremanagedmachinepools"
	cases := map[string]struct {
		plural, body string
		// want is what the answer must have; empty means that the object is taken. What is odd about such a one is for the
		// composer to say, or for Azure.
		want string
	}{
		"1.4 MiB":                   {aso, resources(entry(`{"location": "` + strings.Repeat("a", 1400<<10) + `"}`)), ""},
		"2 MiB":                     {aso, resources(entry(`"` + strings.Repeat("a", 2<<20) + `"`)), "trying to send message larger than max"},
		"4 MiB":                     {aso, resources(entry(`"` + strings.Repeat("a", 4<<20) + `"`)), "Request entity too large: limit is 3145728"},
		"256 resources":             {aso, resources(many(256, entry("{}"))), ""},
		"257 resources":             {aso, resources(many(257, entry("{}"))), "spec.resources: Too many: 257: must have at most 256 items"},
		"100 levels":                {aso, resources(entry(deep(100))), ""},
		"3000 levels":               {aso, resources(entry(deep(3000))), ""},
		"9900 levels":               {aso, resources(entry(deep(9900))), ""},
		"11000 levels":              {aso, resources(entry(deep(11000))), "exceeded max depth"},
		"100000 levels":             {aso, resources(entry(deep(100000))), "exceeded max depth"},
		"a number without end":      {aso, resources(entry(`{"n": 1e400}`)), "cannot unmarshal number 1e400"},
		"a large integer":           {aso, resources(entry(`{"n": 99999999999999999999}`)), ""},
		"minus zero":                {aso, resources(entry(`{"n": -0}`)), ""},
		"a key twice":               {aso, resources(entry(`{"location": "a", "location": "b"}`)), "duplicate field \"spec.resources[0].spec.location\""},
		"a field twice":             {aso, `"spec": {"resources": [], "resources": []}`, "duplicate field \"spec.resources\""},
		"an unknown field":          {aso, `"spec": {"resource": []}`, "unknown field \"spec.resource\""},
		"entry null":                {aso, resources("null"), "spec.resources[0]: Invalid value"},
		"entry a list":              {aso, resources("[]"), "spec.resources[0]: Invalid value"},
		"resources null":            {aso, `"spec": {"resources": null}`, ""},
		"spec null":                 {aso, `"spec": null`, "spec: Required value"},
		"name with NUL":             {aso, resources(strings.Replace(entry("{}"), `"rg"`, `"r\u0000g"`, 1)), ""},
		"name with RTL":             {aso, resources(strings.Replace(entry("{}"), `"rg"`, `"r\u202eg"`, 1)), ""},
		"name of entry too long":    {aso, resources(strings.Replace(entry("{}"), `"rg"`, `"`+strings.Repeat("a", 300)+`"`, 1)), ""},
		"label with a space":        {aso, resources(strings.Replace(entry("{}"), `"name"`, `"labels": {"a": "b c"}, "name"`, 1)), "spec.resources[0].metadata.labels: Invalid value: \"b c\""},
		"label a number":            {aso, resources(strings.Replace(entry("{}"), `"name"`, `"labels": {"a": 1}, "name"`, 1)), "spec.resources[0].metadata: Invalid value"},
		"annotation of 300 KiB":     {aso, resources(strings.Replace(entry("{}"), `"name"`, `"annotations": {"a": "`+strings.Repeat("x", 300<<10)+`"}, "name"`, 1)), "spec.resources[0].metadata.annotations: Too long: may not be more than 262144 bytes"},
		"kind of a megabyte":        {aso, resources(strings.Replace(entry("{}"), `"ResourceGroup"`, `"`+strings.Repeat("K", 1<<20)+`"`, 1)), "spec.resources[0].kind: Invalid value"},
		"invalid UTF-8":             {aso, resources(entry("{\"location\": \"\xff\xfe\"}")), ""},
		"half a surrogate":          {aso, resources(entry(`{"location": "\ud800"}`)), ""},
		"NUL in a value":            {aso, resources(entry(`{"location": "\u0000"}`)), ""},
		"location of a megabyte":    {controlPlanes, strings.Replace(typed(""), "westeurope", strings.Repeat("x", 1<<20), 1), "spec.location: Too long: may not be more than 256 bytes"},
		"location with NUL":         {controlPlanes, strings.Replace(typed(""), "westeurope", `west\u0000europe`, 1), ""},
		"version of a megabyte":     {controlPlanes, strings.Replace(typed(""), "v1.33.6", "v"+strings.Repeat("1", 1<<20), 1), "spec.version: Too long: may not be more than 256 bytes"},
		"101 tags":                  {controlPlanes, typed(`, "additionalTags": {` + tags(101) + `}`), "spec.additionalTags: Too many: 101: must have at most 100 items"},
		"tag null":                  {controlPlanes, typed(`, "additionalTags": {"a": null}`), ""},
		"65 patches":                {controlPlanes, typed(`, "asoManagedClusterPatches": [` + many(65, `"{}"`) + `]`), "spec.asoManagedClusterPatches: Too many: 65: must have at most 64 items"},
		"patch of a megabyte":       {controlPlanes, typed(`, "asoManagedClusterPatches": ["` + strings.Repeat("x", 1<<20) + `"]`), "spec.asoManagedClusterPatches[0]: Too long: may not be more than 65536 bytes"},
		"float for an integer":      {pools, pool(`, "osDiskSizeGB": 1.5`), "spec.osDiskSizeGB: Invalid value"},
		"int64 overflow":            {pools, pool(`, "osDiskSizeGB": 9223372036854775808`), "spec.osDiskSizeGB: Invalid value"},
		"int32 overflow":            {pools, pool(`, "osDiskSizeGB": 2147483648`), ""},
		"1e2 for an integer":        {pools, pool(`, "osDiskSizeGB": 1e2`), ""},
		"text for an integer":       {pools, pool(`, "osDiskSizeGB": "30"`), "spec.osDiskSizeGB: Invalid value"},
		"101 taints":                {pools, pool(`, "taints": [` + many(101, `{"key": "a", "value": "b", "effect": "NoSchedule"}`) + `]`), "spec.taints: Too many: 101: must have at most 100 items"},
		"node label of odd letters": {pools, pool(`, "nodeLabels": {"e\u0301": "\u00e9"}`), ""},
		"1001 labels":               {pools, pool(`, "nodeLabels": {` + tags(1001) + `}`), "spec.nodeLabels: Too many: 1001: must have at most 1000 items"},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			code, answer := post(t, c.plural, c.body)
			if taken := code == http.StatusCreated; taken != (c.want == "") || !strings.Contains(answer, c.want) {
				t.Errorf("the answer is %d %.400q, want %q", code, answer, c.want)
			}
		})
	}
}

func tags(n int) string {
	all := map[string]string{}
	for i := range n {
		all[fmt.Sprintf("t%d", i)] = "x"
	}
	raw, _ := json.Marshal(all)
	return strings.Trim(string(raw), "{}")
}

// post asks for an object to be created, without anything coming of it, and returns the answer's code and message.
func post(t *testing.T, plural, more string) (int, string) {
	t.Helper()
	kinds := map[string]string{"azureasomanagedclusters": "AzureASOManagedCluster", "azuremanagedcontrolplanes": controlPlane, "azuremanagedmachinepools": machinePool}
	body := `{"apiVersion": "` + group + `/v1beta1", "kind": "` + kinds[plural] + `", "metadata": {"name": "hostile", "namespace": "default"}, ` + more + "}"
	c, err := rest.HTTPClientFor(server.config)
	if err != nil {
		t.Fatal(err)
	}
	url := server.config.Host + "/apis/" + group + "/v1beta1/namespaces/default/" + plural + "?fieldValidation=Strict"
	if len(body) < 2<<20 { // It is etcd that refuses larger ones.
		url += "&dryRun=All"
	}
	response, err := c.Post(url, "application/json", bytes.NewReader([]byte(body)))
	if err != nil {
		return 0, err.Error()
	}
	defer response.Body.Close()
	raw, err := io.ReadAll(response.Body)
	if err != nil {
		t.Fatal(err)
	}
	if response.StatusCode == http.StatusCreated {
		return response.StatusCode, ""
	}
	status := metav1.Status{}
	if err := json.Unmarshal(raw, &status); err != nil {
		return response.StatusCode, string(raw)
	}
	return response.StatusCode, status.Message
}

// TestHostileIsOverAtOnce shows that the API server needs no long time for the largest objects that it takes: what it reckons
// a rule to cost depends on the bounds of lists and texts.
func TestHostileIsOverAtOnce(t *testing.T) {
	for name, entries := range map[string]string{
		"many":   strings.TrimSuffix(strings.Repeat(entry("{}")+",", 256), ","),
		"deep":   entry(deep(9900)),
		"large":  entry(`{"location": "` + strings.Repeat("a", 1400<<10) + `"}`),
		"filled": strings.TrimSuffix(strings.Repeat(entry(`{"tags": {`+tags(300)+`}}`)+",", 256), ","),
	} {
		t.Run(name, func(t *testing.T) {
			begun := time.Now()
			code, answer := post(t, "azureasomanagedclusters", `"spec": {"resources": [`+entries+`]}`)
			if took := time.Since(begun); code != http.StatusCreated || took > 10*time.Second {
				t.Errorf("the answer is %d %.200q after %s", code, answer, took)
			}
		})
	}
}
