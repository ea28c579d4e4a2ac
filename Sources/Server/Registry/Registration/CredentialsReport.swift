package import DeviceProfile
internal import JSON
internal import Postgres

/// What a report says of credentials.
package struct CredentialsReport: Sendable, Equatable {
  /// The tokens that it brings.
  package var brought = ByPlace<ReportedCredential>()
  /// Everything below these places goes, unless it is brought. Examples: `widgets` for
  /// `"widgets": null`; `controls, LightHandler` for a report that mentions that handler, as it
  /// names all controls of it.
  package var replaced: Set<CredentialPlace> = []

  package var isEmpty: Bool { brought.isEmpty && replaced.isEmpty }

  /// Whether it says something of the token of a kind.
  func mentions(_ kind: CredentialKind) -> Bool {
    let place = CredentialPlace(kind)
    return brought[place] != nil || replaced.contains(place)
  }
}

/// A token as a report brings it.
package struct ReportedCredential: Sendable, Equatable {
  package var token: DeviceToken
  /// Where it is valid, if that is not where the build's tokens are.
  package var environment: Environment?
  package var details = CredentialDetails()

  /// The ledger key of the token.
  func key(as kind: CredentialKind, ofBuild environment: Environment) -> TokenKey {
    TokenKey(
      environment: self.environment ?? kind.environment(ofBuild: environment), kind: kind,
      token: token)
  }
}

extension CredentialsReport {
  /// Reads `{"apns": {"token": "…"}, "voip": null, "controls": {…}}`; null for all clears every
  /// kind.
  init(reading fields: FieldReader, _ credential: (CredentialPlace, FieldReader) -> Void) {
    let change = fields.object("credentials") { fields -> Void? in
      for kind in CredentialKind.allCases {
        read(CredentialPlace(kind), named: kind.rawValue, fields, credential)
      }
      return ()
    }
    if case .clear = change {
      replaced = Set(CredentialKind.allCases.map { CredentialPlace($0) })
    }
  }

  /// Reads the member of a place: a credential, or an object with a member for each name below it.
  private mutating func read(
    _ place: CredentialPlace, named name: String, _ fields: FieldReader,
    _ credential: (CredentialPlace, FieldReader) -> Void
  ) {
    let isCredential = place.names.count == place.kind.nameCount
    let change = fields.object(name) { fields -> ReportedCredential? in
      if isCredential {
        credential(place, fields)
        return ReportedCredential(reading: fields, place.kind)
      }
      readNames(below: place, fields, credential)
      return nil
    }
    switch change {
    case .keep: break
    case .clear: replaced.insert(place)
    case .set(let reported): brought[place] = reported
    }
  }

  private mutating func readNames(
    below place: CredentialPlace, _ fields: FieldReader,
    _ credential: (CredentialPlace, FieldReader) -> Void
  ) {
    // The callback of a handler names all of its controls.
    if place.kind == .controls, place.names.count == 1 { replaced.insert(place) }
    guard fields.names.count <= place.kind.maximumCount else {
      fields.ignoreUnknownFields()
      return fields.refuse(
        .tooMany, pointer: fields.pointer, "At most \(place.kind.maximumCount) of this kind.")
    }
    for name in fields.names {
      let bounds = TextBounds(minimum: 1, maximum: RegistryLimits.credentialNameBytes)
      if let (fault, detail) = bounds.fault(of: name) {
        fields.refuse(fault, at: name, detail)
      }
      read(CredentialPlace(place.kind, place.names + [name]), named: name, fields, credential)
    }
  }
}

extension ReportedCredential {
  fileprivate init?(reading fields: FieldReader, _ kind: CredentialKind) {
    let environment =
      kind.hasOwnEnvironment ? fields.word("environment", of: Environment.self).value : nil
    let details = CredentialDetails(reading: fields, kind)
    guard let token = fields.requiredToken() else { return nil }
    self.init(token: token, environment: environment, details: details)
  }
}

extension Installation {
  /// Changes the credentials as a report says.
  /// - Parameter former: The environment until now. A token that was valid there and is not brought
  ///   goes: the build has other tokens.
  mutating func apply(_ report: CredentialsReport, since former: Environment, at now: Timestamp) {
    let isMoved = former != environment
    guard isMoved || !report.isEmpty else { return }
    let before = credentials
    if isMoved || !report.replaced.isEmpty {
      credentials.removeAll { place, held in
        report.replaced.contains { place.isBelow($0) }
          || isMoved && held.environment != place.kind.environment(ofBuild: environment)
      }
    }
    for (place, reported) in report.brought {
      let key = reported.key(as: place.kind, ofBuild: environment)
      let held = before[place]
      // Feedback on a token was about the environment in which the token was valid.
      let isSame = held?.status == .active && held?.key(as: place.kind) == key
      var next = isSame ? held : nil
      if next == nil {
        next = .active(key.token, in: key.environment, at: now)
        if place.kind.nameCount > 0 { next?.beganAt = held.map { $0.beganAt ?? $0.registeredAt } }
      }
      next?.details = reported.details
      credentials[place] = next
    }
    makeRoom()
  }

  /// Drops the oldest credentials of a kind that has too many: first those out of use. An app that
  /// never reports the end of its activities must not be refused for it.
  private mutating func makeRoom() {
    guard credentials.count > RegistryLimits.namedCredentials else { return }
    for (kind, entries) in Dictionary(grouping: credentials, by: \.place.kind) {
      func age(_ credential: Credential) -> (Int, Int64) {
        (credential.status == .active ? 1 : 0, credential.registeredAt.microseconds)
      }
      let oldest = entries.sorted { left, right in
        let (one, other) = (age(left.value), age(right.value))
        return one == other ? left.place < right.place : one < other
      }
      for (place, _) in oldest.prefix(max(0, entries.count - kind.maximumCount)) {
        credentials[place] = nil
      }
    }
  }
}
