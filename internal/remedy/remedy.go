// Package remedy knows the next step for what is wrong: by the reason of a condition, an Event or Azure's answer, and by its message where
// the reason is too general to go by.
package remedy

import "regexp"

// A Remedy is what to do about a reason.
type Remedy struct {
	// Step is the next step, one or two sentences.
	Step string
	// Waiting is true when nobody has to do anything yet: somebody is at work, or waits for something else.
	Waiting bool
}

// An Origin is who gives reasons, in a condition, an Event or an answer.
type Origin struct {
	Name     string
	Remedies map[string]Remedy
}

// Origins returns all who give reasons that are known, with what to do about each.
func Origins() []Origin { return origins }

// Of returns the remedy for a reason with its message. There is always one: of a reason that is not known it says so.
func Of(reason, message string) Remedy {
	general := general[reason]
	if _, known := reasons[reason]; general || !known {
		if r, found := byMessage(message); found {
			return r
		}
	}
	if r, known := reasons[reason]; known {
		return r
	}
	return Remedy{Step: "Reason " + named(reason) + " is not known here. Most unknown reasons are error codes of Azure. Correct what the message names, in the spec or in Azure. It is tried again automatically."}
}

// Known reports whether a reason has a remedy of its own.
func Known(reason string) bool {
	_, known := reasons[reason]
	return known
}

func named(reason string) string {
	if reason == "" {
		return "unknown"
	}
	return reason
}

// does is a remedy that somebody has to carry out, waits one for which nobody has to do anything yet.
func does(step string) Remedy  { return Remedy{Step: step} }
func waits(step string) Remedy { return Remedy{Step: step, Waiting: true} }

// A pattern of messages and what to do about them. The step may use what the expression has found, as in regexp.Expand.
type pattern struct {
	message *regexp.Regexp
	remedy  Remedy
}

func byMessage(message string) (Remedy, bool) {
	for _, p := range patterns {
		found := p.message.FindStringSubmatchIndex(message)
		if found == nil {
			continue
		}
		r := p.remedy
		r.Step = string(p.message.ExpandString(nil, r.Step, message, found))
		return r, true
	}
	return Remedy{}, false
}
