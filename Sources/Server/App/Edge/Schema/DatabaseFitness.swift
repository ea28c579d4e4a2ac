internal import Postgres

/// Whether this program can serve the database, as a look found.
struct DatabaseFitness: Sendable, Equatable {
  /// Why the program cannot serve the database, and what to do, in a sentence.
  var fault: String?
  /// Whether the program is too old for the schema. It might write rows that newer programs do not
  /// understand, so it answers no call any more, and writes nothing of its own.
  var isTooOld = false
  /// The calls that fail, or the data at risk, and the reason, in sentences; calls are served.
  var degradation: String?
  /// Servers of the cluster that cannot be reached.
  var serversDown = 0
}

extension DatabaseFitness {
  /// Looks at the database. The look waits for no lock of a table.
  /// - Parameter steps: The names of the migrations that the program knows, in order.
  /// - Throws: When the database cannot be asked, which says nothing about its schema.
  static func look(
    at database: PostgresClient, steps: [String], _ expected: ExpectedSchema = .own
  ) async throws(PostgresError) -> Self {
    let found = try await database.read(
      ReadSchema(names: expected.owners))
    let names = Set(found.map(\.name))
    guard names.contains("schema_migration") else {
      return Self(fault: "The database has no schema: postilion migrate makes it.")
    }
    let applied = try await database.read(.readSteps())
    if let fault = fault(ofSteps: applied, known: steps) { return Self(fault: fault) }
    // The fault that says most comes first: a program that is too old also misses columns.
    if names.contains("least_program") {
      let least = try await database.read(.readLeastProgram()).first ?? ""
      if let fault = Migration.fault(ofLeast: least, known: steps) {
        return Self(fault: fault, isTooOld: true)
      }
    }
    if let fault = fault(of: found, expected) { return Self(fault: fault) }
    var fitness = Self()
    if names.contains("citus") {
      guard try await database.read(.readDistribution()) == ["app_id"] else {
        return Self(
          fault: "Citus is in the database, and sql/citus.sql was not run: docs/citus.md has the "
            + "way.")
      }
      let servers = try await database.read(.listClusterServers())
      var down: [ClusterServer] = []
      for server in servers where try await !isReached(server, by: database) {
        down.append(server)
      }
      fitness = Self(down: down, of: servers)
    }
    if let warning = warning(ofUnsafe: try await database.read(.readUnsafeSettings())) {
      fitness.degradation = [fitness.degradation, warning].compactMap { $0 }.joined(separator: " ")
    }
    return fitness
  }

  /// The risk of settings of the server that are off.
  static func warning(ofUnsafe settings: [String]) -> String? {
    guard !settings.isEmpty else { return nil }
    return settings.joined(separator: " and ") + (settings.count > 1 ? " are" : " is")
      + " off: if the machine of the database crashes, what was acknowledged may be lost or "
      + "damaged."
  }

  /// The fault of a missing step, anywhere in the order. A step that is not known is of a newer
  /// program.
  static func fault(ofSteps applied: [String], known steps: [String]) -> String? {
    let applied = Set(applied)
    return steps.first { !applied.contains($0) }.map {
      "The schema is not current: it lacks the step \($0), which postilion migrate adds."
    }
  }

  /// The parts of the schema that are not as they should be.
  static func fault(of found: [SchemaPart], _ expected: ExpectedSchema) -> String? {
    let faults = expected.faults(in: found)
    guard !faults.isEmpty else { return nil }
    let others = faults.count - Limits.namedSchemaFaults
    return "The schema is not as this release expects: "
      + faults.prefix(Limits.namedSchemaFaults).joined(separator: "; ")
      + (others > 0 ? "; and \(others) more." : ".")
  }

  /// While some servers are there, calls for their rows are served, and no balancer should send all
  /// calls away.
  init(down: [ClusterServer], of servers: [ClusterServer]) {
    serversDown = down.count
    guard !down.isEmpty else { return }
    let names = down.prefix(Limits.namedSchemaFaults).map { "\($0.name):\($0.port)" }
      .joined(separator: ", ")
    if down.count == servers.count {
      fault = "No server of the cluster that has rows can be reached: \(names)."
    } else {
      degradation =
        "\(down.count) of \(servers.count) servers of the cluster cannot be reached (\(names)): "
        + "calls that need their rows get 503."
    }
  }

  /// A server that is stopped says nothing until the time of the statement is over.
  private static func isReached(
    _ server: ClusterServer, by database: PostgresClient
  ) async throws(PostgresError) -> Bool {
    do throws(PostgresError) {
      return try await database.readAlone(.reachClusterServer(server: server)).first ?? false
    } catch {
      guard case .server = error.code else { throw error }
      return false
    }
  }
}
