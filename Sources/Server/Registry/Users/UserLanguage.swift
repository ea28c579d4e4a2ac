package import ASCII
internal import FoundationEssentials
package import Postgres

/// A person as an app names them: by the very bytes of the name, as the database compares.
package struct UserKey: Hashable, Sendable {
  package var appID: Int32
  @Spelled package var id: String

  package init(appID: Int32, id: String) {
    self.appID = appID
    self.id = id
  }
}

extension Registrar {
  /// Gives all devices of a person the language chosen for them; on return they have it.
  ///
  /// The caller has written the choice into `user_language` before. A device that logs in at the
  /// same moment reads that table again after its own write. Example: if the choice is written
  /// first, the device reads it; if the device is written first, this call finds it. Two calls that
  /// choose at once each go on until all devices have the language that stands in the table, so the
  /// last one stays.
  /// - Throws: ``RegistryFailure`` when others keep choosing; ``PostgresError``.
  package func alignLanguages(of user: UserKey, at now: Timestamp) async throws {
    for _ in 0..<RegistryLimits.userPortions {
      let language = try await language(of: user)
      let others = try await database.read(.findOtherLanguages(user: user, language: language))
      if others.isEmpty { return }
      _ = try await revise(others, of: user.appID, at: now, .init(.backend)) { stored in
        guard stored.isOf(user), stored.languageOverride != language else { return .keep }
        return .write(stored.revised(at: now) { $0.languageOverride = language })
      }
    }
    throw RegistryFailure.outrun
  }
}

extension Installation {
  /// Whether a person is logged in.
  func isOf(_ user: UserKey) -> Bool {
    userID.map { UserKey(appID: appID, id: $0) == user } ?? false
  }
}

extension Parameters {
  /// Appends the app and the person.
  package mutating func append(_ user: UserKey) {
    append(user.appID)
    append(user.id)
  }
}

/// The language that was chosen for a person, as it was read; `nil` when none was.
struct ChosenLanguage: Sendable {
  var user: UserKey
  var language: String?
}

/// The languages that the backend chose for some of many persons.
package struct LoadUserLanguages: KeyedStatement {
  package static let sql = """
    SELECT app_id, user_id, language
    FROM unnest($1::int4[], $2::text[]) AS keys (app_id, user_id)
    JOIN user_language USING (app_id, user_id)
    """
  package let keys: [UserKey]

  package init(keys: [UserKey]) {
    self.keys = keys
  }

  package func bind(to parameters: inout Parameters) {
    parameters.append(column: keys.map(\.appID))
    parameters.append(column: keys.map(\.id))
  }

  package static func decode(
    _ row: inout RowReader
  ) throws(PostgresError) -> (user: UserKey, language: String) {
    (UserKey(appID: try row.next(), id: try row.next()), try row.next())
  }

  package static func key(of row: (user: UserKey, language: String)) -> UserKey { row.user }
}

extension Command where Self == Query<InstallationID> {
  /// Some of a person's installations whose language is not the chosen one. A caller that changes
  /// them asks again until there are none.
  static func findOtherLanguages(user: UserKey, language: String?) -> Self {
    Query(
      """
      SELECT installation_id FROM installation
      WHERE app_id = \(user.appID) AND user_id = \(user.id)
        AND language_override IS DISTINCT FROM \(language)
      LIMIT \(Int64(RegistryLimits.userPortion))
      """)
  }
}
