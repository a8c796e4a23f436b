package signer

import (
	"crypto"
	"crypto/ecdsa"
	"crypto/rsa"
	"errors"
	"fmt"
	"os"
	"strings"

	"github.com/sigstore/sigstore/pkg/cryptoutils"
	"github.com/sigstore/sigstore/pkg/signature"
)

// environmentKey is what a key's reference begins with when an environment variable holds the key, as for cosign.
const environmentKey = "env://"

// PasswordVariable holds the password of an encrypted key, as for cosign.
const PasswordVariable = "COSIGN_PASSWORD"

// LoadKey reads a private key in PEM from a file, or from the environment variable NAME when the reference is env://NAME:
// one of `cosign generate-key-pair`, or one in PKCS #8. Its errors never quote the key.
//
// Only ECDSA and RSA keys are taken: what Crossplane makes of others is not what cosign signs with.
func LoadKey(reference string) (signature.SignerVerifier, error) {
	content, err := readKey(reference)
	if err != nil {
		return nil, err
	}
	key, err := cryptoutils.UnmarshalPEMToPrivateKey(content, func(bool) ([]byte, error) { return []byte(os.Getenv(PasswordVariable)), nil })
	if err != nil {
		return nil, fmt.Errorf("the key in %s cannot be read; the password of an encrypted one must be in %s: %w", reference, PasswordVariable, err)
	}
	switch key.(type) {
	case *ecdsa.PrivateKey, *rsa.PrivateKey:
	default:
		return nil, fmt.Errorf("the key in %s is a %T, but must be an ECDSA or RSA key", reference, key)
	}
	return signature.LoadSignerVerifier(key, crypto.SHA256)
}

func readKey(reference string) ([]byte, error) {
	if strings.Contains(reference, "-----BEGIN") {
		return nil, errors.New("the key is given by its content, but must be given by the name of a file or as env://NAME")
	}
	variable, inEnvironment := strings.CutPrefix(reference, environmentKey)
	if !inEnvironment {
		return os.ReadFile(reference)
	}
	content := os.Getenv(variable)
	if content == "" {
		return nil, errors.New("the environment variable " + variable + " is empty, but must hold the private key")
	}
	return []byte(content), nil
}
