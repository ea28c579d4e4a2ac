internal import JSON
internal import Localization

/// One thing as lines for people: a line for each member, structure further in.
///
///     bundle_id  com.example.food
///     languages  en fr
///     tokens
///       apns  740f4707
///     errors
///       - code  gone
///         count 2
struct Outline {
  private(set) var lines: [String] = []

  init(_ node: JSONNode) { add(node.content, indent: "") }

  private mutating func add(_ content: JSONNode.Content, indent: String) {
    switch content {
    case .scalar(let value): lines.append(indent + Printable.line(value.cell))
    case .object(let members): add(members, indent: indent)
    case .array(let elements):
      for element in elements {
        let first = lines.count
        add(element.content, indent: indent + "  ")
        guard lines.count > first else { continue }
        lines[first] = indent + "- " + lines[first].dropFirst(indent.count + 2)
      }
    }
  }

  private mutating func add(_ members: [JSONNode.Member], indent: String) {
    let width = members.filter { Self.line($0.value) != nil }
      .reduce(0) { max($0, $1.name.displayColumns) }
    for member in members {
      let name = Printable.line(member.name)
      if let line = Self.line(member.value) {
        let gap = String(repeating: " ", count: max(0, width - name.displayColumns) + 2)
        lines.append(indent + name + gap + line)
      } else {
        lines.append(indent + name)
        add(member.value.content, indent: indent + "  ")
      }
    }
  }

  /// A value that takes one line: a scalar, a list of scalars, something empty.
  private static func line(_ node: JSONNode) -> String? {
    switch node.content {
    case .scalar(let value): return Printable.line(value.cell)
    case .object(let members): return members.isEmpty ? "-" : nil
    case .array(let elements):
      var cells: [String] = []
      for element in elements {
        guard case .scalar(let value) = element.content else { return nil }
        cells.append(Printable.line(value.cell))
      }
      return cells.isEmpty ? "-" : cells.joined(separator: ", ")
    }
  }
}
