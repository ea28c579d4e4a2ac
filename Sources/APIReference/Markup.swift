/// Writes a description of the contract, which is CommonMark as OpenAPI 3.1 says (section 3.1), as
/// far as ours go: paragraphs, lists of `-`, tables, `code` and **strong** words.
///
/// | text | HTML |
/// |---|---|
/// | `a` and behind an empty line `b` | `<p>a</p><p>b</p>` |
/// | `- a` and below it `- b` | `<ul><li>a</li><li>b</li></ul>` |
/// | `**a** <b>` | `<p><strong>a</strong> &lt;b&gt;</p>` |
struct Markup {
  /// The places of this page that code may name: `App` leads to its schema.
  let places: [String: String]

  /// Writes a whole description.
  func write(_ description: String, to html: inout HTMLText) {
    let lines = description.split(separator: "\n", omittingEmptySubsequences: false)
    for block in lines.split(whereSeparator: \.isEmpty) {
      writeBlock(block.map(String.init), to: &html)
    }
  }

  /// A block may begin as a paragraph and go on as a list.
  private func writeBlock(_ lines: [String], to html: inout HTMLText) {
    let start = lines.firstIndex { $0.hasPrefix("- ") || $0.hasPrefix("|") } ?? lines.endIndex
    if start > 0 { html.element("p") { write(inline: joined(lines[..<start]), to: &$0) } }
    guard start < lines.endIndex else { return }
    if lines[start].hasPrefix("|") {
      writeTable(lines[start...].filter { $0.hasPrefix("|") }, to: &html)
    } else {
      writeList(lines[start...], to: &html)
    }
  }

  private func writeList(_ lines: ArraySlice<String>, to html: inout HTMLText) {
    var items: [[String]] = []
    for line in lines {
      if line.hasPrefix("- ") {
        items.append([String(line.dropFirst(2))])
      } else {
        items[items.count - 1].append(line)
      }
    }
    html.element("ul", ["class": "points"]) { html in
      for item in items {
        html.element("li") { write(inline: joined(item[...]), to: &$0) }
      }
    }
  }

  private func writeTable(_ lines: [String], to html: inout HTMLText) {
    let rows = lines.filter { !$0.hasPrefix("|-") }.map { line in
      line.split(separator: "|").map { trimmed($0) }
    }
    guard let head = rows.first else { return }
    html.element("div", ["class": "table", "tabindex": "0", "role": "group"]) { html in
      html.element("table") { html in
        html.element("thead") {
          $0.element("tr") { html in
            for cell in head {
              html.element("th", ["scope": "col"]) { write(inline: cell, to: &$0) }
            }
          }
        }
        html.element("tbody") { html in
          for row in rows.dropFirst() {
            html.element("tr") { html in
              for cell in row { html.element("td") { write(inline: cell, to: &$0) } }
            }
          }
        }
      }
    }
  }

  /// Writes words: what is between backquotes as code, what is between double stars as strong.
  func write(inline words: String, to html: inout HTMLText) {
    for (index, part) in words.split(separator: "`", omittingEmptySubsequences: false).enumerated()
    {
      if index % 2 == 1 {
        if let place = places[String(part)] {
          html.codeLink(to: place, String(part))
        } else {
          html.element("code", text: String(part))
        }
        continue
      }
      for (index, part) in strongParts(part).enumerated() {
        if index % 2 == 1 { html.element("strong", text: part) } else { html.text(part) }
      }
    }
  }

  /// The texts before, within, behind each pair of double stars.
  private func strongParts(_ text: Substring) -> [String] {
    var parts = [""]
    var last: Character?
    for character in text {
      if character == "*", last == "*" {
        parts[parts.count - 1].removeLast()
        parts.append("")
        last = nil
        continue
      }
      parts[parts.count - 1].append(character)
      last = character
    }
    return parts
  }

  private func joined(_ lines: ArraySlice<String>) -> String {
    lines.map { trimmed($0[...]) }.joined(separator: " ")
  }

  private func trimmed(_ text: Substring) -> String {
    String(text.drop { $0 == " " }.reversed().drop { $0 == " " }.reversed())
  }
}
