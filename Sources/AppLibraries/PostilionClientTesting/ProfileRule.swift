import Foundation
import PostilionClient

/// What a profile field of a report may be. What it may not be is left out, and the rest counts.
enum ProfileRule {
  /// A text of so many bytes, for which the closure names a fault.
  case text(Int, (String) -> String?)
  /// Up to four dotted numbers, or a whole number.
  case version
  /// One of these words.
  case word(Set<String>)
  /// So many texts of so many bytes, each once, for each of which the closure names a fault.
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
      "languages": .list(50, length: 58) { isTag($0) ? nil : "invalid_language" },
      "locale": .text(64) { isTag($0) ? nil : "invalid_locale" },
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

  /// Whether a text is a language tag, as `zh-Hant-HK` or `en_US@rg=gbzzzz`: parts of letters and
  /// digits, of which the first has two letters or more. POSIX's name of no language is none.
  private static func isTag(_ text: String) -> Bool {
    let name = text.prefix { $0 != "@" }
    let parts = name.split(omittingEmptySubsequences: false) { "-_".contains($0) }
    let areParts = parts.allSatisfy { part in
      (1...8).contains(part.utf8.count)
        && part.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber) }
    }
    return areParts && parts[0].count > 1 && parts[0].allSatisfy(\.isLetter)
      && name.lowercased() != "posix"
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
      guard text.utf8.count <= maximum else { return leaveOut("too_long") }
      return fault(text).map { leaveOut($0) } ?? value
    case .version:
      if let number = value.integer { return .string(String(number)) }
      guard let text = value.string else { return leaveOut("wrong_type") }
      guard text.utf8.count <= 64 else { return leaveOut("too_long") }
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
  ) -> PayloadValue? {
    if elements.count > maximum { _ = leaveOut("too_many", "") }
    var kept: [String] = []
    for (index, element) in elements.prefix(maximum).enumerated() {
      guard let text = element.string else {
        _ = leaveOut("wrong_type", "/\(index)")
        continue
      }
      if let code = fault(text) ?? (text.utf8.count > length ? "too_long" : nil) {
        _ = leaveOut(code, "/\(index)")
      } else if !kept.contains(where: { $0.utf8.elementsEqual(text.utf8) }) {
        kept.append(text)
      }
    }
    return kept.isEmpty && !elements.isEmpty ? nil : .array(kept.map { .string($0) })
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
    var kept: [String: PayloadValue] = [:]
    for (name, value) in members.sorted(by: { $0.key < $1.key }) {
      if let code = attributeFault(name, value) {
        // The service shortens a very long name.
        let end = name.utf8.count > 64 ? "…" : ""
        _ = leaveOut(code, "/" + String(decoding: name.utf8.prefix(64), as: UTF8.self) + end)
      } else {
        kept[name] = value
      }
    }
    guard !kept.isEmpty || members.isEmpty else { return nil }
    guard PayloadValue.object(kept).encoded().count <= 4096 else { return leaveOut("too_long", "") }
    return .object(kept)
  }

  private static func attributeFault(_ name: String, _ value: PayloadValue) -> String? {
    if name.isEmpty { return "too_short" }
    if name.utf8.count > 128 { return "too_long" }
    return switch value {
    case .array, .object: "wrong_type"
    case .string(let text) where text.utf8.count > 4096: "too_long"
    default: nil
    }
  }
}
