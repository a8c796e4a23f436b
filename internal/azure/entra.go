package azure

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"

	"github.com/Azure/azure-sdk-for-go/sdk/azcore/runtime"
)

// entraError says what Entra answered: RFC 6749, section 5.2, error and error_description.
func entraError(response *http.Response) string {
	answer := struct {
		Error       string `json:"error"`
		Description string `json:"error_description"`
	}{}
	body, err := runtime.Payload(response)
	if err != nil || json.Unmarshal(body, &answer) != nil || firstLine(answer.Error) == "" {
		return fmt.Sprintf("Entra answered %s", response.Status)
	}
	// The lines after the first are trace and correlation IDs, which would make every message a new one.
	description := firstLine(answer.Description)
	if description == "" {
		return fmt.Sprintf("Entra answered %s: %s", response.Status, firstLine(answer.Error))
	}
	return fmt.Sprintf("Entra answered %s: %s: %s", response.Status, firstLine(answer.Error), description)
}

func firstLine(text string) string {
	line, _, _ := strings.Cut(text, "\n")
	return strings.TrimSpace(line)
}
