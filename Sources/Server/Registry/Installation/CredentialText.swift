internal import DeviceProfile
internal import JSON
internal import Postgres

extension ByPlace<Credential> {
  /// The credentials without columns of their own, as their one column holds them: a JSON array
  /// that SQL can take apart; `nil` when there are none.
  ///
  ///     [{"kind":"live_activities","names":["A7C1"],"token":"00…","status":"active",
  ///       "environment":"production","registered_at":1795777000000,…,"type":"Delivery"}]
  var otherText: String? {
    let others = drop { $0.place.kind.hasColumns }
    guard !others.isEmpty else { return nil }
    var writer = JSONWriter(capacity: 256 * others.count)
    writer.array(others) { writer, entry in
      let (place, credential) = entry
      writer.object { writer in
        writer.member("kind", place.kind.rawValue)
        writer.member("names", place.names)
        writer.member("token", credential.token.hex)
        writer.member("status", credential.status.rawValue)
        writer.member("environment", credential.environment.rawValue)
        writer.member("registered_at", credential.registeredAt.microseconds / 1000)
        if let beganAt = credential.beganAt {
          writer.member("began_at", beganAt.microseconds / 1000)
        }
        writer.member("presented_at", credential.presentedAt.microseconds / 1000)
        writer.member("invalidated_at", credential.invalidatedAt.map { $0.microseconds / 1000 })
        writer.member("reason", credential.reason)
        credential.details.write(to: &writer)
      }
    }
    return writer.text
  }

  /// Adds the credentials of that column. Our own code writes none that cannot be read here. If
  /// somebody else did, it costs that credential, and no list in which the installation is.
  mutating func add(otherText text: String?) {
    guard let text, case .array(let elements)? = JSONValue(parsing: Array(text.utf8)) else {
      return
    }
    for case .object(let members) in elements {
      guard let (place, credential) = Self.entry(members) else { continue }
      self[place] = credential
    }
  }

  private static func entry(_ members: JSONObject) -> (CredentialPlace, Credential)? {
    guard let kind = members["kind"]?.text.flatMap(CredentialKind.init),
      case .array(let names)? = members["names"],
      let token = members["token"]?.text.flatMap({ try? DeviceToken(parsing: $0) }),
      let status = members["status"]?.text.flatMap(CredentialStatus.init),
      let environment = members["environment"]?.text.flatMap(Environment.init),
      let registeredAt = members.time("registered_at")
    else { return nil }
    var credential = Credential(
      token: token, environment: environment, status: status, registeredAt: registeredAt,
      presentedAt: members.time("presented_at") ?? registeredAt,
      invalidatedAt: members.time("invalidated_at"), reason: members["reason"]?.text)
    credential.beganAt = members.time("began_at")
    credential.details.type = members["type"]?.text
    credential.details.widgets = members["widgets"]?.jsonText
    if case .bool(let isJoined)? = members["joined"] { credential.details.isJoined = isJoined }
    return (CredentialPlace(kind, names.compactMap(\.text)), credential)
  }
}

extension JSONObject {
  fileprivate func time(_ name: String) -> Timestamp? {
    guard case .integer(let milliseconds)? = self[name] else { return nil }
    let (microseconds, isBeyond) = milliseconds.multipliedReportingOverflow(by: 1000)
    return isBeyond ? nil : Timestamp(microseconds: microseconds)
  }
}
