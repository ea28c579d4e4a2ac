internal import Postgres
internal import Telemetry

extension Migration {
  /// The migrations of `sql/migrations.sql`, which is built into the program.
  static let all = steps(of: String(decoding: Resources.migrations, as: UTF8.self))

  /// Steps that go through all rows of a large table at once. A new step of the kind is written in
  /// portions, because a test demands it.
  private static let holdersUp: Set<String> = [
    "m0003_registry_complete", "m0005_registration", "m0008_attribute_facets",
    "m0010_audience_order", "m0011_audience_facets", "m0012_changes", "m0015_times_in_indexes",
    "m0016_registered_is_changed",
  ]

  /// Takes a text of steps apart.
  ///
  ///     -- migration: m0001_registry
  ///     CREATE TABLE …
  ///     -- migration: m0002_word
  ///     -- portions
  ///     WITH changed AS (UPDATE … WHERE word IS NULL … LIMIT 1000 … RETURNING 1)
  ///     SELECT count(*) FROM changed
  static func steps(of text: String) -> [Migration] {
    text.split(separator: "\n-- migration: ").dropFirst().compactMap { step in
      guard let end = step.firstIndex(of: "\n") else { return nil }
      let (name, sql) = (String(step[..<end]), String(step[end...]))
      return Migration(
        name: name, sql: sql, isInPortions: sql.hasPrefix("\n-- portions"),
        holdsUpWriters: holdersUp.contains(name))
    }
  }
}

extension Observation {
  /// A step of the schema begins, waits or is applied.
  func migration(_ event: MigrationEvent) {
    switch event {
    case .begins(let step):
      let fields: KeyValuePairs<String, LogValue> = [
        "name": .string(step.name), "holds_up_writers": .bool(step.holdsUpWriters),
      ]
      logger.log(LogRecord(.info, "migrating", fields, repetition: .written))
    case .waits(let step, let hindrance):
      logger.log(
        .warning, "migration_waits", ["name": .string(step.name), "for": .string(hindrance)])
    case .applied(let step):
      logger.log(
        LogRecord(.info, "migrated", ["name": .string(step.name)], repetition: .written))
    }
  }
}
