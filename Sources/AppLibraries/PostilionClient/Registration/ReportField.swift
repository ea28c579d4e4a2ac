import Foundation

/// A field of an installation that the app reports, by its name in the HTTP contract; the tokens of
/// a kind are a field of its own.
enum ReportField: String, CaseIterable, Sendable {
  case platform
  case environment
  case bundleID = "bundle_id"
  case apns = "credentials.apns"
  case voip = "credentials.voip"
  case widgets = "credentials.widgets"
  case location = "credentials.location"
  case pushToTalk = "credentials.push_to_talk"
  case fileProvider = "credentials.file_provider"
  case complication = "credentials.complication"
  case nowPlayingStart = "credentials.nowplaying_start"
  case liveActivityStart = "credentials.live_activity_start"
  case liveActivities = "credentials.live_activities"
  case controls = "credentials.controls"
  case nowPlaying = "credentials.nowplaying"
  case languages
  case locale
  case timeZone = "time_zone"
  case appVersion = "app_version"
  case appBuild = "app_build"
  case osVersion = "os_version"
  case deviceModel = "device_model"
  case localization
  case capabilities
  case authorization
  case backgroundRefresh = "background_refresh"
  case frequentPushes = "frequent_pushes"
  case liveActivitiesAllowed = "live_activities_allowed"
  case user
  case tags
  case attributes

  /// The tokens that the system tells at each launch. It tells the others when they change.
  static let toldAtLaunch: [Self] = [.apns, .voip]
  /// The kinds with several tokens, each of which has a name.
  static let named: Set<Self> = [.liveActivityStart, .liveActivities, .controls, .nowPlaying]
  /// The fields whose names are of several writers: of the app those that it set, of a backend
  /// others. They are reported name by name, and so neither undoes what the other did.
  static let shared: Set<Self> = [.tags, .attributes]
  /// The kinds whose tokens are those of production in every build.
  static let ofProduction: Set<Self> = [.nowPlaying, .nowPlayingStart]
  /// Whether it is that of tokens which the system tells when they change, and not at each launch.
  var isToldOnChange: Bool { credential != nil && !Self.toldAtLaunch.contains(self) }

  /// What the field of a kind of tokens is called among them; `nil` for other fields.
  var credential: Substring? {
    let prefix = "credentials."
    return rawValue.hasPrefix(prefix) ? rawValue.dropFirst(prefix.count) : nil
  }
}

/// Where a value stands in a report: a field, or a name below a field.
///
///     app_build
///     credentials.apns
///     credentials.live_activities.A7C1     the activity A7C1
///     credentials.controls.LightHandler    all controls of that handler
///     attributes.plan                      the attribute plan
///     attributes                           all attributes, also those of others: to clear them
struct ReportPlace: Sendable {
  let field: ReportField
  /// Of a field in ``ReportField/named`` or ``ReportField/shared``.
  let name: String?

  /// A place.
  init(_ field: ReportField, _ name: String? = nil) {
    self.field = field
    self.name = name
  }

  /// Reads what ``text`` has written; `nil` for what another release of the library has stored.
  init?(_ text: String) {
    if let field = ReportField(rawValue: text), !ReportField.named.contains(field) {
      self.init(field)
      return
    }
    for field in ReportField.shared where text.hasPrefix(field.rawValue + ".") {
      guard let name = text.dropFirst(field.rawValue.count + 1).removingPercentEncoding else {
        return nil
      }
      self.init(field, name)
      return
    }
    let parts = text.split(separator: ".", maxSplits: 2, omittingEmptySubsequences: false)
    guard parts.count == 3, let field = ReportField(rawValue: parts[0] + "." + parts[1]),
      ReportField.named.contains(field)
    else { return nil }
    self.init(field, String(parts[2]))
  }

  /// The names that lead to the value in a report, but for those of tags: the report lists these.
  var path: [String] {
    let names = field.credential.map { ["credentials", String($0)] } ?? [field.rawValue]
    return names + (name.map { [$0] } ?? [])
  }

  /// The place as it is stored: the name of a tag or attribute in ASCII, so that two spellings of
  /// a letter stay two names.
  var text: String {
    guard let name else { return field.rawValue }
    let isShared = ReportField.shared.contains(field)
    let stored = isShared ? name.addingPercentEncoding(withAllowedCharacters: .alphanumerics) : name
    return "\(field.rawValue).\(stored ?? name)"
  }
}

extension ReportPlace: Hashable {
  /// Whether two places have the same bytes: é as one character and é as a letter with an accent
  /// are two names, as they are to the server.
  static func == (one: Self, other: Self) -> Bool {
    guard one.field == other.field else { return false }
    guard let name = one.name, let otherName = other.name else { return one.name == other.name }
    return name.utf8.elementsEqual(otherName.utf8)
  }

  func hash(into hasher: inout Hasher) {
    hasher.combine(field)
    for byte in (name ?? "").utf8 { hasher.combine(byte) }
  }
}

/// What was told, as far as it is of one process alone: two states do not differ by it.
struct ToldPlaces: Hashable, Sendable {
  /// Of tokens.
  var places = Set<ReportPlace>()
  /// Whether a person has left since the last report went out.
  var hasLeft = false

  static func == (_: Self, _: Self) -> Bool { true }
  func hash(into _: inout Hasher) {}
}

/// Values by their places; null clears a place.
struct ReportFields: Hashable, Sendable {
  var values: [ReportPlace: PayloadValue] = [:]

  subscript(field: ReportField) -> PayloadValue? {
    get { values[ReportPlace(field)] }
    set { values[ReportPlace(field)] = newValue }
  }

  /// What has other values in the other set, or none.
  func differing(from other: Self) -> Self {
    Self(values: values.filter { other.values[$0.key] != $0.value })
  }

  /// The tokens alone.
  var credentials: Self { Self(values: values.filter { $0.key.field.credential != nil }) }

  /// The names of a field with their values.
  func names(of field: ReportField) -> [(name: String, value: PayloadValue)] {
    values.compactMap { place, value in
      guard place.field == field, let name = place.name else { return nil }
      return (name, value)
    }.sorted { $0.name.utf8.lexicographicallyPrecedes($1.name.utf8) }
  }

  /// Tags and attributes are those of a person, also those that a backend gave: they go with the
  /// person, before any of another one are told.
  mutating func leavePerson() {
    for field in ReportField.shared {
      forgetNames(of: field)
      self[field] = .null
    }
  }

  /// Forgets the names of a field.
  mutating func forgetNames(of field: ReportField) {
    values = values.filter { $0.key.field != field || $0.key.name == nil }
  }

  /// The part of it that one report may bring: of a kind with more names than a report may have
  /// the first of them, tokens before removals. Tags and attributes that are removed make room for
  /// others.
  var bounded: Self {
    guard values.count > CredentialLimits.names else { return self }
    func rank(_ value: (key: ReportPlace, value: PayloadValue)) -> (Int, String) {
      let isRemoval = value.value == .null
      return (isRemoval == ReportField.shared.contains(value.key.field) ? 0 : 1, value.key.text)
    }
    var bounded = Self()
    var counts: [ReportField: Int] = [:]
    for (place, value) in values.sorted(by: { rank($0) < rank($1) }) {
      let count = counts[place.field, default: 0]
      let isShared = ReportField.shared.contains(place.field)
      guard count < (isShared ? CredentialLimits.sharedNames : CredentialLimits.names) else {
        continue
      }
      counts[place.field] = count + 1
      bounded.values[place] = value
    }
    return bounded
  }

  /// The places of which a server took nothing, by the pointers of what it left out.
  ///
  ///     /app_version            the field
  ///     /tag_changes/add/3      the fourth of the tags, as ``report`` lists them
  ///     /attributes             all attributes
  ///     /attributes/a very lo…  the attribute
  ///     /languages/1            none: the other languages count
  func places(at pointers: [String]) -> Set<ReportPlace> {
    guard !pointers.isEmpty else { return [] }
    var paths = Dictionary(uniqueKeysWithValues: values.keys.map { ($0, $0.path) })
    for (list, tags) in tagLists {
      for (index, tag) in tags.enumerated() {
        paths[ReportPlace(.tags, tag)] = ["tag_changes", list, String(index)]
      }
    }
    let leftOut = paths.filter { _, path in
      let parts = path.map {
        $0.replacingOccurrences(of: "~", with: "~0").replacingOccurrences(of: "/", with: "~1")
      }
      let pointer = "/" + parts.joined(separator: "/")
      return pointers.contains { given in
        // A name that is too long is shortened.
        given.last == "…"
          ? pointer.hasPrefix(given.dropLast())
          : pointer == given || pointer.hasPrefix(given + "/")
      }
    }
    return Set(leftOut.keys)
  }

  /// The tags that come, and those that go, as ``report`` lists them.
  private var tagLists: [(name: String, tags: [String])] {
    let tags = names(of: .tags)
    return [
      ("add", tags.filter { $0.value != .null }.map(\.name)),
      ("remove", tags.filter { $0.value == .null }.map(\.name)),
    ].filter { !$0.1.isEmpty }
  }

  /// The fields as an object of the HTTP contract.
  var report: [String: PayloadValue] {
    var report: [String: PayloadValue] = [:]
    var credentials: [String: PayloadValue] = [:]
    for (place, value) in values {
      guard let kind = place.field.credential.map(String.init) else {
        if place.name == nil { report[place.field.rawValue] = value }
        continue
      }
      guard let name = place.name else {
        credentials[kind] = value
        continue
      }
      var named = credentials[kind]?.object ?? [:]
      named[name] = value
      credentials[kind] = .object(named)
    }
    if !credentials.isEmpty { report["credentials"] = .object(credentials) }
    let changes = tagLists.map { ($0.name, PayloadValue.array($0.tags.map { .string($0) })) }
    if !changes.isEmpty {
      report["tag_changes"] = .object(Dictionary(uniqueKeysWithValues: changes))
    }
    let attributes = names(of: .attributes)
    if !attributes.isEmpty {
      report["attributes"] = .object(Dictionary(attributes.map { ($0.name, $0.value) }) { $1 })
    }
    return report
  }
}

extension ReportFields: ExpressibleByDictionaryLiteral {
  init(dictionaryLiteral elements: (ReportField, PayloadValue)...) {
    values = Dictionary(elements.map { (ReportPlace($0), $1) }) { $1 }
  }
}

extension ReportFields: Codable {
  /// Fields that another release of the library has stored are left out. The first releases stored
  /// all tags as a list, and all attributes as an object.
  init(from decoder: any Decoder) throws {
    let stored = try [String: PayloadValue](from: decoder)
    for (text, value) in stored {
      guard let place = ReportPlace(text) else { continue }
      if ReportField.shared.contains(place.field), place.name == nil, value != .null {
        values.merge(Self.named(value, of: place.field).values) { $1 }
      } else {
        values[place] = value
      }
    }
  }

  /// Tags or attributes as the app tells them, name by name. A null is none.
  static func named(_ value: PayloadValue, of field: ReportField) -> Self {
    var fields = Self()
    for name in (value.array ?? []).compactMap(\.string) {
      fields.values[ReportPlace(field, name)] = .bool(true)
    }
    for (name, value) in value.object ?? [:] where value.normal != .null {
      fields.values[ReportPlace(field, name)] = value.normal
    }
    return fields
  }

  func encode(to encoder: any Encoder) throws {
    let named = values.map { ($0.key.text, $0.value) }
    try Dictionary(named) { $1 }.encode(to: encoder)
  }
}
