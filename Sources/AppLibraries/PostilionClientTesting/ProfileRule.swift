import Foundation
import PostilionClient

/// What a profile field of a report may be. What it may not be is left out, and the rest counts.
enum ProfileRule {
  /// A text of so many characters, for which the closure names a fault.
  case text(Int, (String) -> String?)
  /// Up to four dotted numbers, or a whole number.
  case version
  /// One of these words.
  case word(Set<String>)
  /// So many texts of so many characters, for each of which the closure names a fault.
  case list(Int, length: Int, (String) -> String?)
  /// True or false.
  case flag
  /// Switches, and a status.
  case authorization
  /// Strings, numbers and booleans by name.
  case attributes

  /// The words of `Platform`.
  static let platforms: Set = ["ios", "ipados", "macos", "tvos", "watchos", "visionos"]

  /// The rules, by the name of the field.
  static var all: [String: ProfileRule] {
    [
      "languages": .list(50, length: 128, invalidLanguage),
      "locale": .text(64) { $0.isEmpty || $0 == "C" ? "invalid_locale" : nil },
      "time_zone": .text(64) { TimeZone(identifier: $0) == nil ? "unknown_time_zone" : nil },
      "app_version": .version, "app_build": .version, "os_version": .version,
      "device_model": .text(64) { _ in nil },
      "localization": .word(["client", "server", "auto"]),
      "capabilities": .list(32, length: 64) { _ in nil },
      "authorization": .authorization,
      "background_refresh": .word(["available", "denied", "restricted"]),
      "frequent_pushes": .flag, "live_activities_allowed": .flag,
      "tags": .list(60, length: 128) { _ in nil },
      "attributes": .attributes,
    ]
  }

  /// A tag begins with two to eight letters.
  private static func invalidLanguage(_ tag: String) -> String? {
    let first = tag.prefix { $0.isASCII && $0.isLetter }
    let isTag = (2...8).contains(first.count) && !tag.contains(" ")
    return isTag ? nil : "invalid_language"
  }

  /// Reads a value.
  ///
  /// - Returns: what is kept of it, in which null clears the field; `nil` leaves what is stored.
  func read(
    _ value: PayloadValue, at pointer: String, _ ignored: inout [ServerFault]
  ) -> PayloadValue? {
    if value == .null { return .null }
    func leaveOut(_ code: String, _ place: String = "") -> PayloadValue? {
      ignored.append(ServerFault(pointer + place, code))
      return nil
    }
    switch self {
    case .text(let maximum, let fault):
      guard let text = value.string else { return leaveOut("wrong_type") }
      guard text.count <= maximum else { return leaveOut("too_long") }
      return fault(text).map { leaveOut($0) } ?? value
    case .version:
      if let number = value.integer { return .string(String(number)) }
      guard let text = value.string else { return leaveOut("wrong_type") }
      guard text.count <= 64 else { return leaveOut("too_long") }
      return Self.isVersion(text) ? value : leaveOut("unreadable_version")
    case .word(let words):
      guard let text = value.string else { return leaveOut("wrong_type") }
      return words.contains(text) ? value : leaveOut("unknown_value")
    case .list(let maximum, let length, let fault):
      guard let elements = value.array else { return leaveOut("wrong_type") }
      return Self.list(elements, maximum, length, fault, leaveOut)
    case .flag: return value.bool == nil ? leaveOut("wrong_type") : value
    case .authorization: return Self.authorization(value, leaveOut)
    case .attributes: return Self.attributes(value, leaveOut)
    }
  }

  private typealias LeaveOut = (String, String) -> PayloadValue?

  private static func isVersion(_ text: String) -> Bool {
    let numbers = text.split(separator: ".", omittingEmptySubsequences: false)
    return numbers.count <= 4
      && numbers.allSatisfy {
        (1...18).contains($0.count) && $0.allSatisfy { $0.isASCII && $0.isNumber }
      }
  }

  private static func list(
    _ elements: [PayloadValue], _ maximum: Int, _ length: Int, _ fault: (String) -> String?,
    _ leaveOut: LeaveOut
  ) -> PayloadValue {
    var kept: [PayloadValue] = []
    for (index, element) in elements.enumerated() {
      guard let text = element.string else {
        _ = leaveOut("wrong_type", "/\(index)")
        continue
      }
      if let code = text.count > length ? "too_long" : fault(text) {
        _ = leaveOut(code, "/\(index)")
      } else {
        kept.append(element)
      }
    }
    if kept.count > maximum { _ = leaveOut("too_many", "") }
    return .array(Array(kept.prefix(maximum)))
  }

  private static let statuses: Set = [
    "not_determined", "denied", "authorized", "provisional", "ephemeral",
  ]
  private static let switches: Set = [
    "alert", "badge", "sound", "announcement", "car_play", "critical_alert", "direct_messages",
    "lock_screen", "notification_center", "provides_app_notification_settings",
    "scheduled_delivery", "time_sensitive",
  ]

  private static func authorization(_ value: PayloadValue, _ leaveOut: LeaveOut) -> PayloadValue? {
    guard let members = value.object else { return leaveOut("wrong_type", "") }
    guard let status = members["status"] else { return leaveOut("missing_field", "/status") }
    guard let word = status.string else { return leaveOut("wrong_type", "/status") }
    guard statuses.contains(word) else { return leaveOut("unknown_value", "/status") }
    var kept: [String: PayloadValue] = ["status": status]
    for (name, value) in members.sorted(by: { $0.key < $1.key }) where name != "status" {
      if !switches.contains(name) {
        _ = leaveOut("unknown_field", "/\(name)")
      } else if value.bool == nil && value != .null {
        _ = leaveOut("wrong_type", "/\(name)")
      } else {
        kept[name] = value
      }
    }
    return .object(kept)
  }

  private static func attributes(_ value: PayloadValue, _ leaveOut: LeaveOut) -> PayloadValue? {
    guard let members = value.object else { return leaveOut("wrong_type", "") }
    guard members.count <= 64 else { return leaveOut("too_many", "") }
    guard value.encoded().count <= 4096 else { return leaveOut("too_long", "") }
    var kept: [String: PayloadValue] = [:]
    for (name, value) in members.sorted(by: { $0.key < $1.key }) {
      switch value {
      case .array, .object: _ = leaveOut("wrong_type", "/\(name)")
      default: kept[name] = value
      }
    }
    return .object(kept)
  }
}
