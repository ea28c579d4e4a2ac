import Testing

@testable import APIReference

/// What the page says, piece by piece.
@Suite struct ReferenceTextTests {
  private func html(_ write: (inout HTMLText) -> Void) -> String {
    var html = HTMLText()
    write(&html)
    return String(decoding: html.bytes, as: UTF8.self)
      .replacing("<!DOCTYPE html>\n", with: "").replacing("\n", with: "")
  }

  private func value(_ text: String) throws -> YAMLValue {
    try YAMLReader.value(of: Array("a: \(text)\n".utf8))["a"] ?? .null
  }

  static let descriptions: [(String, String)] = [
    ("a", "<p>a</p>"),
    ("a\nb\n\nc\n", "<p>a b</p><p>c</p>"),
    ("**A.** b", "<p><strong>A.</strong> b</p>"),
    ("2 * 3", "<p>2 * 3</p>"),
    ("`a` and `App`", ##"<p><code>a</code> and <a href="#schema-App"><code>App</code></a></p>"##),
    (
      "`<b>` & \"**c**\" <script>",
      "<p><code>&lt;b&gt;</code> &amp; &quot;<strong>c</strong>&quot; &lt;script&gt;</p>"
    ),
    (
      "a:\n\n- b\n  c\n- `d`",
      #"<p>a:</p><ul class="points"><li>b c</li><li><code>d</code></li></ul>"#
    ),
    ("a:\n- b", #"<p>a:</p><ul class="points"><li>b</li></ul>"#),
    (
      "| a | b |\n|---|---|\n| `c` | <d> |",
      #"<div class="table" tabindex="0" role="group"><table>"#
        + #"<thead><tr><th scope="col">a</th><th scope="col">b</th></tr></thead>"#
        + "<tbody><tr><td><code>c</code></td><td>&lt;d&gt;</td></tr></tbody></table></div>"
    ),
  ]

  @Test(arguments: descriptions) func aDescriptionIsMarkedUp(text: String, expected: String) {
    let markup = Markup(places: ["App": "schema-App"])
    #expect(html { markup.write(text, to: &$0) } == expected)
  }

  static let types: [(String, String)] = [
    ("{ type: string, format: uuid }", "string (uuid)"),
    ("{ type: string, minLength: 1, maxLength: 64 }", "string, 1 to 64 bytes"),
    ("{ type: string, minLength: 1 }", "string, at least 1 byte"),
    ("{ type: [string, 'null'], maxLength: 1 }", "string, at most 1 byte, or null"),
    ("{ type: integer, minimum: 0, default: 5 }", "integer, at least 0, `5` unless given"),
    ("{ type: integer, minimum: 1, maximum: 9 }", "integer, 1 to 9"),
    ("{ type: string, enum: [a, b] }", "string, one of `a` `b`"),
    ("{ enum: [a, null] }", "one of, `a`"),
    ("{ const: x }", "`&quot;x&quot;`"),
    ("{ $ref: '#/components/schemas/App' }", "<App>"),
    (
      "{ type: array, maxItems: 3, items: { $ref: '#/components/schemas/App' } }",
      "array of <App>, at most 3 elements"
    ),
    (
      "{ type: array, minItems: 1, items: { type: string, maxLength: 9 } }",
      "array of (string, at most 9 bytes), at least 1 element"
    ),
    ("{ anyOf: [{ $ref: '#/components/schemas/App' }, { type: 'null' }] }", "<App> or null"),
    ("{ type: string, pattern: '^<a>$' }", "string, matches `^&lt;a&gt;$`"),
    ("{ type: string, not: { const: server } }", "string, not `&quot;server&quot;`"),
    (
      "{ type: object, anyOf: [{ required: [a] }, { required: [b, c] }] }",
      "object, with `a` or `b` and `c`"
    ),
    ("{ type: string, examples: [a, b] }", "string, such as `a`, `b`"),
    ("{ description: a }", "any value"),
  ]

  @Test(arguments: types) func aTypeIsToldInWords(schema: String, expected: String) throws {
    let schema = try value(schema)
    let text = html { SchemaText(markup: Markup(places: [:])).writeType(schema, to: &$0) }
      .replacing("<code>", with: "`").replacing("</code>", with: "`")
      .replacing("<a href=\"#schema-App\">App</a>", with: "<App>")
    #expect(text == expected)
  }

  @Test func membersAreWithinEachOther() throws {
    let schema = try value(
      "{ type: object, required: [b], properties: { a: { type: object, properties: "
        + "{ c: { type: string, description: 'The <c>.' } } }, b: { type: integer } }, "
        + "additionalProperties: { type: boolean } }")
    let text = html { SchemaText(markup: Markup(places: [:])).writeDetails(schema, to: &$0) }
      .replacing(#/ class="[a-z]+"/#, with: "").replacing(#/</?(span|div)>/#, with: "")
    #expect(
      text == "<ul><li><code>a</code> object<ul><li><code>c</code> string<p>The &lt;c&gt;.</p></li>"
        + "</ul></li><li><code>b</code> integer required</li><li>any other name boolean</li></ul>")
  }

  static let examples: [(String, String)] = [
    ("{a: 1, b: [x, null]}", #"{"a": 1, "b": ["x", null]}"#),
    (#""a\nb""#, "a\nb"),
    (#"["a\nb\t\"\\\u0001"]"#, #"["a\nb\t\"\\\u0001"]"#),
    (
      "{a: \(String(repeating: "x", count: 70)), b: [1]}",
      "{\n  \"a\": \"\(String(repeating: "x", count: 70))\",\n  \"b\": [1]\n}"
    ),
  ]

  @Test(arguments: examples) func anExampleIsReadable(yaml: String, expected: String) throws {
    #expect(ExampleText.text(try value(yaml)) == expected)
  }

  @Test func aCommandIsQuotedForTheShell() throws {
    let contract = Contract(
      try YAMLReader.value(
        of: Array(
          """
          paths:
            /v1/apps/{app}:
              put: { operationId: putApp, x-postilion-keys: root }
          """.utf8)))
    let operation = try #require(contract.operations.first)
    let command = CurlCommand(operation, body: ("application/json", try value("{name: Ada's}")))
    #expect(
      command.text == """
        curl "$POSTILION_URL/v1/apps/$APP" \\
          -X PUT \\
          -H "Authorization: Bearer $POSTILION_KEY" \\
          --json '{"name": "Ada'\\''s"}'
        """)
  }
}
