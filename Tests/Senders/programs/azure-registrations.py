"""Azure's export of registrations, from the standard input, as installations of the same service.

One installation on each line, for an import with the format `azure`. A device that has more than
one registration becomes one installation.
"""

import json
import re
import sys
import xml.etree.ElementTree

installations = {}
text = ""
for line in sys.stdin:
    text += line
    if not line.rstrip().endswith("RegistrationDescription>"):
        continue  # The body of a template may have several lines.
    registration = xml.etree.ElementTree.fromstring(text)
    text = ""
    fields = {child.tag.rpartition("}")[2]: child.text for child in registration}
    if "DeviceToken" not in fields:
        continue  # Not of Apple.
    token = fields["DeviceToken"].lower()
    tags = [tag.strip() for tag in (fields.get("Tags") or "").split(",") if tag.strip()]
    names = {}
    for tag in tags:
        if found := re.fullmatch(r"\$(InstallationId|UserId):\{(.*)\}", tag):
            names[found[1]] = found[2]
    installation = installations.setdefault(
        token, {"platform": "apns", "pushChannel": token, "tags": [], "pushVariables": {}})
    # A template adds its name to the tags.
    installation["tags"] += [
        tag for tag in tags if not tag.startswith("$") and tag != fields.get("TemplateName")
        and tag not in installation["tags"]]
    installation["pushVariables"] |= json.loads(fields.get("PushVariables") or "{}")
    if "InstallationId" in names:
        installation["installationId"] = names["InstallationId"]
    if "UserId" in names:
        installation["userId"] = names["UserId"]
for installation in installations.values():
    print(json.dumps(installation))
