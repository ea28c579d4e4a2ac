import Postgres
import Registry

/// The bounds of the service that several rooms use, each with its reason. A room's own bounds are
/// in the room, in the file whose name ends with `Limits.swift`. Text lengths are bytes of UTF-8.
enum Limits {
  /// How far the time of the database may go back although nobody set the clock: answers of the
  /// database only bound its time.
  static let clockDisorder: Duration = .seconds(1)

  // MARK: Bodies

  /// A small administrative body: an app, a key, a question to render.
  static let administrationBodyBytes = 256 * 1024

  // MARK: Names

  /// A name or label that people read.
  static let labelBytes = 128
  /// How far ahead a proof of a user may end, unless the app says so. A person with a copy of a
  /// proof can act as that user until the proof ends, and apps that are in use ask their backend
  /// more often than once a month.
  static let identityLifetimeDaysDefault: Int32 = 30
  /// The largest `apns-expiration` that is read: the year 9999.
  static let expirationSeconds: Int64 = 253_402_300_799

  // MARK: Feedback

  /// Answers of APNs in one call: what a sender meets in a second, and ten transactions.
  static let feedbackItems = 1000
  /// How long no token may be refused before the breaker closes: longer than a sender's retries.
  static let breakerRest: Duration = .seconds(600)

  // MARK: Work apart from loops

  /// Seconds until a client whose work was refused tries again: the waiting work is done by then.
  static let workRetrySeconds = 5

  // MARK: Maintenance

  /// Months that history, failures and audit log may be kept: a decade is past any use.
  static let retentionMonths = 1...120
  /// Rows of one deletion: a fraction of a second, and little for others to wait behind.
  static let purgePortion: Int64 = 5000
}

extension Timestamp {
  /// Whether a span that began at this time goes on. One that begins in the future is of before the
  /// clock went back; nobody knows how much of it is left, so it is over. A second does not matter,
  /// as clocks differ.
  func goesOn(until end: Timestamp, at now: Timestamp) -> Bool {
    end > now && self <= now.advanced(by: Limits.clockDisorder)
  }

  /// Whether a span of that length that began at this time goes on.
  func goesOn(for span: Duration, at now: Timestamp) -> Bool {
    goesOn(until: advanced(by: span), at: now)
  }
}
