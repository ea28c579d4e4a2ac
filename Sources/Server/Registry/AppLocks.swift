package import Postgres

/// Waits until no other transaction does the same work for an app, and keeps others waiting until
/// the end of this one.
package struct LockAppFor: Statement {
  /// The work. Its number is the first half of the lock's number, and means nothing else.
  package enum Work: Int32, Sendable {
    /// The erasure of a person. Two people who exchanged telephones are in each other's history, so
    /// two erasures could wait for each other.
    case erasure = 0x45_52_41_53
    /// An event of the app that is written once, whichever instances notice it.
    case eventOnce = 0x4F_4E_43_45
  }

  package static let sql = "SELECT pg_advisory_xact_lock($1, $2)"
  private let work: Work
  private let appID: Int32

  package init(_ work: Work, appID: Int32) {
    self.work = work
    self.appID = appID
  }

  package func bind(to parameters: inout Parameters) { parameters.append(work.rawValue, appID) }
}

/// Holds apps in place until the end of the transaction; fails if one is gone
/// (``PostgresError/isOfMissingApp``) or moves (``PostgresError/isOfMovingApp``). Every transaction
/// that writes rows of installations, tokens, history or failures asks for it first: these tables
/// have no foreign key to the apps, as they may be on other servers.
package struct LockApps: Statement {
  package static let sql = "SELECT lock_apps($1)"
  /// Each once.
  package let ids: [Int32]

  /// - Parameter ids: Each once.
  package init(ids: [Int32]) {
    self.ids = ids
  }

  package func bind(to parameters: inout Parameters) { parameters.append(ids) }

  package static func decode(_ row: inout RowReader) throws(PostgresError) {}
}
