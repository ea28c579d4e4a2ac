import Foundation

/// `openapi.yaml`, read line by line as far as tests compare it: Foundation has no YAML, and the
/// file keeps to one form, two spaces a level and one key a line.
struct Contract {
  /// One operation.
  struct Operation: Hashable, CustomStringConvertible {
    var method: String
    var path: String
    var id = ""
    var keys = ""
    /// The bound of its body in bytes; `nil` without a body.
    var bodyBytes: Int?

    var description: String {
      "\(method) \(path) \(id) \(keys) \(bodyBytes.map(String.init) ?? "-")"
    }
  }

  let text: String
  private let lines: [Substring]

  init(_ text: String) {
    self.text = text
    lines = text.split(separator: "\n", omittingEmptySubsequences: false)
  }

  /// The file at the root of the repository.
  static let source: Contract = {
    let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
      .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
    let file = root.appendingPathComponent("openapi.yaml")
    return Contract((try? String(contentsOf: file, encoding: .utf8)) ?? "")
  }()

  /// Every operation below `paths`.
  var operations: [Operation] {
    var operations: [Operation] = []
    var section = Substring()
    var path = Substring()
    for line in lines {
      let indent = line.prefix { $0 == " " }.count
      let (key, value) = Self.entry(line)
      if indent == 0, !key.isEmpty { section = key }
      guard section == "paths" else { continue }
      switch (indent, key) {
      case (2, _): path = key
      case (4, "get"), (4, "put"), (4, "post"), (4, "patch"), (4, "delete"):
        operations.append(Operation(method: key.uppercased(), path: String(path)))
      case (6, "operationId"): operations.current?.id = String(value)
      case (6, "security"):
        let kinds = value.matches(of: /\{ (\w+): \[\][^}]*\}/).map { String($0.1) }
        operations.current?.keys =
          kinds.isEmpty ? "open" : Set(kinds).sorted().joined(separator: ",")
      case (8, "description") where value.hasPrefix("At most "):
        operations.current?.bodyBytes = Int(value.dropFirst(8).prefix { $0.isNumber })
      default: break
      }
    }
    return operations
  }

  /// The names of an operation's own parameters, those of `components` aside.
  func parameters(of operation: String) -> [String] {
    let start = lines.firstIndex { $0 == "      operationId: \(operation)" } ?? lines.endIndex
    return lines[start...].prefix { $0 != "      responses:" }.compactMap { line in
      line.firstMatch(of: /^        - (?:\{ )?name: '?([^',]+)/).map { String($0.1) }
    }
  }

  /// What is defined under `components`, as `schemas/App`.
  var components: [String] {
    var found: [String] = []
    var section = Substring()
    var group = Substring()
    for line in lines {
      let indent = line.prefix { $0 == " " }.count
      let (key, _) = Self.entry(line)
      if indent == 0, !key.isEmpty { section = key }
      guard section == "components", !key.isEmpty else { continue }
      if indent == 2 { group = key }
      if indent == 4 { found.append("\(group)/\(key)") }
    }
    return found
  }

  /// The codes that a schema's description lists: words of two parts or more between backquotes.
  func codes(in schema: String) -> Set<String> {
    let start = lines.firstIndex { $0 == "    \(schema):" } ?? lines.endIndex
    let description = lines[start...].dropFirst()
      .prefix { !$0.hasPrefix("      properties:") && $0.hasPrefix("      ") || $0.isEmpty }
    let words = description.joined(separator: "\n").matches(of: /`([a-z0-9]+(?:_[a-z0-9]+)+)`/)
    return Set(words.map { String($0.1) })
  }

  /// What is referred to, as `schemas/App`.
  var references: Set<String> {
    Set(
      text.components(separatedBy: "#/components/").dropFirst().map { rest in
        String(rest.prefix { $0 != "'" })
      })
  }

  /// Key and value of a line; empty for comments and items of lists.
  private static func entry(_ line: Substring) -> (key: Substring, value: Substring) {
    let content = line.drop { $0 == " " }
    guard let colon = content.firstIndex(of: ":"), !content.hasPrefix("#"),
      !content.hasPrefix("-")
    else { return ("", "") }
    let value = content[content.index(after: colon)...].drop { $0 == " " }
    return (content[..<colon], value)
  }
}

extension [Contract.Operation] {
  /// The one being read.
  fileprivate var current: Contract.Operation? {
    get { isEmpty ? nil : self[count - 1] }
    set { if let newValue, !isEmpty { self[count - 1] = newValue } }
  }
}
