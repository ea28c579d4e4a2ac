// The round trip by the client that openapi-generator makes for Go.
package main

import (
	"context"
	"encoding/json"
	"fmt"
	"log"
	"net/http"
	"os"

	"postilion"
)

// must ends the program when a call failed, with what the service said about it.
func must[Value any](value Value, response *http.Response, err error) Value {
	if failure, isAnswer := err.(*postilion.GenericOpenAPIError); isAnswer {
		log.Fatalf("%s %s", failure.Error(), failure.Body())
	}
	if err != nil {
		log.Fatal(err)
	}
	return value
}

func text(value string) *string { return &value }

func main() {
	configuration := postilion.NewConfiguration()
	configuration.Servers = postilion.ServerConfigurations{{URL: os.Getenv("POSTILION")}}
	client := postilion.NewAPIClient(configuration)
	keyed := func(key string) context.Context {
		return context.WithValue(context.Background(), postilion.ContextAccessToken, key)
	}
	name, device, token := os.Getenv("APP"), os.Getenv("INSTALLATION"), os.Getenv("TOKEN")

	root := keyed(os.Getenv("ROOT_KEY"))
	settings := postilion.NewAppSettings()
	settings.SetBundleId("com.example.food")
	settings.SetName("Food")
	app := must(client.AppsAPI.PutApp(root, name).AppSettings(*settings).Execute())
	request := postilion.NewKeyRequest("sender")
	request.SetLabel("orders")
	key := must(client.KeysAPI.CreateKey(root, name).KeyRequest(*request).Execute())
	sender := keyed(key.Key)

	strings, err := os.Open(os.Getenv("CATALOG"))
	if err != nil {
		log.Fatal(err)
	}
	catalog := must(client.CatalogsAPI.PutCatalog(root, name, "412").
		File([]*os.File{strings}).Execute())

	report := postilion.NewRegistrationReport()
	report.SetPlatform("ios")
	report.SetEnvironment("production")
	report.SetLanguages([]string{"fr-CA", "en-CA"})
	report.SetAppBuild(postilion.ReportedVersion{String: text("412")})
	report.SetOsVersion(postilion.ReportedVersion{String: text("17.4.1")})
	report.SetCapabilities([]string{"loc-key"})
	report.SetTags([]string{"beta"})
	user := postilion.ReportedUser{}
	user.SetId("u42")
	report.SetUser(user)
	credentials := postilion.NewReportedCredentials()
	credentials.SetApns(*postilion.NewReportedCredential(token))
	report.SetCredentials(*credentials)
	registered := must(client.InstallationsAPI.PutInstallation(sender, name, device).
		RegistrationReport(*report).Execute())

	message := postilion.NewMessage()
	body := postilion.KeyedText{
		Key: postilion.KeyedTextKey{String: text("FOOD_READY")}, Args: []string{"name", "order"}}
	message.SetAlert(postilion.MessageAlert{
		StructuredAlert: &postilion.StructuredAlert{Body: &postilion.Text{KeyedText: &body}}})
	message.SetParameters(map[string]postilion.Parameter{
		"name": *postilion.NewParameter("string"), "order": *postilion.NewParameter("string")})
	wakes := true
	message.SetMutableContent(postilion.Flag{Bool: &wakes})
	rendering := postilion.NewAudienceRequest(
		postilion.AudienceRequestMessage{Message: message}, postilion.Audience{Installation: &device})
	rendering.SetArguments(map[string]postilion.Argument{
		"name": {String: text("Zoé")}, "order": {String: text("A17")}})
	answer := must(client.RenderingAPI.Render(sender, name).
		RenderBody(postilion.RenderBody{AudienceRequest: rendering}).Execute())
	rendered := answer.RenderedRequest

	page := must(client.InstallationsAPI.ListInstallations(sender, name).
		Tag("beta").Filter(`{"user": "u42"}`).Limit(10).Execute())

	result := postilion.NewFeedbackItem(token, "production")
	result.SetStatus(410)
	result.SetReason("Unregistered")
	feedback := must(client.FeedbackAPI.ReportFeedback(sender, name).FeedbackReport(
		*postilion.NewFeedbackReport([]postilion.ReportedResult{{FeedbackItem: result}})).Execute())

	changes := must(client.ChangesAPI.ListChanges(sender, name).Execute())

	listed, decisions, events := []string{}, []string{}, []string{}
	for _, item := range page.Items {
		listed = append(listed, item.InstallationId)
	}
	for _, item := range feedback.Results {
		decisions = append(decisions, string(item.Decision))
	}
	for _, change := range changes.Items {
		events = append(events, change.Event)
	}
	seen, err := json.Marshal(map[string]any{
		"app": app.App, "kind": key.Kind, "languages": catalog.Languages,
		"applied": registered.Applied, "path": rendered.Path, "mode": rendered.Mode,
		"payload": rendered.Payload, "listed": listed,
		"token": page.Items[0].Credentials.Apns.Token, "decisions": decisions, "events": events,
	})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(string(seen))
}
