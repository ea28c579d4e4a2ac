import Foundation

/// How the registration stands, for a settings screen, a call of your backend, or a support mail.
public struct PostilionStatus: Hashable, Sendable {
  /// The installation's name on the server; `nil` before ``Postilion/start(_:profile:)``, and as
  /// long as the keychain cannot be read.
  public var installation: UUID?
  /// Whether the library may send: `false` before the start, after ``Postilion/optOut()``, and as
  /// long as it waits for the first ``Postilion/optIn()``.
  public var isOptedIn = false
  /// Whether the person has chosen, in or out.
  public var hasChosen = false
  /// The device token that the server has, as hexadecimal digits.
  public var deviceToken: String?
  /// The token for calls that the server has.
  public var voipToken: String?
  /// Whether the server has a person for this installation.
  public var hasUser = false
  /// When the server last confirmed a report.
  public var lastReport: Date?
  /// What went wrong last; it may be long over.
  public var lastProblem: PostilionProblem?
  /// Whether nothing is left to send, or nothing may be sent.
  public var isUpToDate = false

  /// The status of an app that has not started.
  public init() {}
}

/// Something that went wrong.
public struct PostilionProblem: Codable, Hashable, Sendable {
  /// The code of the server's problem, such as `invalid_key`. For what the server left out of a
  /// report, code and place: `too_long /attributes`. For a system error, domain and code:
  /// `NSURLErrorDomain -1009`.
  public var code: String
  /// When it happened, by the clock of the device.
  public var date: Date

  /// A problem.
  public init(code: String, date: Date) {
    self.code = code
    self.date = date
  }
}

extension PostilionStatus: CustomDebugStringConvertible {
  /// The status as lines for a support mail. There is no token in it, no secret, and no name of a
  /// person.
  ///
  ///     installation: 5f0c2b1e-7a54-4e52-9c43-6e2d1b6f7a10
  ///     opted in: yes
  ///     device token: on the server
  ///     token for calls: none
  ///     person: signed in
  ///     last report: 2026-05-02T19:32:41.250Z
  ///     last problem: NSURLErrorDomain -1009, 2026-05-02T19:30:02.000Z
  ///     up to date: yes
  public var debugDescription: String {
    let problem = lastProblem.map { "\($0.code), \(ServerTime.text($0.date))" }
    return """
      installation: \(installation?.uuidString.lowercased() ?? "none")
      opted in: \(isOptedIn ? "yes" : hasChosen ? "no" : "not yet")
      device token: \(deviceToken == nil ? "none" : "on the server")
      token for calls: \(voipToken == nil ? "none" : "on the server")
      person: \(hasUser ? "signed in" : "nobody")
      last report: \(lastReport.map(ServerTime.text) ?? "never")
      last problem: \(problem ?? "none")
      up to date: \(isUpToDate ? "yes" : "no")
      """
  }
}

extension PostilionStatus {
  /// What the state says; whether something is left to send it does not know.
  init(_ state: RegistrationState, waitsForOptIn: Bool) {
    installation = state.installation
    isOptedIn = state.maySend(waitsForOptIn: waitsForOptIn)
    hasChosen = state.choice != nil
    deviceToken = state.confirmed?[.apns]?["token"]?.string
    voipToken = state.confirmed?[.voip]?["token"]?.string
    hasUser = state.confirmed?[.user]?["id"]?.string != nil
    lastReport = state.reportedAt
    lastProblem = state.lastProblem
  }
}
