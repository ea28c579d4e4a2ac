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
  /// The kinds whose tokens are those of production in every build.
  static let ofProduction: Set<Self> = [.nowPlaying, .nowPlayingStart]
  /// What belongs to the person who is signed in.
  static let person: [Self] = [.user, .tags, .attributes]

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
struct ReportPlace: Hashable, Sendable {
  let field: ReportField
  /// Of a field in ``ReportField/named``.
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
    let parts = text.split(separator: ".", maxSplits: 2, omittingEmptySubsequences: false)
    guard parts.count == 3, let field = ReportField(rawValue: parts[0] + "." + parts[1]),
      ReportField.named.contains(field)
    else { return nil }
    self.init(field, String(parts[2]))
  }

  /// The place as it is stored.
  var text: String { field.rawValue + (name.map { "." + $0 } ?? "") }
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

  /// The part of it that one report may bring: of a kind with more names than a report may have
  /// the first of them, tokens before removals.
  var bounded: Self {
    guard values.count > CredentialLimits.names else { return self }
    func rank(_ value: (key: ReportPlace, value: PayloadValue)) -> (Int, String) {
      (value.value == .null ? 1 : 0, value.key.text)
    }
    var bounded = Self()
    var counts: [ReportField: Int] = [:]
    for (place, value) in values.sorted(by: { rank($0) < rank($1) }) {
      let count = counts[place.field, default: 0]
      guard count < CredentialLimits.names else { continue }
      counts[place.field] = count + 1
      bounded.values[place] = value
    }
    return bounded
  }

  /// The fields as an object of the HTTP contract.
  var report: [String: PayloadValue] {
    var report: [String: PayloadValue] = [:]
    var credentials: [String: PayloadValue] = [:]
    for (place, value) in values {
      guard let kind = place.field.credential.map(String.init) else {
        report[place.field.rawValue] = value
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
    return report
  }
}

extension ReportFields: ExpressibleByDictionaryLiteral {
  init(dictionaryLiteral elements: (ReportField, PayloadValue)...) {
    values = Dictionary(elements.map { (ReportPlace($0), $1) }) { $1 }
  }
}

extension ReportFields: Codable {
  /// Fields that another release of the library has stored are left out.
  init(from decoder: any Decoder) throws {
    let stored = try [String: PayloadValue](from: decoder)
    for (text, value) in stored {
      if let place = ReportPlace(text) { values[place] = value }
    }
  }

  func encode(to encoder: any Encoder) throws {
    let named = values.map { ($0.key.text, $0.value) }
    try Dictionary(uniqueKeysWithValues: named).encode(to: encoder)
  }
}
