internal import JSON

extension JSONValue {
  /// The value as a cell of a table shows it.
  var cell: String {
    switch self {
    case .null: "-"
    case .bool(let flag): flag ? "yes" : "no"
    case .integer(let number): String(number)
    case .double(let number): String(number)
    case .string(let text), .longNumber(let text): text
    case .array(let elements): elements.map(\.cell).joined(separator: " ")
    case .object(let members):
      members.sorted { $0.key < $1.key }.map { "\($0.key)=\($0.value.cell)" }
        .joined(separator: " ")
    }
  }
}
