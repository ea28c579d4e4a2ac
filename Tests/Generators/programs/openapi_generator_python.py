"""The round trip by the client that openapi-generator makes for Python."""

import json
import os
import uuid

from postilion import ApiClient, Configuration
from postilion.api import (
    AppsApi, CatalogsApi, ChangesApi, FeedbackApi, InstallationsApi, KeysApi, RenderingApi)
from postilion.models import (
    AppSettings, Argument, Audience, AudienceRequest, AudienceRequestMessage,
    FeedbackItem, FeedbackReport, Flag, KeyRequest, KeyedText, KeyedTextKey, Message,
    MessageAlert, Parameter, RegistrationReport, RenderBody, ReportedCredential,
    ReportedCredentials, ReportedResult, ReportedUser, ReportedVersion, StructuredAlert, Text)


def client(key):
    """A client that calls with a key."""
    return ApiClient(Configuration(host=os.environ["POSTILION"], access_token=key))


name, device, token = os.environ["APP"], uuid.UUID(os.environ["INSTALLATION"]), os.environ["TOKEN"]
root = client(os.environ["ROOT_KEY"])
app = AppsApi(root).put_app(name, AppSettings(bundle_id="com.example.food", name="Food"))
key = KeysApi(root).create_key(name, KeyRequest(kind="sender", label="orders"))
sender = client(key.key)

with open(os.environ["CATALOG"], "rb") as file:
    catalog = CatalogsApi(root).put_catalog(
        name, "412", file=[("Localizable.xcstrings", file.read())])

registered = InstallationsApi(sender).put_installation(name, device, RegistrationReport(
    platform="ios", environment="production", languages=["fr-CA", "en-CA"],
    app_build=ReportedVersion("412"), os_version=ReportedVersion("17.4.1"),
    capabilities=["loc-key"], tags=["beta"], user=ReportedUser(id="u42"),
    credentials=ReportedCredentials(apns=ReportedCredential(token=token))))

values = {"name": "Zoé", "order": "A17"}
rendered = RenderingApi(sender).render(name, RenderBody(AudienceRequest(
    message=AudienceRequestMessage(Message(
        alert=MessageAlert(StructuredAlert(
            body=Text(KeyedText(key=KeyedTextKey("FOOD_READY"), args=list(values))))),
        parameters={parameter: Parameter(type="string") for parameter in values},
        mutable_content=Flag(True))),
    arguments={parameter: Argument(value) for parameter, value in values.items()},
    to=Audience(installation=device)))).actual_instance

page = InstallationsApi(sender).list_installations(
    name, tag="beta", filter=json.dumps({"user": "u42"}), limit=10)

answer = FeedbackApi(sender).report_feedback(name, FeedbackReport(results=[
    ReportedResult(FeedbackItem(
        token=token, environment="production", status=410, reason="Unregistered"))]))

changes = ChangesApi(sender).list_changes(name)

print(json.dumps({
    "app": app.app, "kind": key.kind, "languages": catalog.languages,
    "applied": registered.applied, "path": rendered.path, "mode": rendered.mode,
    "payload": rendered.payload.to_dict(),
    "listed": [str(item.installation_id) for item in page.items],
    "token": page.items[0].credentials.apns.token,
    "decisions": [result.decision for result in answer.results],
    "events": [change.event for change in changes.items]}))
