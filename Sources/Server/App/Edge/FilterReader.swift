internal import ASCII
internal import DeviceProfile
internal import JSON
internal import Localization
internal import Postgres
internal import Registry

/// A source of filters: a query string, or a JSON object.
protocol FilterReader {
  /// The text of a filter of at most so many bytes; `nil` when there is none, or a fault was noted.
  mutating func text(_ name: String, maximum: Int) -> String?
  /// The value of a filter that need not be a text. In a query string it is JSON, or else a text.
  mutating func json(_ name: String) -> JSONValue?
  /// The value of an attribute as a filter names it: a text as it is, or a number or boolean as in
  /// JSON.
  mutating func attributeText(_ name: String) -> String?
  func names(beginning: String) -> [String]
  /// Notes a fault of a filter, or of an entry of its list.
  mutating func refuse(_ name: String, at index: Int?, _ fault: InputFault, _ detail: String)
  /// Reads the filters that are put together by "all", "any" and "not".
  mutating func parts() -> [InstallationCondition]
}

/// The objects that a filter may still have, which take a thousand bytes each once they are read:
/// one for each value, and one more around each, such as a `not`.
final class FilterPlaces {
  fileprivate var free = RegistryLimits.filterValues * 2
}

/// The filters of an object.
struct FilterFields: FilterReader {
  let fields: FieldReader
  /// How many objects this object lies within.
  var depth = 0
  /// How many more objects may lie within the outermost one.
  let places: FilterPlaces

  func text(_ name: String, maximum: Int) -> String? {
    fields.text(name, maximum: maximum).value
  }

  func json(_ name: String) -> JSONValue? { fields.json(name).value }

  func attributeText(_ name: String) -> String? {
    guard let value = json(name) else { return nil }
    if let text = value.attributeText { return text }
    fields.refuseType(name, "a string, number or boolean", value)
    return nil
  }

  func refuse(_ name: String, at index: Int?, _ fault: InputFault, _ detail: String) {
    let place = fields.pointer(to: name)
    fields.refuse(fault.problem(at: index.map { "\(place)/\($0)" } ?? place, detail))
  }

  func parts() -> [InstallationCondition] {
    let none = fields.object("not") { part($0) }.value.map { [InstallationCondition.not($0)] }
    let any = list("any").map { [InstallationCondition.any($0)] }
    return (list("all") ?? []) + (any ?? []) + (none ?? [])
  }

  /// A list of objects, at least one: no caller means no filter at all.
  private func list(_ name: String) -> [InstallationCondition]? {
    guard let value = json(name) else { return nil }
    guard case .array(let elements) = value else {
      fields.refuseType(name, "an array of objects", value)
      return nil
    }
    if elements.isEmpty { fields.refuse(.tooShort, at: name, "One filter at least.") }
    return elements.enumerated().compactMap { index, element in
      fields.nested(element, at: "\(fields.pointer(to: name))/\(index)", part)
    }
  }

  private func part(_ fields: FieldReader) -> InstallationCondition? {
    guard depth < RegistryLimits.filterDepth else {
      let detail = "At most \(RegistryLimits.filterDepth) filters are within each other."
      fields.refuse(.tooDeep, pointer: fields.pointer, detail)
      fields.ignoreUnknownFields()
      return nil
    }
    guard places.free > 0 else {
      fields.refuse(.tooMany, pointer: fields.pointer, InstallationFilter.tooManyValues)
      fields.ignoreUnknownFields()
      return nil
    }
    places.free -= 1
    return .filter(InstallationFilter(reading: fields, depth: depth + 1, places))
  }

  func names(beginning: String) -> [String] {
    fields.names.filter { $0.hasBytes(atStart: beginning) }
  }
}

extension FilterReader {
  mutating func refuse(_ name: String, _ fault: InputFault, _ detail: String) {
    refuse(name, at: nil, fault, detail)
  }

  /// A value of a type; `nil` when there is none, or a fault was noted.
  mutating func parsed<Value>(
    _ name: String, _ fault: InputFault, _ detail: @autoclosure () -> String, maximum: Int = 256,
    _ parse: (String) -> Value?
  ) -> Value? {
    guard let text = text(name, maximum: maximum) else { return nil }
    guard let value = parse(text) else {
      refuse(name, fault, detail())
      return nil
    }
    return value
  }

  mutating func word(_ name: String, of words: [String]) -> String? {
    parsed(name, .unknownValue, Self.detail(name, words)) {
      words.containsSpelling($0) ? $0 : nil
    }
  }

  private static func detail(_ name: String, _ words: [String]) -> String {
    "\(name) is one of \(words.joined(separator: ", "))."
  }

  /// One of a type's words.
  mutating func word<Word: RawRepresentable<String> & CaseIterable>(_ name: String) -> Word? {
    parsed(name, .unknownValue, Self.detail(name, Word.allCases.map(\.rawValue))) {
      Word(spelled: $0)
    }
  }

  mutating func timestamp(_ name: String) -> Timestamp? {
    parsed(name, .invalidTimestamp, "\(name) is a time of RFC 3339.") { Timestamp(rfc3339: $0) }
  }

  /// `true` or `false`.
  mutating func flag(_ name: String) -> Bool? {
    switch json(name) {
    case nil: return nil
    case .bool(let flag): return flag
    default:
      refuse(name, .wrongType, "\(name) is true or false.")
      return nil
    }
  }

  /// A list of texts, at least one. In a query string it is JSON, as texts may have commas.
  fileprivate mutating func texts(_ name: String, maximum: Int) -> [String]? {
    guard let value = json(name) else { return nil }
    guard case .array(let elements) = value, !elements.isEmpty else {
      refuse(name, .wrongType, "\(name) is an array of texts, at least one.")
      return nil
    }
    var texts: [String] = []
    for (index, element) in elements.enumerated() {
      if case .string(let text) = element, TextBounds(maximum: maximum).fault(of: text) == nil {
        texts.append(text)
      } else {
        refuse(name, at: index, .unknownValue, "A text of at most \(maximum) bytes.")
      }
    }
    return texts
  }

  /// A version, `name[gte]` and `name[lt]`.
  fileprivate mutating func versions(_ name: String) -> Bounds<Version> {
    func version(_ name: String, _ reader: inout Self) -> Version? {
      reader.parsed(
        name, .unreadableVersion, "\(name) is up to four dotted numbers, such as 3.2.0.",
        maximum: RegistryLimits.versionBytes
      ) { Version($0) }
    }
    return Bounds(
      exactly: version(name, &self), from: version("\(name)[gte]", &self),
      below: version("\(name)[lt]", &self))
  }

  /// `name_since` and `name_until`.
  fileprivate mutating func times(_ name: String) -> Bounds<Timestamp> {
    Bounds(from: timestamp("\(name)_since"), below: timestamp("\(name)_until"))
  }
}

extension InstallationFilter {
  /// Reads the filters of `GET …/installations`.
  init(appID: Int32, from reader: inout some FilterReader) {
    self.init(appID: appID)
    userIDs = reader.text("user", maximum: RegistryLimits.userIDBytes).map { [$0] }
    language = reader.parsed(
      "language", .invalidLanguage, "language is a language tag or the beginning of one: zh-Hant.",
      maximum: RegistryLimits.languageTagBytes
    ) { LanguageTag(reading: $0)?.text }
    timeZone = reader.text("time_zone", maximum: RegistryLimits.timeZoneBytes)
    capability = reader.text("capability", maximum: RegistryLimits.capabilityBytes)
    for filter in WordFilter.all { words[filter.name] = reader.word(filter.name, of: filter.words) }
    credential = reader.word("credential")
    status = reader.word("status")
    if credential == nil, let any = status {
      status = nil
      parts.append(.term(.status(any)))
    }
    token = reader.parsed(
      "token", .unknownValue,
      "token is at least \(RegistryLimits.tokenPrefixDigits) hex digits of a device token.",
      maximum: RegistryLimits.deviceTokenMaximumBytes * 2
    ) { TokenPrefix($0) }
    appVersion = reader.versions("app_version")
    osVersion = reader.versions("os_version")
    appBuild = reader.versions("app_build")
    registered = reader.times("registered")
    seen = reader.times("seen")
    updated = reader.times("updated")
    readTags(&reader)
    let (attributes, conditions) = reader.attributes()
    self.attributes = attributes
    parts += conditions
    for name in AuthorizationSwitch.allCases {
      guard let value = reader.flag("authorization[\(name.rawValue)]") else { continue }
      parts.append(.term(.authorizationSwitch(name, value)))
    }
    parts += reader.parts()
  }

  private mutating func readTags(_ reader: inout some FilterReader) {
    let maximum = RegistryLimits.tagBytes
    tags = reader.text("tag", maximum: maximum).map { [$0] } ?? []
    tags += reader.texts("tags[all]", maximum: maximum) ?? []
    if let any = reader.texts("tags[any]", maximum: maximum) {
      parts.append(.term(.tag(anyOf: any)))
    }
    if let none = reader.texts("tags[none]", maximum: maximum) {
      parts.append(.not(.term(.tag(anyOf: none))))
    }
  }

  /// Reads the filters of an object, which has one at least.
  /// - Parameter depth: How many objects this object lies within. Only the outermost object may ask
  ///   for a token, because the token is looked up before the filter becomes SQL.
  init(reading fields: FieldReader, depth: Int = 0, _ places: FilterPlaces = FilterPlaces()) {
    var reader = FilterFields(fields: fields, depth: depth, places: places)
    self.init(appID: 0, from: &reader)
    fields.refuseWidening()
    if depth > 0, token != nil {
      fields.refuse(.unknownField, at: "token", "Only the outermost filter finds a token.")
    }
    if depth == 0, let detail = tooLarge {
      fields.refuse(.tooMany, pointer: fields.pointer, detail)
    }
  }

  /// The fault of a filter that compares too many values; `nil` when it does not.
  var tooLarge: String? {
    size > RegistryLimits.filterValues ? Self.tooManyValues : nil
  }

  static let tooManyValues =
    "A filter compares at most \(RegistryLimits.filterValues) values."

  /// The ids of an audience, like ``ids(_:)``. A search shows the first ids, but an audience is
  /// whole or refused.
  func audienceIDs(_ database: PostgresClient) async throws -> [InstallationID]? {
    let found = try await ids(database)
    guard (found ?? []).count < RegistryLimits.pageMaximum else {
      throw InputFailure(
        .tooMany, at: "/to/filter/token",
        "\(RegistryLimits.pageMaximum) tokens or more begin with these digits; "
          + "give more of them.")
    }
    return found
  }
}

extension FieldReader {
  /// Refuses an empty filter and null values: if a variable of a backend is null by mistake, a
  /// filter for one person must not become one for everybody.
  fileprivate func refuseWidening() {
    if names.isEmpty {
      refuse(InputFault.missingField.problem(at: pointer, "No filter; `all` names everybody."))
    }
    for name in names where !has(name) {
      refuse(.wrongType, at: name, "A filter cannot be null.")
    }
  }
}
