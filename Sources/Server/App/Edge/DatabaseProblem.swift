internal import Postgres
internal import Registry

extension Problem {
  /// The problem for an error of the database: a fault, or a state of the database in which the
  /// caller loses nothing by waiting.
  init(_ error: PostgresError) {
    let retry = [("Retry-After", error.code == .outdated ? "5" : "1")]
    switch error.condition {
    case .outage, .readOnly, .breakdown, .mismatch:
      let detail = error.isSurelyUndone ? error.stateOfDatabase : Self.unknownOutcome
      self.init(.databaseUnavailable, detail, fields: retry, logDetail: error.description)
    case .contention:
      self.init(
        .overloaded, "The database is too busy; try again.", fields: retry,
        logDetail: error.description)
    case .refusal where error.isOfMissingApp:
      // The app was deleted after the call had found it.
      self.init(.appNotFound, "The app was deleted just now.", logDetail: error.description)
    case .refusal where error.isOfMovingApp:
      self = .appMoving
    case .refusal:
      self.init(.internalError, Self.internalDetail, logDetail: error.description)
    }
  }

  static let appMoving = Problem(
    .appMoving, "The app is being moved to another server: try again in a moment.",
    fields: [("Retry-After", "5")])

  /// The detail for a call whose commit the database never answered: it must not say that nothing
  /// was done.
  private static let unknownOutcome =
    "The database broke off before it confirmed this call, which may have been done or not. A "
    + "registration may be sent again as it is."
}

extension PostgresError {
  /// The state of the database, in a sentence for people who can repair it.
  var stateOfDatabase: String {
    if code == .outdated { return message }
    return switch (condition, sqlState) {
    case (.readOnly, _):
      "The database takes no changes: it is a standby, or was set to be read-only."
    case (_, "53100"): "The disk of the database is full."
    case (_, "53200"): "The database is out of memory."
    case (.breakdown, let state?) where state.hasPrefix("58"):
      "The database cannot read or write its files."
    case (.breakdown, let state?):
      "The database reached a limit of its configuration or its machine (SQLSTATE \(state))."
    case (.contention, _): "The database is too busy."
    case (.mismatch, "42501"?):
      "The account of the service lacks a right in the database (SQLSTATE 42501)."
    case (.mismatch, let state?):
      "The schema of the database is not as this release expects (SQLSTATE \(state)); /readyz says "
        + "more."
    case (.refusal, let state?):
      "The database refuses what the service needs (SQLSTATE \(state)); the log says more."
    case (.outage, _), (.breakdown, nil): "The database cannot be reached."
    case (.mismatch, nil), (.refusal, nil):
      "The database gives answers that this release does not understand."
    }
  }
}
