internal import Postgres

extension Migration {
  /// The migrations that are built into the program: those of `sql/migrations.sql`.
  static let all = steps(of: String(decoding: PackageResources.migrations_sql, as: UTF8.self))

  /// Takes a text of steps apart.
  ///
  ///     -- migration: m0001_registry
  ///     CREATE TABLE …
  static func steps(of text: String) -> [Migration] {
    text.split(separator: "\n-- migration: ").dropFirst().compactMap { step in
      guard let end = step.firstIndex(of: "\n") else { return nil }
      return Migration(name: String(step[..<end]), sql: String(step[end...]))
    }
  }
}
