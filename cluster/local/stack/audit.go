package stack

import (
	"errors"
	"io/fs"
	"os"
)

// auditPolicy has the API server log what the accounts do that package/install/rbac.yaml gives rights to.
const auditPolicy = `apiVersion: audit.k8s.io/v1
kind: Policy
omitStages: [RequestReceived]
rules:
- level: Metadata
  users:
  - system:serviceaccount:crossplane-system:crossplane
  - system:serviceaccount:crossplane-system:provider-capz
- level: None
`

// AuditLog is the file with what Crossplane and provider-capz have asked the API server for, one event of audit.k8s.io/v1 in
// JSON a line.
func (s *Stack) AuditLog() string { return s.path("audit.jsonl") }

func (s *Stack) auditPolicyFile() string { return s.path("audit-policy.yaml") }

// writeAuditPolicy makes the log begin anew, too: the API server would go on with that of an earlier management cluster.
func (s *Stack) writeAuditPolicy() error {
	if err := os.Remove(s.AuditLog()); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return os.WriteFile(s.auditPolicyFile(), []byte(auditPolicy), 0o600)
}

// audited returns the launch of an API server that writes the log. What an admission plugin asks the authorizer is not in it,
// so the plugin is there that asks whether who refers to an owner may write it: what is missing then is refused.
func (s *Stack) audited(l launch) launch {
	if s.options.Unaudited {
		return l
	}
	l.args = append(l.args, "--audit-policy-file="+s.auditPolicyFile(), "--audit-log-path="+s.AuditLog(), "--audit-log-maxsize=10000",
		"--enable-admission-plugins=OwnerReferencesPermissionEnforcement")
	return l
}
