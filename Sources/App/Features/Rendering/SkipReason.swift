internal import Registry
internal import Rendering

/// Why a device of an audience gets nothing.
enum SkipReason: String, Sendable, CaseIterable {
  /// It has no token of the kind.
  case noCredential = "no_credential"
  /// Its token was refused once and not yet brought again.
  case credentialQuarantined = "credential_quarantined"
  /// Its token is no longer valid.
  case credentialInvalid = "credential_invalid"
  /// The person denied what the message shows.
  case denied = "denied"
  /// The payload has more bytes than APNs takes.
  case payloadTooLarge = "payload_too_large"
  /// No catalog has a text for it, or the message has nothing to show.
  case nothingToShow = "nothing_to_show"
  /// A parameter has no argument, no default, and no attribute of this device.
  case missingArgument = "missing_argument"
  /// The audience lists it, and it is not there.
  case installationNotFound = "installation_not_found"

  init?(status: CredentialStatus?) {
    switch status {
    case .active: return nil
    case .quarantined: self = .credentialQuarantined
    case .invalid: self = .credentialInvalid
    case nil: self = .noCredential
    }
  }

  init(_ cause: RenderRefusal.Cause) {
    switch cause {
    case .payloadTooLarge: self = .payloadTooLarge
    case .nothingToShow: self = .nothingToShow
    case .missingArgument: self = .missingArgument
    }
  }
}
