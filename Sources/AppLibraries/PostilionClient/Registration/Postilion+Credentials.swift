import Foundation

extension Postilion {
  /// The system gave a token, or a new one in its place. It is kept from one launch to the next,
  /// until it is removed; that for notifications the system tells again at every launch.
  ///
  /// ```swift
  /// Postilion.shared.register(token: deviceToken, for: .apns)
  /// ```
  ///
  /// `PostilionAppDelegate`, `CallRegistry`, `observeLiveActivities(of:)` and their like call this
  /// for you.
  public nonisolated func register(token: Data, for credential: PushCredential) {
    guard let place = credential.place else { return refuse("credential_name") }
    var details = credential.details
    if let widgets = details["widgets"], widgets.encoded().count > CredentialLimits.widgetsBytes {
      refuse("widgets_length")
      details["widgets"] = nil
    }
    guard CredentialLimits.tokenBytes.contains(token.count) else { return refuse("token_length") }
    details["token"] = .string(token.hexadecimal)
    tell(.credential(place, .object(details)))
    if credential == .apns {
      NotificationCenter.default.post(
        name: .postilionDidRegister, object: nil, userInfo: ["token": Self.text(of: token)])
    }
  }

  /// The system took a token back, or what it was for has ended.
  public nonisolated func remove(_ credential: PushCredential) {
    guard let place = credential.place else { return refuse("credential_name") }
    tell(.credential(place, .null))
  }

  /// The Live Activities of a type that run now. The tokens of all others of this type are removed:
  /// they have ended, perhaps while the app was not there to notice.
  public nonisolated func setRunningLiveActivities(_ ids: Set<String>, type: String) {
    tell(.activities(ids, type: type))
  }

  /// What the person allows of Live Activities: `ActivityAuthorizationInfo`.
  public nonisolated func setLiveActivities(areAllowed: Bool, frequentPushes: Bool) {
    tell(
      .fields([
        .liveActivitiesAllowed: .bool(areAllowed), .frequentPushes: .bool(frequentPushes),
      ]))
  }

  /// The controls that the person has placed, each with its token: all that
  /// `ControlPushHandler.pushTokensDidChange(controls:)` brings.
  ///
  /// - Parameters:
  ///   - tokens: The tokens by the name of the control, at most 32. Those that the handler had
  ///     before and that are not here are removed.
  ///   - handler: The name of the handler's type.
  public nonisolated func setControls(_ tokens: [String: Data], handler: String) {
    guard let place = PushCredential.place(.controls, handler),
      tokens.keys.allSatisfy({ CredentialLimits.nameBytes.contains($0.utf8.count) })
    else { return refuse("credential_name") }
    guard tokens.values.allSatisfy({ CredentialLimits.tokenBytes.contains($0.count) }) else {
      return refuse("token_length")
    }
    guard tokens.count <= CredentialLimits.names else { return refuse("too_many_controls") }
    let controls = tokens.mapValues { PayloadValue.object(["token": .string($0.hexadecimal)]) }
    tell(.credential(place, controls.isEmpty ? .null : .object(controls)))
  }
}
