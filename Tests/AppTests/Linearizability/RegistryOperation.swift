import DeviceProfile
import JSON
import Postgres
import Registry

@testable import App

/// One call on few installations and tokens, as the model and the wire see it.
struct RegistryOperation: Sendable {
  /// What is asked for.
  enum Action: Sendable {
    /// `PUT`, which may create, or `PATCH`.
    case report(RegistrationReport, mayCreate: Bool)
    /// `GET`.
    case read
    /// `DELETE`.
    case delete
    /// `DELETE …/credentials/{kind}`.
    case deleteCredential(CredentialKind)
    /// What APNs told about a token.
    case feedback(FeedbackItem, FeedbackPart)
  }

  /// For which state it is meant.
  enum Condition: Sendable, Hashable {
    case none
    /// `If-None-Match: *`.
    case isNew
    /// `If-Match` with the tag that the client saw last, once it has seen one.
    case isLastSeen
    /// `If-Match` with this tag.
    case has(String)
  }

  /// The place of the installation; feedback has none.
  var installation = 0
  /// Whether it comes with a client key and the installation's secret, or from the backend.
  var isFromApp = false
  var condition = Condition.none
  /// The place in its segment.
  var number: Int
  var action: Action

  /// The token that a report brings of a kind, or several.
  var broughtTokens: [DeviceToken] {
    guard case .report(let report, _) = action else { return [] }
    return report.credentials.brought.map(\.value.token)
  }

  /// The operation as it is sent by a client that saw these tags last.
  func resolved(_ lastSeen: [Int: String]) -> Self {
    guard condition == .isLastSeen else { return self }
    var resolved = self
    resolved.condition = lastSeen[installation].map { .has($0) } ?? .none
    return resolved
  }
}

/// A part of what feedback does.
///
/// A token that is brought just now by a launch that writes nothing is taken out of use and put
/// back, in two changes, of which each can be seen. Such feedback is two operations in the history,
/// so that the model explains what is seen between them.
enum FeedbackPart: Sendable {
  /// All of it, at one moment.
  case whole
  /// The token goes out of use, or nothing happens.
  case take
  /// What the first part did is undone.
  case restore
}

/// What a client is told, as far as the model foretells it.
struct RegistryAnswer: Hashable, Sendable {
  /// What an answer shows of an installation.
  struct Shown: Hashable, Sendable {
    var environment: String?
    /// By the place: `apns`, `controls Lights porch`.
    var credentials: [String: ShownCredential] = [:]
    var version: String?
    var build: String?
  }

  /// What an answer shows of a token.
  struct ShownCredential: Hashable, Sendable {
    var token: String?
    var status: String?
    var reason: String?
  }

  var status: Int
  /// Of a problem.
  var code: String?
  var shown: Shown?
  /// Of a report.
  var isApplied: Bool?
  /// What feedback came to, with the reason why nothing follows.
  var decision: String?
  /// `ETag`; the model does not foretell it, but it stays with its state.
  var tag: String?

  /// Whether feedback took a token out of use.
  var takesToken: Bool {
    let outcome = decision.flatMap(FeedbackEffect.init)
    return outcome.map { FeedbackDecision($0).status != nil } ?? false
  }

  /// Others were faster, again and again; nothing was written.
  var isOutrun: Bool { code == "conflict" }

  /// The answer without what the model cannot know.
  var foretold: Self {
    var answer = self
    answer.tag = nil
    return answer
  }
}

extension RegistryAnswer.Shown {
  /// What is shown of a stored installation.
  init(_ stored: Installation) {
    environment = stored.environment.rawValue
    for (place, credential) in stored.credentials {
      credentials[place.text] = RegistryAnswer.ShownCredential(credential)
    }
    version = stored.appVersion
    build = stored.appBuild
  }
}

extension RegistryAnswer.ShownCredential {
  fileprivate init(_ credential: Credential) {
    token = credential.token.hex
    status = credential.status.rawValue
    reason = credential.reason
  }
}

extension CredentialPlace {
  /// Kind and names.
  var text: String { ([kind.rawValue] + names).joined(separator: " ") }
}
