package leaks

import (
	"bytes"
	"crypto/ecdsa"
	"crypto/ed25519"
	"crypto/rsa"
	"crypto/x509"
	"encoding/base64"
)

// pemLine is how long the lines of PEM are.
const pemLine = 64

// secretLines returns the base64 of what is secret in a private key, split where PEM has line ends. The public half, which a
// certificate has as well, is left out; all of a key that cannot be parsed is taken.
func secretLines(der []byte) []string {
	var lines []string
	text := base64.StdEncoding.EncodeToString(der)
	for _, number := range secretNumbers(der) {
		at := bytes.Index(der, number)
		if at < 0 {
			continue
		}
		// The first and the last character that have bits of nothing else.
		begin, end := (at*8+5)/6, (at+len(number))*8/6
		for begin < end {
			until := min(end, (begin/pemLine+1)*pemLine)
			if until-begin >= shortest {
				lines = append(lines, text[begin:until])
			}
			begin = until
		}
	}
	return lines
}

func secretNumbers(der []byte) [][]byte {
	switch key := parseKey(der).(type) {
	case *rsa.PrivateKey:
		numbers := [][]byte{key.D.Bytes()}
		for _, prime := range key.Primes {
			numbers = append(numbers, prime.Bytes())
		}
		return numbers
	case *ecdsa.PrivateKey:
		if number, err := key.Bytes(); err == nil {
			return [][]byte{number}
		}
	case ed25519.PrivateKey:
		return [][]byte{key.Seed()}
	}
	return [][]byte{der}
}

// parseKey returns nil when it knows no such key.
func parseKey(der []byte) any {
	if key, err := x509.ParsePKCS8PrivateKey(der); err == nil {
		return key
	}
	if key, err := x509.ParsePKCS1PrivateKey(der); err == nil {
		return key
	}
	if key, err := x509.ParseECPrivateKey(der); err == nil {
		return key
	}
	return nil
}
