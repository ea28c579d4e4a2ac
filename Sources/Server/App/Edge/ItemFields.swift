internal import JSON

/// The fields of a list's items: members of their JSON, in the order of their names, and columns of
/// the CSV form, in the order in which they stand here.
struct ItemFields<Item>: Sendable {
  let members: [ItemField<Item>]
  let columns: [ItemField<Item>]

  init(_ fields: [ItemField<Item>]) {
    members = fields.filter { $0.write != nil }.sorted { $0.name < $1.name }
    columns = fields.filter { $0.cell != nil }
  }

  func write(_ item: Item, to writer: inout JSONWriter) {
    writer.object { writer in
      for member in members { member.write?(item, &writer) }
    }
  }
}

struct ItemField<Item>: Sendable {
  let name: String
  /// Writes the member with its name; `nil` for a field that only tables have.
  let write: (@Sendable (Item, inout JSONWriter) -> Void)?
  /// The cell of an item, whose `nil` leaves it empty; `nil` for a field that only JSON has.
  let cell: (@Sendable (Item) -> String?)?

  /// The same field in JSON alone.
  var withoutColumn: Self { Self(name: name, write: write, cell: nil) }

  /// A text, or null.
  static func text(_ name: String, _ value: @escaping @Sendable (Item) -> String?) -> Self {
    Self(name: name, write: { $1.member(name, value($0)) }, cell: value)
  }

  /// A whole number, or null.
  static func number(_ name: String, _ value: @escaping @Sendable (Item) -> Int64?) -> Self {
    Self(
      name: name, write: { $1.member(name, value($0)) },
      cell: { item in value(item).map { String($0) } })
  }

  /// Words without spaces, or null.
  static func words(_ name: String, _ value: @escaping @Sendable (Item) -> [String]?) -> Self {
    Self(
      name: name,
      write: { item, writer in
        guard let words = value(item) else { return writer.member(name, String?.none) }
        writer.member(name, words)
      }, cell: { value($0)?.joined(separator: " ") })
  }

  /// A value that is JSON in both forms.
  static func json(_ name: String, _ value: @escaping @Sendable (Item) -> String) -> Self {
    Self(
      name: name,
      write: { item, writer in
        writer.key(name)
        writer.raw(value(item).utf8)
      }, cell: value)
  }

  /// A field that only JSON has.
  /// - Parameter write: Writes the member with its name, or nothing.
  static func member(
    _ name: String, _ write: @escaping @Sendable (Item, inout JSONWriter) -> Void
  ) -> Self {
    Self(name: name, write: write, cell: nil)
  }

  /// A field that only tables have.
  static func column(_ name: String, _ cell: @escaping @Sendable (Item) -> String?) -> Self {
    Self(name: name, write: nil, cell: cell)
  }
}
