"""Writes the list of parts of a release in the form of SPDX 2.3 (https://spdx.github.io/spdx-spec).

    parts.py VERSION PROGRAM-FOLDER TARGET-FOLDER

The parts are the program, what is linked into it, the libraries of Debian that it loads, and all
packages of Debian in the images. Each was found in what is released: a symbol, a library's name, a
line of dpkg's list.
"""

import hashlib
import json
import pathlib
import re
import subprocess
import sys

# What comes with Swift and is linked in: its licence, and a symbol that shows that it is there.
LINKED = {
    "swift": ("Apache-2.0 WITH Swift-exception", "swift_retain"),
    "swift-corelibs-libdispatch": ("Apache-2.0 WITH Swift-exception", "dispatch_async_f"),
    "swift-corelibs-foundation": ("Apache-2.0 WITH Swift-exception", "CFGetTypeID"),
    "swift-foundation": ("Apache-2.0 WITH Swift-exception", "$s20FoundationEssentials4DataVMa"),
    "swift-foundation-icu": ("Unicode-3.0", "swift_ucal_open"),
}


def output(*command):
    """What a command says."""
    return subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout


def released(version):
    """The day of a release, of CHANGELOG.md."""
    return re.search(rf"(?m)^## \[{re.escape(version)}\] - (.*)$",
                     pathlib.Path("CHANGELOG.md").read_text())[1]


def part(name, version, licence="NOASSERTION", **more):
    """A package in the words of SPDX."""
    identifier = re.sub(r"[^A-Za-z0-9.-]", "-", f"{name}-{version}")
    return {"SPDXID": f"SPDXRef-{identifier}", "name": name, "versionInfo": version,
            "downloadLocation": "NOASSERTION", "licenseConcluded": licence,
            "licenseDeclared": licence, "copyrightText": "NOASSERTION", "filesAnalyzed": False,
            } | more


def of_debian(name, version):
    """A package of Debian."""
    name = name.split(":")[0]
    return part(name, version, externalRefs=[{
        "referenceCategory": "PACKAGE-MANAGER", "referenceType": "purl",
        "referenceLocator": f"pkg:deb/debian/{name}@{version.replace('+', '%2B')}"}])


def linked_parts(program):
    """What is in the program itself."""
    symbols = set(re.findall(r"(?m) (\S+)$", output("nm", str(program / "postilion.debug"))))
    missing = {name for name, (_, symbol) in LINKED.items() if symbol not in symbols}
    if missing:
        sys.exit(f"The program has none of the symbols of {', '.join(sorted(missing))}.")
    debug = output("strings", "--bytes=12", str(program / "postilion.debug"))
    swift = re.search(r"Swift version (\S+)", debug)[1]
    return [part(name, swift, licence) for name, (licence, _) in LINKED.items()]


def loaded_parts(program):
    """The packages of Debian whose libraries the program names."""
    needed = re.findall(r"NEEDED\s+(\S+)", output("objdump", "-p", str(program / "postilion")))
    found = re.findall(r"(\S+) => (\S+)", output("ldd", str(program / "postilion")))
    owners = set()
    for library, path in found:
        if library in needed:
            place = pathlib.Path(path)
            names = subprocess.run(
                ["dpkg", "--search", str(place), f"/usr{place}", str(place.resolve())],
                stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True).stdout
            owners |= set(re.findall(r"(?m)^(\S+): ", names))
    return [of_debian(*line.split("\t")) for line in output(
        "dpkg-query", "--show", *sorted(owners)).splitlines()]


def document(version, program, target):
    """The whole list."""
    day = released(version)
    product = part("postilion", version, "Apache-2.0", checksums=[{
        "algorithm": "SHA256",
        "checksumValue": hashlib.sha256((program / "postilion").read_bytes()).hexdigest()}])
    parts, relations = {product["SPDXID"]: product}, set()

    def relate(owner, kind, others):
        for other in others:
            parts.setdefault(other["SPDXID"], other)
            relations.add((owner["SPDXID"], kind, other["SPDXID"]))

    relate(product, "STATIC_LINK", linked_parts(program))
    relate(product, "DYNAMIC_LINK", loaded_parts(program))
    for archive in sorted(target.glob(f"*_{version}_*.oci.tar")):
        name = archive.name.split("_")[0]
        image = part(f"{name}-image", version, packageFileName=archive.name)
        lines = (program / f"{name}.packages").read_text().splitlines()
        relate(image, "CONTAINS", [product, *(of_debian(*line.split("\t")) for line in lines)])
        parts[image["SPDXID"]] = image
    describes = [("SPDXRef-DOCUMENT", "DESCRIBES", identifier)
                 for identifier, one in parts.items() if one["name"].startswith("postilion")]
    digest = hashlib.sha256(json.dumps(parts, sort_keys=True).encode()).hexdigest()
    return {
        "spdxVersion": "SPDX-2.3", "dataLicense": "CC0-1.0", "SPDXID": "SPDXRef-DOCUMENT",
        "name": f"postilion-{version}",
        "documentNamespace": f"https://postilion.invalid/spdx/{version}/{digest}",
        "creationInfo": {"created": f"{day}T00:00:00Z", "creators": ["Tool: deploy/parts.py"]},
        "packages": sorted(parts.values(), key=lambda one: one["SPDXID"]),
        "relationships": [
            {"spdxElementId": owner, "relationshipType": kind, "relatedSpdxElement": other}
            for owner, kind, other in sorted(describes + list(relations))]}


if __name__ == "__main__":
    version, program, target = sys.argv[1], pathlib.Path(sys.argv[2]), pathlib.Path(sys.argv[3])
    print(json.dumps(document(version, program, target), indent=1))
