internal import ASCII
internal import DeviceProfile
internal import FoundationEssentials
internal import JSON
internal import Postgres
internal import Registry

/// A person at a glance: where they are logged in, which languages they read, whether notifications
/// reach them, and what lately happened to their tokens.
struct UserView: JSONWritable, Sendable {
  let user: UserKey
  /// The language that the backend chose.
  let chosen: String?
  /// Counted over all installations.
  let summary: UserSummary
  /// The installations that are shown, the last seen first.
  let installations: [Installation]
  /// The events of the tokens of the installations that are shown, newest first.
  let events: [NumberedTokenEvent]

  /// Reads the stored data of a person. The view of an unknown person is empty.
  init(of user: UserKey, _ context: LoopContext) async throws {
    self.user = user
    chosen = try await context.registrar.language(of: user)
    summary = UserSummary(try await context.database.read(.summarizeUser(user: user)))
    installations = try await context.database.read(
      .listUserInstallations(user: user, limit: Limits.userInstallations))
    events =
      installations.isEmpty
      ? []
      : try await context.database.read(
        .listUserEvents(
          appID: user.appID, installations: installations.map(\.id), limit: Limits.userEvents))
  }

  func write(to writer: inout JSONWriter) {
    writer.object { writer in
      writer.member("user", user.id)
      writer.member("language_override", chosen)
      writer.member("languages", Self.languages(chosen: chosen, installations))
      writer.member("last_seen_at", summary.lastSeenAt?.rfc3339)
      writer.member("installation_count", summary.installations)
      writer.member("tokens", summary.tokens)
      writer.member("installations", installations.map { InstallationView(installation: $0) })
      writer.member("history", events.map(TokenEventView.init))
    }
  }
}

extension UserView {
  /// A language that the person reads, and how that is known.
  struct Language: JSONWritable, Sendable, Hashable {
    let language: String
    /// The installation whose device has it; `nil` when the backend chose it.
    let installation: InstallationID?

    func write(to writer: inout JSONWriter) {
      writer.object { writer in
        writer.member("language", language)
        writer.member("source", installation == nil ? "chosen" : "device")
        writer.member("installation_id", installation?.text)
      }
    }
  }

  /// The languages in order, each once: the chosen language, then the languages of the devices. The
  /// device that was seen last comes first, and each device keeps its own order.
  ///
  /// Chosen `fr`, a phone with `en` `fr`, a tablet with `de` `en` → `fr`, `en` of the phone, `de`
  /// of the tablet.
  static func languages(chosen: String?, _ installations: [Installation]) -> [Language] {
    var languages: [Language] = []
    var known: Set<Spelling> = []
    if let chosen {
      known.insert(chosen)
      languages.append(Language(language: chosen, installation: nil))
    }
    for installation in installations {
      for language in installation.languages where known.insert(language) {
        languages.append(Language(language: language, installation: installation.id))
      }
    }
    return languages
  }
}

extension Command where Self == Query<NumberedTokenEvent> {
  /// The events of the tokens of some installations, newest first, at most `limit`; also the loss
  /// of a token to another installation. Each installation goes by its own index entries, and reads
  /// at most `limit` of them. A token that moved from one of the installations to another has one
  /// event.
  static func listUserEvents(appID: Int32, installations: [InstallationID], limit: Int) -> Self {
    Query(
      """
      SELECT DISTINCT \(constant: NumberedTokenEvent.selection)
      FROM unnest(\(installations.map(\.uuid))::uuid[]) AS device (device_id) CROSS JOIN LATERAL (
        (
          SELECT \(constant: NumberedTokenEvent.selection) FROM token_history
          WHERE app_id = \(appID) AND installation_id = device_id
          ORDER BY id DESC LIMIT \(Int64(limit))
        ) UNION ALL (
          SELECT \(constant: NumberedTokenEvent.selection) FROM token_history
          WHERE app_id = \(appID) AND from_installation_id = device_id
          ORDER BY id DESC LIMIT \(Int64(limit))
        )
      ) AS halves
      ORDER BY id DESC LIMIT \(Int64(limit))
      """)
  }
}
