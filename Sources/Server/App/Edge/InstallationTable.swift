import DeviceProfile
import JSON
import Registry
import Rendering

/// Installations as lists show them. In a table, spaces separate the tags of a list whose words
/// have no spaces; all other structure is JSON.
extension InstallationView: ListItem {
  static let fields = ItemFields<Self>(
    [
      column("installation_id") { $0.id.text },
      column("platform") { $0.platform.rawValue },
      column("environment") { $0.environment.rawValue },
    ] + CredentialKind.withColumns.flatMap(credential)
      + ProfileField.all.map { column($0.name, $0.cell) } + [
        column("other_credentials") { stored in
          let others = stored.credentials.drop { $0.place.kind.hasColumns }
          guard !others.isEmpty else { return nil }
          var writer = JSONWriter()
          writer.object { stored.write(others, to: &$0) }
          return writer.text
        },
        column("language_override") { $0.languageOverride },
        column("reported_at") { $0.reportedAt?.rfc3339 },
        column("created_at") { $0.createdAt.rfc3339 },
        column("updated_at") { $0.updatedAt.rfc3339 },
        column("last_seen_at") { $0.lastSeenAt.rfc3339 },
      ])

  private static func column(
    _ name: String, _ cell: @escaping @Sendable (Installation) -> String?
  ) -> ItemField<Self> {
    .column(name) { cell($0.installation) }
  }

  private static func credential(_ kind: CredentialKind) -> [ItemField<Self>] {
    let name = kind.rawValue
    return [
      column("\(name)_token") { $0.credentials[kind]?.token.hex },
      column("\(name)_status") { $0.credentials[kind]?.status.rawValue },
      column("\(name)_registered_at") { $0.credentials[kind]?.registeredAt.rfc3339 },
      column("\(name)_invalidated_at") { $0.credentials[kind]?.invalidatedAt?.rfc3339 },
      column("\(name)_reason") { $0.credentials[kind]?.reason },
    ]
  }
}
