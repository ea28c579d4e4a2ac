package import ASCII
package import DeviceProfile
package import JSON

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
