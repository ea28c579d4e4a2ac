internal import ASCII
internal import DeviceProfile
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
  /// The last seen first, as far as they are shown.
  let installations: [Installation]
  /// What happened to the tokens of the installations that are shown, newest first.
  let events: [NumberedTokenEvent]

  /// Reads what is stored of a person; of one of whom nothing is known, the view is empty.
  init(of user: UserKey, _ context: LoopContext) async throws {
    self.user = user
    chosen = try await context.registrar.language(of: user)
    summary = UserSummary(try await context.database.read(SummarizeUser(user: user)))
    installations = try await context.database.read(
      ListUserInstallations(user: user, limit: Limits.userInstallations))
    events =
      installations.isEmpty
      ? []
      : try await context.database.read(
        ListUserEvents(
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

  /// The languages in order, each once: the chosen one, then those of the devices, the last seen
  /// first, each in its own order.
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
