internal import DeviceProfile
package import JSON
internal import Postgres

/// A field of the profile that an app reports of its device: all that the service does with it, in
/// one place. `CONTRIBUTING.md` tells how to add one.
///
/// It is an object, as each request goes through all fields several times, and a copy of a dozen
/// closures costs more than to run them. It has closures and no key paths, as a read through a key
/// path copies the whole installation.
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
    /// SQL for the part of its column that can make a difference, made from the column's name and a
    /// list of attributes. Without it the whole column counts.
    let part: (@Sendable (_ column: String, _ names: String) -> String)?
    let set: @Sendable (Installation, inout Device) -> Void

    init(
      _ aspects: DeviceAspects = [],
      part: (@Sendable (_ column: String, _ names: String) -> String)? = nil,
      _ set: @escaping @Sendable (Installation, inout Device) -> Void
    ) {
      self.aspects = aspects
      self.part = part
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
  /// Takes the value over from an installation that another one continues, if the other one has
  /// none.
  let inherit: @Sendable (Installation, inout Installation) -> Void
  /// Writes it as a member of an answer.
  private let write: @Sendable (Installation, inout JSONWriter) -> Void
  /// Its cell; `nil` leaves it empty.
  package let cell: @Sendable (Installation) -> String?
  /// The word that installations are filtered by.
  let word: WordFilter?
  let trait: Trait?

  /// All of them, in the order in which answers show them.
  package static let all: [ProfileField] = [
    ProfileField(
      "languages", get: { $0.languages }, set: { $0.languages = $1 ?? [] }, cells: .words,
      trait: Trait { _, _ in }, apply: { $0.languages.apply(to: &$1.languages, cleared: []) }
    ) {
      $2.languages = $0.texts(
        $1, maximumCount: RegistryLimits.languages, maximum: RegistryLimits.languageTagBytes,
        isSecondary: true, fault: languageFault)
    },
    ProfileField(
      "locale", get: { $0.locale }, set: { $0.locale = $1 },
      trait: Trait(.locale) { $1.locale = $0.locale },
      apply: { $0.locale.apply(to: &$1.locale) }
    ) { $2.locale = $0.locale($1) },
    ProfileField(
      "time_zone", get: { $0.timeZone }, set: { $0.timeZone = $1 },
      trait: Trait(.timeZone) { $1.timeZone = $0.timeZone },
      apply: { $0.timeZone.apply(to: &$1.timeZone) }
    ) { $2.timeZone = $0.timeZone($1) },
    ProfileField(
      "app_version", get: { $0.appVersion }, set: { $0.appVersion = $1 },
      trait: Trait { $1.appVersion = $0.appVersion },
      apply: { $0.appVersion.apply(to: &$1.appVersion) }
    ) { $2.appVersion = $0.version($1) },
    ProfileField(
      "app_build", get: { $0.appBuild }, set: { $0.appBuild = $1 },
      trait: Trait { $1.appBuild = $0.appBuild }, apply: { $0.appBuild.apply(to: &$1.appBuild) }
    ) { $2.appBuild = $0.version($1) },
    ProfileField(
      "os_version", get: { $0.osVersion }, set: { $0.osVersion = $1 },
      trait: Trait(.abilities) { $1.osVersion = $0.osVersion.flatMap { Version($0) } },
      apply: { $0.osVersion.apply(to: &$1.osVersion) }
    ) { $2.osVersion = $0.version($1) },
    ProfileField(
      "device_model", get: { $0.deviceModel }, set: { $0.deviceModel = $1 },
      apply: { $0.deviceModel.apply(to: &$1.deviceModel) }
    ) { $2.deviceModel = $0.text($1, maximum: RegistryLimits.versionBytes, isSecondary: true) },
    ProfileField(
      word: "localization", get: { $0.localization }, set: { $0.localization = $1 ?? .auto },
      trait: Trait(.abilities) { $1.localization = $0.localization },
      apply: { $0.localization.apply(to: &$1.localization, cleared: .auto) }
    ) { $2.localization = $0.word($1, isSecondary: true) },
    ProfileField(
      "capabilities", get: { $0.capabilities }, set: { $0.capabilities = $1 ?? [] }, cells: .json,
      trait: Trait(.abilities) { $1.capabilities = Set($0.capabilities) },
      apply: { $0.capabilities.apply(to: &$1.capabilities, cleared: []) }
    ) {
      $2.capabilities = $0.texts(
        $1, maximumCount: RegistryLimits.capabilities, maximum: RegistryLimits.capabilityBytes,
        isSecondary: true)
    },
    ProfileField(
      "authorization", get: { $0.authorization }, set: { $0.authorization = $1 }, cells: .json,
      trait: Trait(.authorization) {
        $1.permissions = $0.authorization?.permissions ?? Permissions()
      },
      apply: { $0.authorization.apply(to: &$1.authorization) }
    ) { $2.authorization = $0.authorization($1) },
    ProfileField(
      word: "background_refresh", get: { $0.backgroundRefresh },
      set: { $0.backgroundRefresh = $1 },
      trait: Trait(.abilities) { $1.backgroundRefresh = $0.backgroundRefresh },
      apply: { $0.backgroundRefresh.apply(to: &$1.backgroundRefresh) }
    ) { $2.backgroundRefresh = $0.word($1, isSecondary: true) },
    user,
    ProfileField(
      "tags", get: { $0.tags }, set: { $0.tags = $1 ?? [] }, cells: .json,
      apply: { $1.tags = $0.tags(over: $1.tags) }
    ) {
      $2.tags = $0.texts(
        $1, maximumCount: RegistryLimits.tags, maximum: RegistryLimits.tagBytes, isSecondary: true)
      $2.tagChange = $0.tagChange("tag_changes")
    },
    ProfileField(
      "attributes", get: { $0.attributes }, set: { $0.attributes = $1 }, cells: .json,
      trait: Trait(.attributes, part: namedMembers) { $1.attributes = $0.attributes?.json },
      apply: { $1.attributes = $0.attributes(over: $1.attributes) }
    ) { $2.attributes = $0.attributes($1) },
    ProfileField(
      "bundle_id", get: { $0.bundleID }, set: { $0.bundleID = $1 },
      trait: Trait(.bundleID) { $1.bundleID = $0.bundleID },
      apply: { $0.bundleID.apply(to: &$1.bundleID) }
    ) { $2.bundleID = $0.text($1, maximum: RegistryLimits.bundleIDBytes, minimum: 1) },
    ProfileField(
      "frequent_pushes", get: { $0.frequentPushes }, set: { $0.frequentPushes = $1 },
      cells: .json, apply: { $0.frequentPushes.apply(to: &$1.frequentPushes) }
    ) { $2.frequentPushes = $0.flag($1, isSecondary: true) },
    ProfileField(
      "live_activities_allowed", get: { $0.liveActivitiesAllowed },
      set: { $0.liveActivitiesAllowed = $1 }, cells: .json,
      trait: Trait(.liveActivities) { $1.liveActivitiesAllowed = $0.liveActivitiesAllowed },
      apply: { $0.liveActivitiesAllowed.apply(to: &$1.liveActivitiesAllowed) }
    ) { $2.liveActivitiesAllowed = $0.flag($1, isSecondary: true) },
  ]

  /// The fields that rendering depends on.
  static let traits = all.filter { $0.trait != nil }

  private static let fieldReferences = all.map(Unmanaged.passUnretained)
  private static let traitReferences = traits.map(Unmanaged.passUnretained)

  /// Calls `body` for each field without counting references. All loops would count in the same
  /// places of memory, and wait for each other.
  static func forEach<Failure>(
    _ body: (ProfileField) throws(Failure) -> Void
  ) throws(Failure) {
    try forEach(fieldReferences, body)
  }

  /// The same for the fields that rendering depends on.
  static func forEachTrait<Failure>(
    _ body: (ProfileField) throws(Failure) -> Void
  ) throws(Failure) {
    try forEach(traitReferences, body)
  }

  /// Writes all of them as members of an answer.
  package static func write(_ installation: Installation, to writer: inout JSONWriter) {
    forEach { $0.write(installation, &writer) }
  }

  private static func forEach<Failure>(
    _ references: [Unmanaged<ProfileField>], _ body: (ProfileField) throws(Failure) -> Void
  ) throws(Failure) {
    for reference in references {
      try reference._withUnsafeGuaranteedRef { field in
        Result { () throws(Failure) in try body(field) }
      }.get()
    }
  }

  /// The members of a JSON object that have one of these names; null when there are none.
  private static let namedMembers: @Sendable (String, String) -> String = { column, names in
    """
    (SELECT json_object_agg(key, value)::text FROM json_each(\(column)::json)
      WHERE key = ANY (\(names)))
    """
  }

  /// The person: `{"user": {"id": …}}` in JSON. With a newly named person the installation may get
  /// a language, so ``Registration`` applies the field.
  private static let user = ProfileField(
    "user_id", get: { $0.userID }, set: { $0.userID = $1 }, apply: { _, _ in },
    write: { installation, writer in
      writer.key("user")
      if let userID = installation.userID {
        writer.object { $0.member("id", userID) }
      } else {
        writer.null()
      }
    }
  ) { fields, _, report in report.user = fields.object("user", ReportedUser.init(reading:)) }

  /// A field.
  /// - Parameters:
  ///   - get: The value of an installation; `nil` when there is none.
  ///   - write: Writes it into an answer; as a member of its name unless it says otherwise.
  ///   - read: Reads a member of this name into a report.
  private init<Value: ProfileValue>(
    _ name: String, get: @escaping @Sendable (Installation) -> Value?,
    set: @escaping @Sendable (inout Installation, Value?) -> Void, cells: CellForm = .text,
    trait: Trait? = nil, word: WordFilter? = nil,
    apply: @escaping @Sendable (RegistrationReport, inout Installation) -> Void,
    write: (@Sendable (Installation, inout JSONWriter) -> Void)? = nil,
    read: @escaping @Sendable (FieldReader, String, inout RegistrationReport) -> Void
  ) {
    self.name = name
    cellForm = cells
    column = InstallationColumn("\"\(name)\"") { get($0)?.bound }
    load = { installation, row throws(PostgresError) in
      set(&installation, try Value(column: &row))
    }
    loadRaw = { installation, row throws(PostgresError) in
      set(&installation, try Value(column: &row))
    }
    cell = { installation in
      let value = get(installation)
      return cells == .words ? (value as? [String])?.joined(separator: " ") : value?.cell
    }
    self.read = { read($0, name, &$1) }
    self.apply = apply
    inherit = { former, next in
      if get(next)?.isNothing ?? true, let value = get(former) { set(&next, value) }
    }
    self.write =
      write ?? { installation, writer in
        writer.key(name)
        if let value = get(installation) {
          value.write(to: &writer)
        } else {
          writer.null()
        }
      }
    self.trait = trait
    self.word = word
  }

  /// A word of a fixed list, by which installations are filtered, too.
  private convenience init<Word: ProfileValue & RawRepresentable<String> & CaseIterable>(
    word name: String, get: @escaping @Sendable (Installation) -> Word?,
    set: @escaping @Sendable (inout Installation, Word?) -> Void, trait: Trait? = nil,
    apply: @escaping @Sendable (RegistrationReport, inout Installation) -> Void,
    read: @escaping @Sendable (FieldReader, String, inout RegistrationReport) -> Void
  ) {
    self.init(
      name, get: get, set: set, trait: trait, word: WordFilter(name, of: Word.self, get),
      apply: apply, read: read)
  }
}
