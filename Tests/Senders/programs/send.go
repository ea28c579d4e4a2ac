// Sends the lines of the standard input to APNs; prints the answers, one on each line.
package main

import (
	"crypto/ecdsa"
	"crypto/rand"
	"crypto/sha256"
	"crypto/x509"
	"encoding/base64"
	"encoding/json"
	"encoding/pem"
	"errors"
	"fmt"
	"io"
	"log"
	"net/http"
	"os"
	"strings"
	"sync"
	"sync/atomic"
	"time"
)

var hosts = map[string]string{
	"production": "https://api.push.apple.com",
	"sandbox":    "https://api.sandbox.push.apple.com",
}

// A line of a rendering with "payload_form": "string". The summary has no token.
type line struct {
	Token, Environment, Path, Payload string
	Headers                           map[string]string
}

// An answer of APNs in the form of POST …/feedback.
type result struct {
	Token       string `json:"token"`
	Environment string `json:"environment"`
	Status      int    `json:"status"`
	SentAt      int64  `json:"sent_at"`
	Reason      string `json:"reason,omitempty"`
	Timestamp   int64  `json:"timestamp,omitempty"`
}

// A provider token is good for an hour, and may be renewed every twenty minutes.
type provider struct {
	sync.Mutex
	key   *ecdsa.PrivateKey
	token string
	made  time.Time
}

func (p *provider) current() string {
	p.Lock()
	defer p.Unlock()
	if time.Since(p.made) < 40*time.Minute {
		return p.token
	}
	p.made = time.Now()
	encode := base64.RawURLEncoding.EncodeToString
	text := encode([]byte(fmt.Sprintf(`{"alg":"ES256","kid":%q}`, os.Getenv("APNS_KEY_ID")))) + "." +
		encode([]byte(fmt.Sprintf(`{"iss":%q,"iat":%d}`, os.Getenv("APNS_TEAM_ID"), p.made.Unix())))
	digest := sha256.Sum256([]byte(text))
	r, s, err := ecdsa.Sign(rand.Reader, p.key, digest[:])
	if err != nil {
		log.Fatal(err)
	}
	numbers := make([]byte, 64)
	r.FillBytes(numbers[:32])
	s.FillBytes(numbers[32:])
	p.token = text + "." + encode(numbers)
	return p.token
}

func (p *provider) send(line line) (*result, error) {
	request, err := http.NewRequest(
		"POST", hosts[line.Environment]+line.Path, strings.NewReader(line.Payload))
	if err != nil {
		return nil, err
	}
	for name, value := range line.Headers {
		request.Header.Set(name, value)
	}
	request.Header.Set("authorization", "bearer "+p.current())
	sent := time.Now()
	answer, err := http.DefaultClient.Do(request)
	if err != nil {
		return nil, err
	}
	defer answer.Body.Close()
	result := result{Token: line.Token, Environment: line.Environment,
		Status: answer.StatusCode, SentAt: sent.UnixMilli()}
	// A 200 has no body.
	if err := json.NewDecoder(answer.Body).Decode(&result); err != nil && !errors.Is(err, io.EOF) {
		return nil, err
	}
	return &result, nil
}

func main() {
	file, err := os.ReadFile(os.Getenv("APNS_KEY"))
	if err != nil {
		log.Fatal(err)
	}
	block, _ := pem.Decode(file)
	if block == nil {
		log.Fatal("APNS_KEY is no key")
	}
	key, err := x509.ParsePKCS8PrivateKey(block.Bytes)
	if err != nil {
		log.Fatal(err)
	}
	provider := provider{key: key.(*ecdsa.PrivateKey)}

	var output sync.Mutex
	var failed atomic.Bool
	send := func(line line) {
		result, err := provider.send(line)
		if err != nil {
			log.Print("no answer: ", err)
			failed.Store(true)
			return
		}
		output.Lock()
		defer output.Unlock()
		_ = json.NewEncoder(os.Stdout).Encode(result)
	}
	var underWay sync.WaitGroup
	places, isKnown := make(chan struct{}, 100), map[string]bool{}
	for lines := json.NewDecoder(os.Stdin); ; {
		var line line
		if err := lines.Decode(&line); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			log.Fatal(err)
		}
		if line.Token == "" {
			continue
		}
		// APNs takes one request at a time until it has seen a good token. Go would open another
		// connection for each further request, and APNs takes many connections for an attack.
		if !isKnown[line.Environment] {
			isKnown[line.Environment] = true
			send(line)
			continue
		}
		places <- struct{}{}
		underWay.Add(1)
		go func() {
			defer func() { <-places; underWay.Done() }()
			send(line)
		}()
	}
	underWay.Wait()
	if failed.Load() {
		os.Exit(1)
	}
}
