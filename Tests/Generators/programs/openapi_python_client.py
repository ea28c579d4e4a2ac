"""The round trip by the client that openapi-python-client makes."""

import json
import os
import uuid

from postilion_client import AuthenticatedClient
from postilion_client.api.apps import put_app
from postilion_client.api.catalogs import put_catalog
from postilion_client.api.changes import list_changes
from postilion_client.api.feedback import report_feedback
from postilion_client.api.installations import list_installations, put_installation
from postilion_client.api.keys import create_key
from postilion_client.api.rendering import render
from postilion_client.models.app import App
from postilion_client.models.app_settings import AppSettings
from postilion_client.models.arguments import Arguments
from postilion_client.models.audience import Audience
from postilion_client.models.audience_request import AudienceRequest
from postilion_client.models.change_page import ChangePage
from postilion_client.models.created_key import CreatedKey
from postilion_client.models.credential import Credential
from postilion_client.models.feedback_answer import FeedbackAnswer
from postilion_client.models.feedback_item import FeedbackItem
from postilion_client.models.feedback_report import FeedbackReport
from postilion_client.models.installation_page import InstallationPage
from postilion_client.models.key_request import KeyRequest
from postilion_client.models.key_request_kind import KeyRequestKind
from postilion_client.models.keyed_text import KeyedText
from postilion_client.models.message import Message
from postilion_client.models.parameter import Parameter
from postilion_client.models.parameters import Parameters
from postilion_client.models.put_catalog_body import PutCatalogBody
from postilion_client.models.registered_installation import RegisteredInstallation
from postilion_client.models.registration_report import RegistrationReport
from postilion_client.models.rendered_request import RenderedRequest
from postilion_client.models.reported_credential import ReportedCredential
from postilion_client.models.reported_credentials import ReportedCredentials
from postilion_client.models.reported_user import ReportedUser
from postilion_client.models.structured_alert import StructuredAlert
from postilion_client.models.uploaded_catalog import UploadedCatalog
from postilion_client.types import File

address, name = os.environ["POSTILION"], os.environ["APP"]
device = uuid.UUID(os.environ["INSTALLATION"])
token = os.environ["TOKEN"]
root = AuthenticatedClient(address, os.environ["ROOT_KEY"])

app = put_app.sync(name, client=root, body=AppSettings(bundle_id="com.example.food", name="Food"))
assert isinstance(app, App), app
key = create_key.sync(name, client=root, body=KeyRequest(KeyRequestKind.SENDER, label="orders"))
assert isinstance(key, CreatedKey), key
sender = AuthenticatedClient(address, key.key)

with open(os.environ["CATALOG"], "rb") as file:
    catalog = put_catalog.sync(
        name, "412", client=root, body=PutCatalogBody([File(file, "Localizable.xcstrings")]))
assert isinstance(catalog, UploadedCatalog), catalog

registered = put_installation.sync(name, device, client=sender, body=RegistrationReport(
    platform="ios", environment="production", languages=["fr-CA", "en-CA"],
    app_build="412", os_version="17.4.1", capabilities=["loc-key"], tags=["beta"],
    user=ReportedUser(id="u42"),
    credentials=ReportedCredentials(apns=ReportedCredential(token=token))))
assert isinstance(registered, RegisteredInstallation), registered

parameters, arguments = Parameters(), Arguments()
for parameter, value in {"name": "Zoé", "order": "A17"}.items():
    parameters[parameter] = Parameter(type_="string")
    arguments[parameter] = value
rendered = render.sync(name, client=sender, body=AudienceRequest(
    message=Message(
        alert=StructuredAlert(body=KeyedText(key="FOOD_READY", args=["name", "order"])),
        parameters=parameters, mutable_content=True),
    arguments=arguments, to=Audience(installation=device)))
assert isinstance(rendered, RenderedRequest), rendered
assert not isinstance(rendered.payload, str), rendered

page = list_installations.sync(
    name, client=sender, tag="beta", filter_=json.dumps({"user": "u42"}), limit=10)
assert isinstance(page, InstallationPage), page
credential = page.items[0].credentials.apns
assert isinstance(credential, Credential), page

answer = report_feedback.sync(name, client=sender, body=FeedbackReport(results=[
    FeedbackItem(token=token, environment="production", status=410, reason="Unregistered")]))
assert isinstance(answer, FeedbackAnswer), answer

changes = list_changes.sync(name, client=sender)
assert isinstance(changes, ChangePage), changes

print(json.dumps({
    "app": app.app, "kind": key.kind, "languages": catalog.languages,
    "applied": registered.applied, "path": rendered.path, "mode": rendered.mode,
    "payload": rendered.payload.to_dict(),
    "listed": [str(item.installation_id) for item in page.items],
    "token": credential.token,
    "decisions": [result.decision for result in answer.results],
    "events": [change.event for change in changes.items]}))
