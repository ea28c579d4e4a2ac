// Reads patterns, one a line, and prints those that Go cannot read.
package main

import (
	"bufio"
	"fmt"
	"os"
	"regexp"
)

func main() {
	for lines := bufio.NewScanner(os.Stdin); lines.Scan(); {
		if _, err := regexp.Compile(lines.Text()); err != nil {
			fmt.Println(err)
		}
	}
}
