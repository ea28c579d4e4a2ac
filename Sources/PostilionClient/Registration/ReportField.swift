/// A field of an installation that the app reports, by its name in the HTTP contract; the token of
/// a kind is a field of its own.
enum ReportField: String, CaseIterable, Sendable {
  case platform
  case environment
  case apns = "credentials.apns"
  case voip = "credentials.voip"
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
  case user
  case tags
  case attributes

  /// The tokens, which are of one environment.
  static let credentials: [Self] = [.apns, .voip]
  /// What belongs to the person who is signed in.
  static let person: [Self] = [.user, .tags, .attributes]
}

/// Fields with their values; null clears a field.
struct ReportFields: Hashable, Sendable {
  var values: [ReportField: PayloadValue] = [:]

  subscript(field: ReportField) -> PayloadValue? {
    get { values[field] }
    set { values[field] = newValue }
  }

  /// The fields that have other values in the other set, or none.
  func differing(from other: Self) -> Self {
    Self(values: values.filter { other[$0.key] != $0.value })
  }

  /// The fields as an object of the HTTP contract.
  var report: [String: PayloadValue] {
    var report: [String: PayloadValue] = [:]
    var credentials: [String: PayloadValue] = [:]
    for (field, value) in values {
      switch field {
      case .apns: credentials["apns"] = value
      case .voip: credentials["voip"] = value
      default: report[field.rawValue] = value
      }
    }
    if !credentials.isEmpty { report["credentials"] = .object(credentials) }
    return report
  }
}

extension ReportFields: ExpressibleByDictionaryLiteral {
  init(dictionaryLiteral elements: (ReportField, PayloadValue)...) {
    values = Dictionary(elements) { $1 }
  }
}

extension ReportFields: Codable {
  /// Fields that another release of the library has stored are left out.
  init(from decoder: any Decoder) throws {
    let stored = try [String: PayloadValue](from: decoder)
    for (name, value) in stored {
      if let field = ReportField(rawValue: name) { values[field] = value }
    }
  }

  func encode(to encoder: any Encoder) throws {
    let named = values.map { ($0.key.rawValue, $0.value) }
    try Dictionary(uniqueKeysWithValues: named).encode(to: encoder)
  }
}
