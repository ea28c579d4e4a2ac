// Sends the lines of the standard input to APNs by apns2; prints the answers, one on each line.
package main

import (
	"encoding/json"
	"errors"
	"io"
	"log"
	"os"
	"strconv"
	"sync"
	"sync/atomic"
	"time"

	"github.com/sideshow/apns2"
	"github.com/sideshow/apns2/token"
)

// A line of a rendering with "payload_form": "string". The summary has no token.
type line struct {
	Token, Environment, Payload string
	Headers                     map[string]string
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

func send(client *apns2.Client, line line) (*result, error) {
	priority, _ := strconv.Atoi(line.Headers["apns-priority"])
	notification := &apns2.Notification{
		DeviceToken: line.Token,
		ApnsID:      line.Headers["apns-id"],
		CollapseID:  line.Headers["apns-collapse-id"],
		Topic:       line.Headers["apns-topic"],
		PushType:    apns2.EPushType(line.Headers["apns-push-type"]),
		Priority:    priority,
		Payload:     []byte(line.Payload),
	}
	if seconds, err := strconv.ParseInt(line.Headers["apns-expiration"], 10, 64); err == nil {
		notification.Expiration = time.Unix(seconds, 0)
	}
	sent := time.Now()
	answer, err := client.Push(notification)
	if err != nil {
		return nil, err
	}
	result := &result{Token: line.Token, Environment: line.Environment,
		Status: answer.StatusCode, SentAt: sent.UnixMilli(), Reason: answer.Reason}
	if !answer.Timestamp.IsZero() {
		result.Timestamp = answer.Timestamp.UnixMilli()
	}
	return result, nil
}

func main() {
	key, err := token.AuthKeyFromFile(os.Getenv("APNS_KEY"))
	if err != nil {
		log.Fatal(err)
	}
	provider := &token.Token{
		AuthKey: key, KeyID: os.Getenv("APNS_KEY_ID"), TeamID: os.Getenv("APNS_TEAM_ID"),
	}
	clients := map[string]*apns2.Client{
		"production": apns2.NewTokenClient(provider).Production(),
		"sandbox":    apns2.NewTokenClient(provider).Development(),
	}

	var output sync.Mutex
	var failed atomic.Bool
	deliver := func(line line) {
		result, err := send(clients[line.Environment], line)
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
		// APNs takes one request at a time until it has seen a good token.
		if !isKnown[line.Environment] {
			isKnown[line.Environment] = true
			deliver(line)
			continue
		}
		places <- struct{}{}
		underWay.Add(1)
		go func() {
			defer func() { <-places; underWay.Done() }()
			deliver(line)
		}()
	}
	underWay.Wait()
	if failed.Load() {
		os.Exit(1)
	}
}
