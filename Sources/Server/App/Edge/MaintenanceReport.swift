internal import Postgres
internal import Telemetry

/// What a run of maintenance did, and what it could not do; a line each.
public struct MaintenanceReport: Sendable, Equatable {
  /// What was done, in order.
  public var done: [String] = []
  /// What could not be done, and why.
  public var failed: [String] = []

  /// The lease under which all tidying goes: one instance at a time.
  static let lease = "maintenance"

  /// Notes the results of a step, or that it failed: the other steps go on.
  mutating func add(_ step: String, _ body: () async throws -> [String]) async {
    do {
      done += try await body()
    } catch {
      failed.append("\(step): \((error as? PostgresError)?.description ?? "\(error)")")
    }
  }
}

extension Observation {
  /// What maintenance did, and what failed.
  func maintained(_ report: MaintenanceReport) {
    for line in report.done {
      logger.log(LogRecord(.info, "maintained", ["action": .string(line)], repetition: .written))
    }
    for line in report.failed {
      logger.log(
        LogRecord(.warning, "maintenance_failed", ["cause": .string(line)], repetition: .written))
    }
  }
}
