package aso

import "testing"

func TestAnswerIn(t *testing.T) {
	const line = "--------------------------------------------------------------------------------\n"
	quoted := func(body string) string {
		return `error getting status for resource ID "/subscriptions/s/resourceGroups/g": GET https://management.azure.com/subscriptions/s/resourceGroups/g` + "\n" +
			line + "RESPONSE 400: 400 Bad Request\nERROR CODE: InvalidResourceGroup\n" + line + body + "\n" + line + ", RequestID: unknown"
	}
	tests := map[string]struct{ reason, message, wantReason, wantMessage string }{
		"an answer":             {"Failed", quoted("{\n  \"error\": {\n    \"code\": \"InvalidResourceGroup\",\n    \"message\": \"has {odd} characters\"\n  }\n}"), "InvalidResourceGroup", "has {odd} characters"},
		"an answer of AKS":      {"Failed", quoted("{\n  \"code\": \"InvalidResourceGroup\",\n  \"message\": \"no\"\n}"), "InvalidResourceGroup", "no"},
		"an answer of no words": {"Failed", quoted("{\n  \"error\": {}\n}"), "InvalidResourceGroup", quoted("{\n  \"error\": {}\n}")},
		"an answer that is odd": {"Failed", quoted("<html>"), "InvalidResourceGroup", quoted("<html>")},
		"without a code":        {"Failed", "RESPONSE 503: 503\nERROR CODE UNAVAILABLE\n", "Failed", "RESPONSE 503: 503\nERROR CODE UNAVAILABLE\n"},
		"classified by ASO":     {"AzureResourceNotFound", quoted("{\n  \"error\": {}\n}"), "AzureResourceNotFound", quoted("{\n  \"error\": {}\n}")},
		"something else":        {"Failed", "credential secret not found", "Failed", "credential secret not found"},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			reason, message := answerIn(tc.reason, tc.message)
			if reason != tc.wantReason || message != tc.wantMessage {
				t.Errorf("%s: %s, want %s: %s", reason, message, tc.wantReason, tc.wantMessage)
			}
		})
	}
}
