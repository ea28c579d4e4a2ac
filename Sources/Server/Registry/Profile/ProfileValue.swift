package import DeviceProfile
package import JSON
public import Postgres

/// A value of a profile field: how it is stored and shown.
package protocol ProfileValue: Sendable {
  /// The type of the value in its column.
  associatedtype Bound: PostgresValue = String
  /// As it is written into its column.
  var bound: Bound { get }
  /// Makes the value of what its column holds.
  init(bound: Bound) throws(PostgresError)
  /// Writes it as JSON.
  func write(to writer: inout JSONWriter)
  /// As a cell of a table.
  var cell: String { get }
  /// Whether the value says no more than a field that was never reported.
  var isNothing: Bool { get }
}

extension ProfileValue {
  package var isNothing: Bool { false }

  /// Reads its column; `nil` when that is null.
  init?(column row: inout RowReader) throws(PostgresError) {
    guard let bound = try row.next(Bound?.self) else { return nil }
    try self.init(bound: bound)
  }

  /// Reads its column, which was kept as it came.
  init?(column row: inout RawColumnReader) throws(PostgresError) {
    guard let bound: Bound = try row.nextOptional() else { return nil }
    try self.init(bound: bound)
  }
}

extension ProfileValue where Bound == String {
  package var cell: String { bound }
}

extension String: ProfileValue {
  package var bound: String { self }

  package init(bound: Self) { self = bound }

  package func write(to writer: inout JSONWriter) { writer.string(self) }
}

/// Lists are `text[]`; in a table they are JSON.
extension [String]: ProfileValue {
  package var bound: [String] { self }

  package init(bound: Self) { self = bound }

  package func write(to writer: inout JSONWriter) { writer.array(self) { $0.string($1) } }

  package var isNothing: Bool { isEmpty }

  package var cell: String {
    var writer = JSONWriter(capacity: 64)
    write(to: &writer)
    return writer.text
  }
}

/// A switch; in a table it is JSON.
extension Bool: ProfileValue {
  package var bound: Bool { self }

  package init(bound: Self) { self = bound }

  package func write(to writer: inout JSONWriter) { writer.bool(self) }

  package var cell: String { description }
}

/// A word of a fixed list.
extension ProfileValue where Self: RawRepresentable<String> {
  package var bound: String { rawValue }

  package init(bound: String) throws(PostgresError) {
    guard let word = Self(rawValue: bound) else {
      throw PostgresError(.decoding, "a column holds no \(Self.self)")
    }
    self = word
  }

  package func write(to writer: inout JSONWriter) { writer.string(rawValue) }
}

/// A value that is held as JSON text.
package protocol JSONProfileValue: ProfileValue {
  var json: String { get }
  init(json: String)
}

extension JSONProfileValue {
  package var bound: String { json }

  package init(bound: String) { self.init(json: bound) }

  package func write(to writer: inout JSONWriter) { writer.raw(json.utf8) }
}

extension Attributes: JSONProfileValue {}
extension Authorization: JSONProfileValue {}

extension CredentialKind: PostgresValue {}
extension CredentialStatus: ProfileValue {}
extension Platform: PostgresValue, ProfileValue {}
extension Environment: PostgresValue, ProfileValue {}
extension LocalizationPreference: ProfileValue {
  package var isNothing: Bool { self == .auto }
}
extension BackgroundRefresh: ProfileValue {}
