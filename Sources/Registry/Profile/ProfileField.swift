internal import DeviceProfile
package import JSON
internal import Postgres

/// A field of the profile that an app reports of its device: all that the service does with it, in
/// one place. `CONTRIBUTING.md` tells how to add one.
///
/// An object: each request goes through all of them several times, and a copy of a dozen closures
/// costs more than what they do.
package final class ProfileField: Sendable {
  /// How a cell of a table holds it.
  package enum CellForm: Sendable {
    case text
    /// Words with spaces between them.
    case words
    case json
  }

  /// What rendering depends on.
  struct Trait: Sendable {
    /// When it can make a difference to a notification; empty: always.
    let aspects: DeviceAspects
    let set: @Sendable (Installation, inout Device) -> Void

    init(
      _ aspects: DeviceAspects = [], _ set: @escaping @Sendable (Installation, inout Device) -> Void
    ) {
      self.aspects = aspects
      self.set = set
    }
  }

  /// Its name in the database and in tables, and in JSON unless it says otherwise.
  package let name: String
  package let cellForm: CellForm
  let column: InstallationColumn
  /// Reads its column.
  let load: @Sendable (inout Installation, inout RowReader) throws(PostgresError) -> Void
  /// Reads its column, which was kept as it came.
  let loadRaw: @Sendable (inout Installation, inout RawColumnReader) throws(PostgresError) -> Void
  /// Reads it from a report.
  let read: @Sendable (FieldReader, inout RegistrationReport) -> Void
  /// Changes the state as a report says.
  let apply: @Sendable (RegistrationReport, inout Installation) -> Void
  /// Writes it as a member of an answer.
  package let write: @Sendable (Installation, inout JSONWriter) -> Void
  /// Its cell; `nil` leaves it empty.
  package let cell: @Sendable (Installation) -> String?
  /// The word that installations are filtered by.
  let word: WordFilter?
  let trait: Trait?

  /// All of them, in the order in which answers show them.
  package static let all: [ProfileField] = [
    ProfileField(
      "languages", .list(\.languages), \.languages, cells: .words, trait: Trait { _, _ in }
    ) { fields, name in
      fields.texts(
        name, maximumCount: RegistryLimits.languages, maximum: RegistryLimits.languageTagBytes,
        isSecondary: true, fault: languageFault)
    },
    ProfileField(
      "locale", .optional(\.locale), \.locale, trait: Trait(.locale) { $1.locale = $0.locale }
    ) {
      $0.text($1, maximum: RegistryLimits.localeBytes, isSecondary: true)
    },
    ProfileField(
      "time_zone", .optional(\.timeZone), \.timeZone,
      trait: Trait(.timeZone) { $1.timeZone = $0.timeZone }
    ) { $0.timeZone($1) },
    ProfileField(
      "app_version", .optional(\.appVersion), \.appVersion,
      trait: Trait { $1.appVersion = $0.appVersion }
    ) { $0.version($1) },
    ProfileField(
      "app_build", .optional(\.appBuild), \.appBuild, trait: Trait { $1.appBuild = $0.appBuild }
    ) { $0.version($1) },
    ProfileField(
      "os_version", .optional(\.osVersion), \.osVersion,
      trait: Trait(.abilities) { $1.osVersion = $0.osVersion.flatMap { Version($0) } }
    ) { $0.version($1) },
    ProfileField("device_model", .optional(\.deviceModel), \.deviceModel) {
      $0.text($1, maximum: RegistryLimits.versionBytes, isSecondary: true)
    },
    ProfileField(
      word: "localization", .value(\.localization, default: .auto), \.localization,
      trait: Trait(.abilities) { $1.localization = $0.localization }),
    ProfileField(
      "capabilities", .list(\.capabilities), \.capabilities, cells: .json,
      trait: Trait(.abilities) { $1.capabilities = Set($0.capabilities) }
    ) {
      $0.texts(
        $1, maximumCount: RegistryLimits.capabilities, maximum: RegistryLimits.capabilityBytes,
        isSecondary: true)
    },
    ProfileField(
      "authorization", .optional(\.authorization), \.authorization, cells: .json,
      trait: Trait(.authorization) {
        $1.permissions = $0.authorization?.permissions ?? Permissions()
      }
    ) { $0.authorization($1) },
    ProfileField(
      word: "background_refresh", .optional(\.backgroundRefresh), \.backgroundRefresh,
      trait: Trait(.abilities) { $1.backgroundRefresh = $0.backgroundRefresh }),
    user,
    ProfileField("tags", .list(\.tags), \.tags, cells: .json) {
      $0.texts(
        $1, maximumCount: RegistryLimits.tags, maximum: RegistryLimits.tagBytes, isSecondary: true)
    },
    ProfileField("attributes", .optional(\.attributes), \.attributes, cells: .json) {
      $0.attributes($1)
    },
  ]

  /// The fields that rendering depends on.
  static let traits = all.filter { $0.trait != nil }

  /// The person: `{"user": {"id": …}}` in JSON. Who is newly named may get a language with it, so
  /// ``Registration`` applies it.
  private static let user = ProfileField(
    "user_id", .optional(\.userID), cells: .text,
    read: { $1.user = $0.object("user", ReportedUser.init(reading:)) }, apply: { _, _ in },
    write: { installation, writer in
      writer.key("user")
      if let userID = installation.userID {
        writer.object { $0.member("id", userID) }
      } else {
        writer.null()
      }
    })

  fileprivate init<Value: ProfileValue>(
    _ name: String, _ property: Property<Value>, cells: CellForm, trait: Trait? = nil,
    word: WordFilter? = nil,
    read: @escaping @Sendable (FieldReader, inout RegistrationReport) -> Void,
    apply: @escaping @Sendable (RegistrationReport, inout Installation) -> Void,
    write: @escaping @Sendable (Installation, inout JSONWriter) -> Void
  ) {
    self.name = name
    cellForm = cells
    column = InstallationColumn("\"\(name)\"", "text", cast: Value.cast) { property.get($0)?.bound }
    load = { installation, row throws(PostgresError) in
      property.set(&installation, try Value(row: &row))
    }
    loadRaw = { installation, row throws(PostgresError) in
      property.set(&installation, try Value(row: &row))
    }
    cell = { installation in
      let value = property.get(installation)
      return cells == .words ? (value as? [String])?.joined(separator: " ") : value?.cell
    }
    self.read = read
    self.apply = apply
    self.write = write
    self.trait = trait
    self.word = word
  }
}

// MARK: Making

/// Where an installation holds a value.
private struct Property<Value: ProfileValue>: Sendable {
  let get: @Sendable (Installation) -> Value?
  let set: @Sendable (inout Installation, Value?) -> Void

  static func optional(_ path: any WritableKeyPath<Installation, Value?> & Sendable) -> Self {
    Self(get: { $0[keyPath: path] }, set: { $0[keyPath: path] = $1 })
  }

  static func value(
    _ path: any WritableKeyPath<Installation, Value> & Sendable, default value: Value
  ) -> Self {
    Self(get: { $0[keyPath: path] }, set: { $0[keyPath: path] = $1 ?? value })
  }

  static func list(_ path: any WritableKeyPath<Installation, [String]> & Sendable) -> Self
  where Value == [String] { value(path, default: []) }
}

extension ProfileField {
  /// A field.
  /// - Parameter read: Reads it from a report.
  private convenience init<Value: ProfileValue>(
    _ name: String, _ property: Property<Value>,
    _ reported: any WritableKeyPath<RegistrationReport, Change<Value>> & Sendable,
    cells: CellForm = .text, trait: Trait? = nil, word: WordFilter? = nil,
    read: @escaping @Sendable (FieldReader, String) -> Change<Value>
  ) {
    self.init(
      name, property, cells: cells, trait: trait, word: word,
      read: { $1[keyPath: reported] = read($0, name) },
      apply: { report, next in
        let change = report[keyPath: reported]
        if case .keep = change { return }
        property.set(&next, change.value)
      },
      write: { installation, writer in
        writer.key(name)
        if let value = property.get(installation) {
          value.write(to: &writer)
        } else {
          writer.null()
        }
      })
  }

  /// A word of a fixed list, by which installations are filtered, too.
  private convenience init<Word: ProfileValue & RawRepresentable<String> & CaseIterable>(
    word name: String, _ property: Property<Word>,
    _ reported: any WritableKeyPath<RegistrationReport, Change<Word>> & Sendable,
    trait: Trait? = nil
  ) {
    self.init(
      name, property, reported, trait: trait,
      word: WordFilter(name, of: Word.self) { property.get($0) },
      read: { $0.word($1, isSecondary: true) })
  }
}
