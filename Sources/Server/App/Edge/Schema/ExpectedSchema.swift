/// The tables, columns, unique keys, sequences, types and functions that this program needs, a line
/// for each, as a migrated database has them. `make goldens` writes them into `sql/columns.txt`.
///
///     installation a table
///     installation.time_zone text
///     installation(app_id,installation_id) unique
///     clean_filter_index() function
struct ExpectedSchema: Sendable {
  private let parts: [SchemaPart]
  private let definitions: [String: String]

  /// The schema that the program was built with.
  static let own = ExpectedSchema(String(decoding: Resources.columns, as: UTF8.self))

  init(_ text: String) {
    parts = text.split(separator: "\n").compactMap { line in
      line.firstIndex(of: " ").map {
        SchemaPart(name: String(line[..<$0]), definition: String(line[line.index(after: $0)...]))
      }
    }
    definitions = Dictionary(parts.map { ($0.name, $0.definition) }) { first, _ in first }
  }

  /// The tables, sequences, types and functions.
  var owners: [String] { Set(parts.map(\.owner)).sorted() }

  /// The parts that a database does not have, or has otherwise, in sentences without their full
  /// stop. Further parts of the database do no harm, except a column that wants a value of every
  /// new row.
  ///
  ///     installation.time_zone is missing
  ///     installation.time_zone is integer, and this release expects text
  func faults(in found: [SchemaPart]) -> [String] {
    let there = Dictionary(found.map { ($0.name, $0.definition) }) { first, _ in first }
    // The columns of a table that is missing or different are not told.
    let isHere = Dictionary(
      uniqueKeysWithValues: owners.map { ($0, definitions[$0] == there[$0]) })
    let changed = parts.compactMap { part -> String? in
      guard part.name == part.owner || isHere[part.owner] == true else { return nil }
      let definition = there[part.name]
      guard definition != part.definition, definition != "\(part.definition) default" else {
        return nil
      }
      return definition.map { "\(part.name) is \($0), and this release expects \(part.definition)" }
        ?? "\(part.name) is missing"
    }
    let added = found.filter {
      definitions[$0.name] == nil && isHere[$0.owner] == true && $0.definition.hasSuffix("not null")
    }
    return changed
      + added.map { "\($0.name) wants a value, and this release does not know the column" }
  }
}

/// A part of a schema: `installation.time_zone`, and its definition: `text`.
struct SchemaPart: Sendable, Equatable {
  let name: String
  let definition: String

  /// Whether the part is there, and the account lacks a right to it.
  var isBarred: Bool { definition.contains(" that the account may not ") }

  /// The name of the table, type or function that the part belongs to or is.
  var owner: String { String(name.prefix { $0 != "." && $0 != "(" }) }
}
