package import ASCII
package import DeviceProfile
package import JSON
package import Postgres

/// Where a credential stands in an installation: its kind, and the names between the kind and its
/// token.
///
///     live_activities, ["A7C1"]            the activity
///     controls, ["LightHandler", "porch"]  the handler's type and the control
///     widgets, []
package struct CredentialPlace: Hashable, Sendable, Comparable {
  package var kind: CredentialKind
  /// ``CredentialKind/nameCount`` of them.
  @Spelled package var names: [String]

  package init(_ kind: CredentialKind, _ names: [String] = []) {
    self.kind = kind
    self.names = names
  }

  /// The order of answers: of kinds, and then of names.
  package static func < (left: Self, right: Self) -> Bool {
    guard left.kind == right.kind else { return left.kind.order < right.kind.order }
    return left.names.lexicographicallyPrecedes(right.names) { Spelling($0) < Spelling($1) }
  }

  /// Whether the place is of this kind and its names begin with these.
  package func isBelow(_ place: CredentialPlace) -> Bool {
    kind == place.kind && names.starts(with: place.names) { $0.isSpelled(like: $1) }
  }
}

extension CredentialKind {
  fileprivate var order: Int { Self.allCases.firstIndex(of: self) ?? 0 }
}

/// A token of a kind without columns of its own, with what else is known of it.
package struct OtherCredential: Hashable, Sendable {
  package var credential: Credential
  /// Where it is valid.
  package var environment: Environment
  package var details: CredentialDetails
  /// When the app first brought a token for the place. Another token for it, as the system gives
  /// one now and then, changes nothing: a Live Activity does not begin anew.
  package var beganAt: Timestamp

  package init(
    _ credential: Credential, in environment: Environment,
    _ details: CredentialDetails = CredentialDetails(), beganAt: Timestamp? = nil
  ) {
    self.credential = credential
    self.beganAt = beganAt ?? credential.registeredAt
    self.environment = environment
    self.details = details
  }
}

/// What an app says of a token beside the token.
package struct CredentialDetails: Hashable, Sendable {
  /// The attributes type of a Live Activity.
  @Spelled package var type: String?
  /// The configured widgets, JSON as the app sent it.
  package var widgets: String?
  /// Whether the person takes part in a channel of Push to Talk. Its token is used only then.
  package var isJoined: Bool?
}

extension CredentialDetails {
  /// Reads the members of a credential's object that are of its kind.
  package init(reading fields: FieldReader, _ kind: CredentialKind) {
    self.init()
    switch kind {
    case .liveActivities:
      type = fields.text("type", maximum: RegistryLimits.credentialNameBytes, minimum: 1).value
    case .widgets: widgets = fields.json("widgets").value.flatMap { Self.widgets($0, fields) }
    case .pushToTalk: isJoined = fields.flag("joined").value
    default: break
    }
  }

  /// The configured widgets as JSON; `nil` after noting a fault.
  private static func widgets(_ value: JSONValue, _ fields: FieldReader) -> String? {
    guard case .array = value else {
      fields.refuseType("widgets", "an array", value)
      return nil
    }
    // PostgreSQL reads the column as JSON, and fails with such a text in any row.
    guard !value.containsNUL else {
      fields.refuse(.containsNUL, at: "widgets", "U+0000 is not taken.")
      return nil
    }
    let text = value.jsonText
    guard text.utf8.count <= RegistryLimits.widgetsBytes else {
      fields.refuse(.tooLong, at: "widgets", "At most \(RegistryLimits.widgetsBytes) bytes.")
      return nil
    }
    return text
  }

  /// Writes them as members.
  package func write(to writer: inout JSONWriter) {
    if let type { writer.member("type", type) }
    if let widgets {
      writer.key("widgets")
      writer.raw(widgets.utf8)
    }
    if let isJoined { writer.member("joined", isJoined) }
  }
}

/// The other credentials of an installation.
package typealias OtherCredentials = [CredentialPlace: OtherCredential]

extension OtherCredentials {
  /// How the column holds them: a JSON array that SQL can take apart; `nil` when there are none.
  ///
  ///     [{"kind":"live_activities","names":["A7C1"],"token":"00…","status":"active",
  ///       "environment":"production","registered_at":1795777000000,…,"type":"Delivery"}]
  var text: String? {
    guard !isEmpty else { return nil }
    var writer = JSONWriter(capacity: 256 * count)
    writer.array(sorted { $0.key < $1.key }) { writer, entry in
      let (credential, details) = (entry.value.credential, entry.value.details)
      writer.object { writer in
        writer.member("kind", entry.key.kind.rawValue)
        writer.member("names", entry.key.names)
        writer.member("token", credential.token.hex)
        writer.member("status", credential.status.rawValue)
        writer.member("environment", entry.value.environment.rawValue)
        writer.member("registered_at", credential.registeredAt.microseconds / 1000)
        if entry.value.beganAt != credential.registeredAt {
          writer.member("began_at", entry.value.beganAt.microseconds / 1000)
        }
        writer.member("presented_at", credential.presentedAt.microseconds / 1000)
        writer.member("invalidated_at", credential.invalidatedAt.map { $0.microseconds / 1000 })
        writer.member("reason", credential.reason)
        details.write(to: &writer)
      }
    }
    return writer.text
  }

  /// Reads the column. Nothing of ours writes what cannot be read here. If somebody else did, it
  /// costs that credential, and no list in which the installation is.
  init(text: String?) {
    self = [:]
    guard let text, case .array(let elements)? = JSONValue(parsing: Array(text.utf8)) else {
      return
    }
    for case .object(let members) in elements {
      guard let (place, credential) = Self.entry(members) else { continue }
      self[place] = credential
    }
  }

  private static func entry(_ members: JSONObject) -> (CredentialPlace, OtherCredential)? {
    guard let kind = members["kind"]?.text.flatMap(CredentialKind.init),
      case .array(let names)? = members["names"],
      let token = members["token"]?.text.flatMap({ try? DeviceToken(parsing: $0) }),
      let status = members["status"]?.text.flatMap(CredentialStatus.init),
      let environment = members["environment"]?.text.flatMap(Environment.init),
      let registeredAt = members.time("registered_at")
    else { return nil }
    let credential = Credential(
      token: token, status: status, registeredAt: registeredAt,
      presentedAt: members.time("presented_at") ?? registeredAt,
      invalidatedAt: members.time("invalidated_at"), reason: members["reason"]?.text)
    var details = CredentialDetails(type: members["type"]?.text)
    details.widgets = members["widgets"]?.jsonText
    if case .bool(let isJoined)? = members["joined"] { details.isJoined = isJoined }
    let place = CredentialPlace(kind, names.compactMap(\.text))
    let beganAt = members.time("began_at")
    return (place, OtherCredential(credential, in: environment, details, beganAt: beganAt))
  }
}

extension JSONObject {
  fileprivate func time(_ name: String) -> Timestamp? {
    guard case .integer(let milliseconds)? = self[name] else { return nil }
    let (microseconds, isBeyond) = milliseconds.multipliedReportingOverflow(by: 1000)
    return isBeyond ? nil : Timestamp(microseconds: microseconds)
  }
}
