import Foundation

/// The console blocks of a document: commands after `$ `, each followed by its output.
struct Quickstart {
  /// A command and its output.
  struct Step: Sendable {
    var command: String
    /// Lines of output as the document shows them.
    var output: [String]
    /// The line of the document on which the command begins, counted from 1.
    var line: Int
  }

  /// The documents whose commands are run, each with a service of its own.
  static let documents = [
    "README.md", "docs/quickstart.md", "docs/command-line.md", "docs/live-activities.md",
    "docs/moving.md",
  ]
  /// Scripts with the commands of other services, which a document calls.
  static let services = ["docs/moving.md": "Tests/Fixtures/Moving/services.sh"]
  /// Files that the reader of a document has, or saves from it.
  static let files = [
    "docs/moving.md": [
      "Tests/Fixtures/Moving/table.csv", "Tests/Senders/programs/azure-registrations.py",
    ]
  ]

  private let lines: [String]
  /// The steps in reading order.
  let steps: [Step]

  /// Reads a document. Indented lines go on with the command before; the first line of an output
  /// is not indented.
  init(_ text: String) {
    lines = text.components(separatedBy: "\n")
    var steps: [Step] = []
    var isConsole = false
    for (index, line) in lines.enumerated() {
      if line.hasPrefix("```") {
        isConsole = line == "```console"
      } else if isConsole, line.hasPrefix("$ ") {
        steps.append(Step(command: String(line.dropFirst(2)), output: [], line: index + 1))
      } else if isConsole, !steps.isEmpty {
        if line.hasPrefix("  "), steps[steps.count - 1].output.isEmpty {
          steps[steps.count - 1].command += "\n" + line
        } else {
          steps[steps.count - 1].output.append(line)
        }
      }
    }
    self.steps = steps
  }

  /// The commands that a reader types before `make run`.
  var preparation: String? {
    guard let start = lines.firstIndex(of: "make run"),
      let fence = lines[..<start].lastIndex(of: "```sh")
    else { return nil }
    return lines[(fence + 1)..<start].joined(separator: "\n")
  }

  /// The document with other outputs.
  func text(outputs: [[String]]) -> String {
    var lines = lines
    for (step, output) in zip(steps, outputs).reversed() {
      let start = step.line - 1 + step.command.components(separatedBy: "\n").count
      lines.replaceSubrange(start..<start + step.output.count, with: output)
    }
    return lines.joined(separator: "\n")
  }

  /// An output without what is different each time: ids, times, keys, secrets, versions and sizes.
  static func normalized(_ line: String) -> String {
    var text = line
    for (pattern, replacement) in [
      ("[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}", "<uuid>"),
      (#"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z"#, "<time>"),
      ("pst_([a-z]+)_[A-Za-z0-9_-]{32}", "<$1 key>"),
      (#""installation_secret": ?"[A-Za-z0-9_-]+""#, #""installation_secret": "<secret>""#),
      (#""request_id":"[A-Za-z0-9-]+""#, #""request_id":"<id>""#),
      ("PostgreSQL [0-9.]+", "PostgreSQL <version>"), ("[0-9]+ MB", "<number> MB"),
      ("m[0-9]{4}_[a-z_]+", "<step>"), ("_20[0-9]{2}_[01][0-9]", "_<month>"),
      (#""apns-expiration":"\d+""#, #""apns-expiration":"<time>""#),
      (#""(timestamp|stale-date|dismissal-date)":\d+"#, #""$1":<time>"#),
    ] {
      text = text.replacingOccurrences(
        of: pattern, with: replacement, options: .regularExpression)
    }
    return text
  }
}
