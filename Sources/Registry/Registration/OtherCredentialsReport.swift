package import DeviceProfile
internal import JSON
internal import Postgres

/// What a report says of the credentials without columns.
package struct OtherCredentialsReport: Sendable, Equatable {
  /// The tokens that it brings.
  package var brought: [CredentialPlace: ReportedCredential] = [:]
  /// Everything below these places goes, unless it is brought. Examples: `widgets` for
  /// `"widgets": null`; `controls, LightHandler` for whatever the report says of that handler, as
  /// it names all controls of it.
  package var replaced: Set<CredentialPlace> = []

  /// Whether it says nothing.
  package var isEmpty: Bool { brought.isEmpty && replaced.isEmpty }
}

/// A token as a report brings it.
package struct ReportedCredential: Sendable, Equatable {
  package var token: DeviceToken
  /// Where it is valid, if that is not where the build's tokens are.
  package var environment: Environment?
  package var details: CredentialDetails
}

extension OtherCredentialsReport {
  /// Reads the member of a place: a credential, or an object with a member for each name below it.
  mutating func read(
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
    let environment = fields.word("environment", of: Environment.self).value
    let details = CredentialDetails(reading: fields, kind)
    guard let token = fields.requiredToken() else { return nil }
    self.init(token: token, environment: environment, details: details)
  }
}

extension Installation {
  /// Changes the credentials without columns as a report says.
  /// - Parameter former: The environment until now. What was valid there and is not brought goes:
  ///   the build has other tokens.
  mutating func apply(
    _ report: OtherCredentialsReport, since former: Environment, at now: Timestamp
  ) {
    let isMoved = former != environment
    guard isMoved || !report.isEmpty else { return }
    let before = otherCredentials
    otherCredentials = before.filter { place, held in
      let isReplaced = report.replaced.contains { place.isBelow($0) }
      let isOfFormerBuild =
        isMoved && held.environment != place.kind.environment(ofBuild: environment)
      return !isReplaced && !isOfFormerBuild
    }
    for (place, reported) in report.brought {
      let environment = reported.environment ?? place.kind.environment(ofBuild: environment)
      let held = before[place]
      let isSame =
        held?.credential.token == reported.token && held?.credential.status == .active
        && held?.environment == environment
      otherCredentials[place] = OtherCredential(
        isSame
          ? held?.credential ?? .active(reported.token, at: now)
          : .active(reported.token, at: now),
        in: environment, reported.details, beganAt: held?.beganAt)
    }
    makeRoom()
  }

  /// Drops the oldest credentials of a kind that has too many: first those out of use. An app that
  /// never reports the end of its activities must not be refused for it.
  private mutating func makeRoom() {
    let byKind = Dictionary(grouping: otherCredentials.keys, by: \.kind)
    for (kind, places) in byKind where places.count > kind.maximumCount {
      let inOrder = places.sorted { left, right in
        func age(_ place: CredentialPlace) -> (Int, Int64) {
          let credential = self[place]
          return (
            credential?.status == .active ? 1 : 0, credential?.registeredAt.microseconds ?? 0
          )
        }
        return age(left) == age(right) ? left < right : age(left) < age(right)
      }
      for place in inOrder.prefix(places.count - kind.maximumCount) {
        otherCredentials[place] = nil
      }
    }
  }
}
