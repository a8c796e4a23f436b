package machines

import (
	"errors"
	"io"
	"strings"
)

// passwordLength is the most that Azure takes for Windows, and passwordCharacters are of the four sorts of which it asks for three (Azure REST
// API, "Virtual Machines - Create Or Update", osProfile.adminPassword).
const (
	passwordLength = 123
	lowerCase      = "abcdefghijklmnopqrstuvwxyz"
	upperCase      = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
	digits         = "0123456789"
	otherSigns     = "-_"

	passwordCharacters = lowerCase + upperCase + digits + otherSigns
)

// newPassword returns a password that is kept nowhere: it is only there as Azure asks for one.
func newPassword(random io.Reader) (string, error) {
	for {
		content := make([]byte, passwordLength)
		if _, err := io.ReadFull(random, content); err != nil {
			return "", errors.New("there is no randomness for a password")
		}
		for i := range content { // There are 64 characters, so that each is as likely as the others.
			content[i] = passwordCharacters[int(content[i])%len(passwordCharacters)]
		}
		password := string(content)
		if strings.ContainsAny(password, lowerCase) && strings.ContainsAny(password, upperCase) && strings.ContainsAny(password, digits) {
			return password, nil
		}
	}
}
