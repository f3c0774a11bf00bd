// Package webhooks verifies the signatures of webhook requests. Needs only the standard library.
// Copy this file into your project; see README.md.
package webhooks

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"strconv"
	"strings"
	"time"
)

const tolerance = 300 * time.Second

// Verify returns whether the request was signed with secret in the last five minutes.
// body is the raw body, before it is parsed. signature is the header Poolsite-Signature.
func Verify(secret string, body []byte, signature string, now time.Time) bool {
	var at string
	var given []string
	for _, part := range strings.Split(signature, ",") {
		name, value, _ := strings.Cut(part, "=")
		if name == "t" && at == "" {
			at = value
		} else if name == "v1" {
			given = append(given, value)
		}
	}
	seconds, err := strconv.ParseUint(at, 10, 53)
	if err != nil {
		return false
	}
	if age := now.Sub(time.Unix(int64(seconds), 0)); age > tolerance || age < -tolerance {
		return false
	}
	mac := hmac.New(sha256.New, []byte(secret))
	mac.Write([]byte(at + "."))
	mac.Write(body)
	expected := mac.Sum(nil)
	for _, text := range given {
		value, err := hex.DecodeString(text)
		if err == nil && hmac.Equal(value, expected) {
			return true
		}
	}
	return false
}
