internal import HTTP
internal import Postgres
internal import Telemetry

/// Probes, metrics and the contract.
enum Operations {
  static let endpoints: [Endpoint] = [
    Endpoint(.get, "/healthz", "getHealth") { _ in Response(.ok, text: "ok\n") },
    Endpoint(.get, "/readyz", "getReadiness", respond: readiness),
    Endpoint(.get, "/metrics", "getMetrics") { call in
      Response(
        .ok, contentType: MetricsRegistry.contentType,
        bytes: call.context.shared.observation.metrics.render())
    },
    Endpoint(.get, "/openapi.yaml", "getContract") { _ in
      Response(.ok, contentType: "application/yaml", bytes: PackageResources.openapi_yaml)
    },
  ]

  /// Ready means: the database answers, and its schema has the newest migration we know.
  private static func readiness(_ call: Call) async throws -> Response {
    let applied = try await call.context.database.read(NewestMigration()).first
    guard let applied, applied >= call.context.shared.schemaVersion else {
      throw Problem(
        .databaseUnavailable, "The schema is not current; postilion migrate brings it up.",
        fields: [("Retry-After", "5")])
    }
    return Response(.ok, text: "ready\n")
  }
}

/// The name of the last migration that the database has.
struct NewestMigration: Statement {
  static let sql = "SELECT name FROM schema_migration ORDER BY name DESC LIMIT 1"

  static func decode(_ row: inout RowReader) throws(PostgresError) -> String { try row.next() }
}
