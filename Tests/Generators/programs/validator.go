// Package validator stands in for gopkg.in/validator.v2, which the clients for Go use where an
// answer may have several forms. No Go module can be fetched here, and that of Debian 12 is of 2016
// and does not know the patterns of today. The forms are told apart by their members all the same.
package validator

// Validate finds no fault with any value.
func Validate(any) error { return nil }
