"""Makes the reference of the API, which the service has at /docs, of openapi.yaml.

    reference.py < openapi.yaml > reference.html

`make reference` runs it. The page looks as the console does. All of it is there without its script,
which adds a search to the contents. Operations stand at `#operation-<operationId>`, schemas at
`#schema-<name>`.
"""

import html
import json
import re
import sys

import yaml
from markdown_it import MarkdownIt

# How long a line of an example becomes before its members get lines of their own: what a phone
# shows without much turning.
EXAMPLE_COLUMNS = 76


# MARK: The contract


class Loader(yaml.CSafeLoader):
    """Reads YAML, and does not silently take the last of two members with one name."""

    def construct_mapping(self, node, deep=False):
        members = super().construct_mapping(node, deep)
        if len(members) < len(node.value):
            sys.exit(f"A name is there twice: {node.start_mark}")
        return members


CONTRACT = yaml.load(sys.stdin.buffer, Loader)
INFO, PARTS = CONTRACT["info"], CONTRACT["components"]
SCHEMAS, FIELDS, ANSWERS = PARTS["schemas"], PARTS["headers"], PARTS["responses"]


def resolved(value):
    """The target of a reference, or the value itself."""
    target = CONTRACT if "$ref" in value else value
    for name in value.get("$ref", "").split("/")[1:]:
        target = target[name]
    return target


def last(reference):
    """`App` of `#/components/schemas/App`."""
    return reference.rpartition("/")[2]


def place(reference):
    """The place of a shared part on the page: `#schema-App` of `#/components/schemas/App`."""
    kind = {"schemas": "schema", "headers": "header", "responses": "answer"}
    return f"#{kind[reference.split('/')[2]]}-{last(reference)}"


def problems(operation):
    """The answers that tell of problems which operations share: status and reference."""
    return [(status, answer["$ref"]) for status, answer in operation["responses"].items()
            if status >= "400" and "$ref" in answer]


def examples(media):
    """The examples of a media type."""
    if "example" in media:
        return [media["example"]]
    return [resolved(example)["value"] for example in media.get("examples", {}).values()]


# Path, method and operation, in the order of the document.
OPERATIONS = [
    (path, method.upper(), operation | {
        "parameters": item.get("parameters", []) + operation.get("parameters", [])})
    for path, item in CONTRACT["paths"].items() for method, operation in item.items()
    if method in ("get", "put", "post", "patch", "delete")]
# Where words in code lead: `App` to its schema.
PLACES = ({name: f"#schema-{name}" for name in SCHEMAS}
          | {one["operationId"]: f"#operation-{one['operationId']}" for _, _, one in OPERATIONS})


# MARK: Pieces of HTML


def escaped(text):
    return html.escape(text, quote=False)


def element(name, *content, **attributes):
    """An element. Its content is HTML already; `aria_label` is the attribute `aria-label`."""
    attributes = "".join(f' {attribute.strip("_").replace("_", "-")}="{html.escape(value)}"'
                         for attribute, value in attributes.items())
    end = "" if name in ("a", "code", "span", "strong") else "\n"
    return f"<{name}{attributes}>{''.join(content)}</{name}>{end}"


def code(text):
    return element("code", escaped(text))


def linked(text):
    """Code, with a link if it names a schema or an operation."""
    return element("a", code(text), href=PLACES[text]) if text in PLACES else code(text)


def member(name, *text):
    """The first line of a member: its name, and more words behind it."""
    return element("div", element("span", name, class_="name"), *text, class_="member")


def members(items):
    return element("ul", *items, class_="members")


def quiet(*text):
    return element("p", *text, class_="quiet")


def badge(text):
    return " " + element("span", text, class_="badge")


def block(text):
    """Code in lines."""
    return element("div", element("pre", code(text), tabindex="0"), class_="code")


# Descriptions are CommonMark, as OpenAPI 3.1 says, with tables.
MARKDOWN = MarkdownIt("commonmark", {"html": False}).enable("table")
for token, made in {"code_inline": linked, "code_block": block}.items():
    MARKDOWN.add_render_rule(token, lambda _, tokens, index, *rest, made=made: made(
        tokens[index].content))
for token, text in {
        "bullet_list_open": '<ul class="points">\n', "th_open": '<th scope="col">',
        "table_open": '<div class="table" tabindex="0" role="group"><table>\n',
        "table_close": "</table></div>\n"}.items():
    MARKDOWN.add_render_rule(token, lambda *_, text=text: text)
words = MARKDOWN.renderInline


def description(value):
    return MARKDOWN.render(value.get("description", ""))


# MARK: Examples


def compact(value):
    return json.dumps(value, ensure_ascii=False)


def plain(value):
    """A text as it is, anything else as JSON."""
    return value if isinstance(value, str) else compact(value)


def readable(value, indent=0, used=0):
    """JSON on one line while it is short, otherwise with a line for each member."""
    short = compact(value)
    if used + len(short) <= EXAMPLE_COLUMNS or not isinstance(value, (dict, list)):
        return short
    start, end = "{}" if isinstance(value, dict) else "[]"
    items = ([(f"{compact(name)}: ", item) for name, item in value.items()]
             if isinstance(value, dict) else [("", item) for item in value])
    margin = "\n" + " " * (indent + 2)
    return start + ",".join(
        margin + name + readable(item, indent + 2, indent + len(name) + 3)
        for name, item in items) + margin[:-2] + end


def example_text(value):
    """An example; a text alone is no JSON, but a file as it is sent."""
    return value if isinstance(value, str) else readable(value)


def quoted(text):
    """A word of a shell, whatever it holds."""
    return "'" + text.replace("'", r"'\''") + "'"


def command(path, method, operation, media=None, example=None):
    """An operation as a command for a shell; each parameter of the path is a variable."""
    address = re.sub(r"\{(\w+)\}", lambda name: f"${name[1].upper()}", path)
    parts = [f'curl "$POSTILION_URL{address}"']
    if method != ("POST" if media else "GET"):
        parts.append(f"-X {method}")
    if operation["security"]:
        parts.append('-H "Authorization: Bearer $POSTILION_KEY"')
    if media == "application/json":
        parts.append(f"--json {quoted(example_text(example))}")
    elif media == "multipart/form-data":
        parts += [f'-F "{name}=@$FILE;filename=$FILE"' for name in example]
    elif media:
        parts += [f"-H 'Content-Type: {media}'", f"--data-binary {quoted(example_text(example))}"]
    return block(" \\\n  ".join(parts))


# MARK: Schemas (JSON Schema 2020-12)


def types(schema):
    """The words of `type`, and whether `null` is one beside others."""
    names = schema.get("type", [])
    names = [names] if isinstance(names, str) else names
    others = [name for name in names if name != "null"]
    return others or names, 0 < len(others) < len(names)


def choices(schema):
    """The schemas of which one must hold, without those that only demand members."""
    return [one for one in schema.get("anyOf", []) + schema.get("oneOf", [])
            if list(one) != ["required"]]


def others(schema):
    """What members with any other name are; empty if there is nothing to say."""
    more = schema.get("additionalProperties")
    return more if isinstance(more, dict) else {}


def is_structured(schema):
    """Whether the schema has something to say that needs lines of its own."""
    return bool(
        "properties" in schema or "patternProperties" in schema or others(schema)
        or any(map(is_detailed, choices(schema)))
        or any(map(is_structured, schema.get("allOf", [])))
        or "items" in schema and is_detailed(schema["items"]))


def is_detailed(schema):
    return "description" in schema or is_structured(schema)


def span(schema, unit, least, most):
    """`1 to 64 bytes`, `at least 1 byte`, `at most 9`."""
    least, most = schema.get(least), schema.get(most)
    number = least if most is None else most
    if number is None:
        return []
    unit = unit and f" {unit}" + "s" * (number != 1)
    if most is None or least is None:
        return [f"at {'least' if most is None else 'most'} {number}{unit}"]
    return [f"{number}{unit}" if least == most else f"{least} to {most}{unit}"]


def bounds(schema):
    """What a value must be, beside its type."""
    found = []
    words = schema.get("enum", schema.get("x-extensible-enum", []))
    if listed := [linked(plain(word)) for word in words if word is not None]:
        found.append("one of " * ("type" in schema) + " ".join(listed))
    found += span(schema, "byte", "minLength", "maxLength")
    found += span(schema, "", "minimum", "maximum")
    found += span(schema, "element", "minItems", "maxItems")
    found += span(schema, "member", "minProperties", "maxProperties")
    if "pattern" in schema:
        found.append(f"matches {linked(schema['pattern'])}")
    if names := schema.get("propertyNames"):
        rules = [linked(last(names["$ref"]))] if "$ref" in names else bounds(names)
        found.append(f"names {', '.join(rules)}")
    if "const" in schema.get("not", {}):
        found.append(f"not {linked(compact(schema['not']['const']))}")
    if "default" in schema:
        found.append(f"{linked(compact(schema['default']))} unless given")
    if usual := [linked(plain(example)) for example in schema.get("examples", [])]:
        found.append(f"such as {', '.join(usual)}")
    if demanded := [" and ".join(map(linked, one["required"])) for one in schema.get("anyOf", [])
                    if list(one) == ["required"]]:
        found.append(f"with {' or '.join(demanded)}")
    return found


def kind(schema):
    """The type in words, without bounds."""
    if "$ref" in schema:
        return element("a", last(schema["$ref"]), href=place(schema["$ref"]))
    if "const" in schema:
        return code(compact(schema["const"]))
    several = choices(schema)
    if several and not any(map(is_detailed, several)):
        return " or ".join(map(type_words, several))
    if parts := [part for part in schema.get("allOf", []) if "$ref" in part]:
        return " and ".join(map(kind, parts)) + ", with more" * ("properties" in schema)
    names, _ = types(schema)
    if not names:
        return ("one of" if "enum" in schema else
                "one of the following" if several else "any value")
    text = " or ".join(names) + (f" ({schema['format']})" if "format" in schema else "")
    if "array" not in names or "items" not in schema:
        return text
    items = schema["items"]
    # The words behind a comma describe the array again.
    is_bounded = "$ref" not in items and bounds(items)
    return f"{text} of ({type_words(items)})" if is_bounded else f"{text} of {type_words(items)}"


def type_words(schema):
    """Type and bounds in one line: `array of Text, at most 64 elements, or null`."""
    return ", ".join([kind(schema), *bounds(schema)]) + ", or null" * types(schema)[1]


def type_span(schema):
    return element("span", type_words(schema), class_="type")


def details(schema):
    """The parts that do not fit a line: the description, the members, and the choices."""
    parts = [description(schema)]
    if not is_structured(schema):
        return parts[0]
    parts += [details(part) for part in schema.get("allOf", []) if "$ref" not in part]
    parts.append(properties(schema))
    several = choices(schema)
    if any(map(is_detailed, several)):
        parts += [quiet("One of the following:")] * bool(types(schema)[0])
        parts.append(members(element("li", type_span(one), details(one)) for one in several))
    if "items" in schema and is_detailed(schema["items"]):
        parts += [quiet("Each element:"), details(schema["items"])]
    return "".join(parts)


def properties(schema):
    """The members of an object, each with its name, its type and its details."""
    entries = [(code(name), value, name in schema.get("required", []))
               for name, value in schema.get("properties", {}).items()]
    entries += [(f"names like {code(name)}", value, False)
                for name, value in schema.get("patternProperties", {}).items()]
    if others(schema):
        entries.append(("any other name" if entries else "any name", others(schema), False))
    return members(
        element("li", member(name, " ", type_span(value), badge("required") * is_required),
                details(value))
        for name, value, is_required in entries) if entries else ""


# MARK: Operations


def such_as(text):
    return element("p", "Such as ", code(text))


def parameter(value):
    """A parameter with its name, its place, its type and its details."""
    media, content = next(iter(value.get("content", {}).items()), ("", {}))
    where = {"path": "path", "query": "query", "header": "header field"}[value["in"]]
    text = type_words(value.get("schema") or content["schema"]) + (media and f", as {media}")
    is_required = value.get("required", False) and where != "path"
    return element(
        "li", member(code(value["name"]), " ", element("span", f"{where} · {text}", class_="type"),
                     badge("required") * is_required),
        description(value), *[such_as(compact(one)) for one in examples(content)],
        details(value.get("schema", {})))


def media_types(content, shows_examples=False):
    """Media types with their schemas and examples."""
    items = []
    for name, media in content.items():
        schema = media.get("schema", {})
        shown = [block(example_text(one)) for one in examples(media) if shows_examples]
        items.append(element(
            "li", member(code(name), f" {type_span(schema)}" if schema else ""), details(schema),
            element("details", element("summary", "Example"), *shown) if shown else ""))
    return members(items)


def answer(value, status=""):
    """The contents of an answer, behind its status unless that stands above."""
    fields = [element("a", code(name), href=place(field["$ref"])) if "$ref" in field
              else code(name) for name, field in value.get("headers", {}).items()]
    return "".join([
        element("div", status, words(value["description"]), class_="member"),
        quiet("Header fields: ", ", ".join(fields)) if fields else "",
        media_types(value["content"], shows_examples=True) if "content" in value else ""])


def phrase(reference):
    """A name as words: `not found` of `#/components/responses/NotFound`."""
    return re.sub(r"(?<!^)(?=[A-Z])", " ", last(reference)).lower()


def problem_link(status, reference):
    return element("li", element("a", element("strong", status), f" {phrase(reference)}",
                                 href=place(reference), class_="badge"))


def operation_section(path, method, operation):
    """What an operation does, who may call it, what it takes and answers, and commands for it."""
    body = operation.get("requestBody", {})
    at = f"operation-{operation['operationId']}"
    keys = [" + ".join(choice) for choice in operation["security"]]
    known = problems(operation)
    calls = [command(path, method, operation, media, example)
             for media, value in body.get("content", {}).items() for example in examples(value)]
    route = [element("span", method, class_=f"method {method.lower()}"), " ", code(path)]
    parts = [
        element("h3", element("a", *route, href=f"#{at}", class_="route"), id=f"{at}-name"),
        element("p", words(operation["summary"]), class_="summary"), description(operation),
        element("p", "Keys:" + "".join(map(badge, keys)) if keys else "Needs no key.",
                " · ", code(operation["operationId"]), class_="keys quiet")]
    if operation["parameters"]:
        parts += [element("h4", "Parameters"),
                  members(parameter(resolved(one)) for one in operation["parameters"])]
    if body:
        parts += [element("h4", "Body"), description(body), media_types(body["content"])]
    parts += [element("h4", "Answers"), members(
        element("li", answer(resolved(one), element("strong", status) + " "))
        for status, one in operation["responses"].items() if status not in dict(known))]
    if known:
        links = [problem_link(*one) for one in known]
        parts += [quiet("Problems:"), element("ul", *links, class_="problem-links")]
    parts += [element("h4", "Example"), *(calls or [command(path, method, operation)])]
    return element("section", *parts, id=at, class_="panel", aria_labelledby=f"{at}-name")


# MARK: Parts of the page


def group(at, name, text):
    return element("div", element("h2", name), text, id=at, class_="group")


def operations(tag):
    return [one for one in OPERATIONS if one[2]["tags"] == [tag["name"]]]


def title(tag):
    return tag["name"][0].upper() + tag["name"][1:]


def tag_section(tag):
    return group(f"tag-{tag['name']}", title(tag), description(tag)) + "".join(
        operation_section(*one) for one in operations(tag))


def entry(at, *text, **attributes):
    """A link of the contents."""
    return element("a", *text, href=f"#{at}", **attributes)


def contents():
    items = [entry("introduction", "Introduction")]
    for tag in CONTRACT["tags"]:
        links = [element("li", entry(f"operation-{one['operationId']}", words(one["summary"]), " ",
                                     code(one["operationId"]))) for _, _, one in operations(tag)]
        items.append(entry(f"tag-{tag['name']}", title(tag), class_="group")
                     + element("ul", *links))
    schemas = [element("li", entry(f"schema-{name}", name)) for name in SCHEMAS]
    items += [entry("problems", "Problems", class_="group"),
              entry("fields", "Header fields", class_="group"),
              entry("schemas", "Schemas", class_="group") + element(
                  "details", element("summary", f"All {len(schemas)}"), element("ul", *schemas))]
    return element("ul", *[element("li", item) for item in items])


def problem_section(status, reference):
    """A problem with its codes, of which the table of `Problem` has those of all statuses."""
    rows = [row.split("|")[2:] for row in SCHEMAS["Problem"]["description"].split("\n")
            if row.startswith(f"| {status} |")]
    codes = [element("li", words("".join(row))) for row in rows]
    return element(
        "section", element("h3", element("a", f"{status} {phrase(reference)}",
                                         href=place(reference), class_="route")),
        answer(resolved({"$ref": reference})),
        quiet("Codes:") + element("ul", *codes, class_="points") if codes else "",
        id=place(reference)[1:], class_="panel")


def problem_sections():
    used = {reference: status for _, _, operation in reversed(OPERATIONS)
            for status, reference in reversed(problems(operation))}
    shared = [f"#/components/responses/{name}" for name in ANSWERS]
    return "".join(problem_section(*one) for one in sorted(
        ((used[reference], reference) for reference in shared if reference in used),
        key=lambda one: one[0]))


def field_item(key, field):
    """A header field, under the name by which answers refer to it."""
    names = [name for one in ANSWERS.values() for name, value in one.get("headers", {}).items()
             if value.get("$ref") == f"#/components/headers/{key}"]
    return element(
        "li", member(code([*names, key][0]), " ", type_span(field["schema"])), description(field),
        *[such_as(plain(one)) for one in examples(field)], id=f"header-{key}")


def schema_section(name, schema):
    at = f"schema-{name}"
    return element(
        "section", element("h3", entry(at, name, class_="route"), id=f"{at}-name"),
        element("p", type_words(schema), class_="type"), details(schema),
        id=at, class_="panel", aria_labelledby=f"{at}-name")


sys.stdout.reconfigure(encoding="utf-8")
print(f"""<!DOCTYPE html>
<html lang="en"><head><meta charset="utf-8"/>
<meta name="viewport" content="width=device-width, initial-scale=1"/>
<meta name="color-scheme" content="light dark"/>
<title>{INFO["title"]} API</title>
<link rel="icon" href="/console/icon.svg" type="image/svg+xml"/>
<link rel="stylesheet" href="/console/console.css"/>
<link rel="stylesheet" href="/console/reference.css"/>
<script type="module" src="/console/reference.js"></script></head>
<body class="reference"><a class="skip" href="#content">Skip to the content</a>
<header class="top">
<a class="brand" href="/"><img src="/console/icon.svg" alt="" width="24" height="24"/>Postilion</a>
<span class="spring"></span>
<a class="button plain to-contents" href="#contents">Contents</a>
<a class="button plain to-document" href="/openapi.yaml">openapi.yaml</a>
<a class="button plain" href="/">Console</a></header>
<div class="frame">
<nav id="contents" class="nav contents" aria-label="Contents">
{contents()}</nav>
<main id="content" class="content" tabindex="-1">
<h1>{INFO["title"]} API</h1>
<section id="introduction" class="panel">
<p class="summary">{escaped(INFO["summary"])}</p>
{description(INFO)}{"".join(map(description, PARTS["securitySchemes"].values()))}
<p>The examples are for a shell with the address of the service in <code>POSTILION_URL</code>, a key
in <code>POSTILION_KEY</code>, and each parameter of the path in a variable of its name. Programs
read <a href="/openapi.yaml">openapi.yaml</a>, from which this page is made.</p></section>
{"".join(map(tag_section, CONTRACT["tags"]))}
<div id="problems" class="group"><h2>Problems</h2>
<p>What went wrong, as a <a href="#schema-Problem"><code>Problem</code></a>, which lists the codes
of each status.</p></div>
{problem_sections()}
<div id="fields" class="group"><h2>Header fields</h2><p>Those of answers.</p></div>
<section class="panel" aria-label="Header fields">
{members(field_item(*one) for one in FIELDS.items())}</section>
<div id="schemas" class="group"><h2>Schemas</h2><p>What bodies and answers are made of.</p></div>
{"".join(schema_section(*one) for one in SCHEMAS.items())}</main></div></body></html>""")
