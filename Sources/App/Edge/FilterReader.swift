internal import DeviceProfile
internal import JSON
internal import Localization
internal import Postgres
internal import Registry

/// Where filters come from: a query string, or a JSON object.
protocol FilterReader {
  /// The text of a filter of at most so many bytes; `nil` when there is none, or a fault was noted.
  mutating func text(_ name: String, maximum: Int) -> String?
  /// The names that begin so.
  func names(beginning: String) -> [String]
  /// Notes a fault.
  mutating func refuse(_ name: String, _ fault: InputFault, _ detail: String)
}

/// The filters of an object.
struct FilterFields: FilterReader {
  let fields: FieldReader

  func text(_ name: String, maximum: Int) -> String? {
    fields.text(name, maximum: maximum).value
  }

  func names(beginning: String) -> [String] {
    fields.names.filter { $0.hasPrefix(beginning) }
  }

  func refuse(_ name: String, _ fault: InputFault, _ detail: String) {
    fields.refuse(fault, at: name, detail)
  }
}

extension FilterReader {
  /// A value of a type; `nil` when there is none, or a fault was noted.
  mutating func parsed<Value>(
    _ name: String, _ fault: InputFault, _ detail: String, maximum: Int = 256,
    _ parse: (String) -> Value?
  ) -> Value? {
    guard let text = text(name, maximum: maximum) else { return nil }
    guard let value = parse(text) else {
      refuse(name, fault, detail)
      return nil
    }
    return value
  }

  /// One of a few words.
  mutating func word(_ name: String, of words: [String]) -> String? {
    let detail = "\(name) is one of \(words.joined(separator: ", "))."
    return parsed(name, .unknownValue, detail) { words.contains($0) ? $0 : nil }
  }

  /// One of a type's words.
  mutating func word<Word: RawRepresentable<String> & CaseIterable>(
    _ name: String, of type: Word.Type = Word.self
  ) -> Word? {
    word(name, of: Word.allCases.map(\.rawValue)).flatMap(Word.init(rawValue:))
  }

  /// A point in time.
  mutating func timestamp(_ name: String) -> Timestamp? {
    parsed(name, .invalidTimestamp, "\(name) is a time of RFC 3339.") { Timestamp(rfc3339: $0) }
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

  /// `attributes.plan=pro`, any number of them.
  fileprivate mutating func attributes() -> [AttributeFilter] {
    let prefix = "attributes."
    return names(beginning: prefix).compactMap { parameter in
      let maximum = RegistryLimits.attributeFacetBytes
      guard let value = text(parameter, maximum: maximum) else { return nil }
      let filter = AttributeFilter(name: String(parameter.dropFirst(prefix.count)), value: value)
      guard filter.isSearchable, !filter.name.isEmpty else {
        refuse(
          parameter, .tooLong,
          "An attribute is found by its name and value of at most \(maximum) bytes together.")
        return nil
      }
      return filter
    }
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
    tag = reader.text("tag", maximum: RegistryLimits.tagBytes)
    attributes = reader.attributes()
    language = reader.parsed(
      "language", .invalidLanguage, "language is a language tag or the beginning of one: zh-Hant."
    ) { LanguageTag($0)?.text }
    for filter in WordFilter.all { words[filter.name] = reader.word(filter.name, of: filter.words) }
    status = reader.word("status")
    credential = reader.word("credential")
    token = reader.parsed(
      "token", .unknownValue,
      "token is at least \(RegistryLimits.tokenPrefixDigits) hex digits of a device token.",
      maximum: RegistryLimits.deviceTokenMaximumBytes * 2
    ) { TokenPrefix($0) }
    appVersion = reader.versions("app_version")
    osVersion = reader.versions("os_version")
    registered = reader.times("registered")
    seen = reader.times("seen")
  }

  /// Reads the filters of an object, which has one at least; of no app yet.
  init(reading fields: FieldReader) {
    var reader = FilterFields(fields: fields)
    self.init(appID: 0, from: &reader)
    fields.refuseWidening()
  }
}

extension FieldReader {
  /// A backend's variable that is null by mistake must not make everybody of one person.
  fileprivate func refuseWidening() {
    if names.isEmpty {
      refuse(InputFault.missingField.problem(at: pointer, "No filter; `all` names everybody."))
    }
    for name in names where !has(name) {
      refuse(.wrongType, at: name, "A filter cannot be null.")
    }
  }
}
