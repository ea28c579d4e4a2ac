internal import DeviceProfile
internal import JSON
internal import Localization
internal import Postgres
internal import Registry

/// Where the filters of installations come from: a query string, or a JSON object.
protocol FilterReader {
  /// The text of a filter of at most so many bytes; `nil` when there is none, or a fault was noted.
  mutating func text(_ name: String, maximum: Int) -> String?
  /// Notes a fault.
  mutating func refuse(_ name: String, _ fault: InputFault, _ detail: String)
}

extension QueryReader: FilterReader {}

/// The filters of an object.
struct FilterFields: FilterReader {
  let fields: FieldReader

  func text(_ name: String, maximum: Int) -> String? {
    fields.text(name, maximum: maximum).value
  }

  func refuse(_ name: String, _ fault: InputFault, _ detail: String) {
    fields.refuse(fault, at: name, detail)
  }
}

extension FilterReader {
  /// A filter that is one of a type's values.
  fileprivate mutating func value<Value>(
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

  fileprivate mutating func word(_ name: String, _ words: [String]) -> String? {
    let detail = "\(name) is one of \(words.joined(separator: ", "))."
    return value(name, .unknownValue, detail) { words.contains($0) ? $0 : nil }
  }

  /// A version, `name[gte]` and `name[lt]`.
  fileprivate mutating func versions(_ name: String) -> Bounds<Version> {
    func version(_ name: String, _ reader: inout Self) -> Version? {
      reader.value(
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
    func time(_ name: String, _ reader: inout Self) -> Timestamp? {
      reader.value(name, .invalidTimestamp, "\(name) is a time of RFC 3339.") {
        Timestamp(rfc3339: $0)
      }
    }
    return Bounds(from: time("\(name)_since", &self), below: time("\(name)_until", &self))
  }
}

extension InstallationFilter {
  /// Reads the filters of `GET …/installations`.
  init(appID: Int32, from reader: inout some FilterReader) {
    self.init(appID: appID)
    userIDs = reader.text("user", maximum: RegistryLimits.userIDBytes).map { [$0] }
    tag = reader.text("tag", maximum: RegistryLimits.tagBytes)
    language = reader.value(
      "language", .invalidLanguage, "language is a language tag or the beginning of one: zh-Hant."
    ) { LanguageTag($0)?.text }
    for filter in WordFilter.all { words[filter.name] = reader.word(filter.name, filter.words) }
    status = reader.word("status", CredentialStatus.allCases.map(\.rawValue))
      .flatMap(CredentialStatus.init(rawValue:))
    credential = reader.word("credential", CredentialKind.allCases.map(\.rawValue))
      .flatMap(CredentialKind.init(rawValue:))
    token = reader.value(
      "token", .unknownValue,
      "token is at least \(RegistryLimits.tokenPrefixDigits) hex digits of a device token.",
      maximum: RegistryLimits.deviceTokenMaximumBytes * 2
    ) { TokenPrefix($0) }
    appVersion = reader.versions("app_version")
    osVersion = reader.versions("os_version")
    registered = reader.times("registered")
    seen = reader.times("seen")
  }

  /// Reads the filters of an object.
  init(appID: Int32, from fields: FieldReader) {
    var reader = FilterFields(fields: fields)
    self.init(appID: appID, from: &reader)
  }
}
