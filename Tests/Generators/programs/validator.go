// Package validator stands in for gopkg.in/validator.v2, by which the clients for Go compare an
// answer that may have several forms with patterns: so the tests need no module from elsewhere.
// The forms are told apart by their members all the same, and another test reads the patterns.
package validator

// Validate finds no fault with any value.
func Validate(any) error { return nil }
