import Foundation
import PostilionClient

/// Where a token stands in `credentials`: its kind, and the names below it.
///
///     widgets
///     live_activities, A7C1
///     controls, LightHandler, porch
typealias ServerPlace = [String]

/// What the contract says of the kinds of tokens.
enum ServerKind {
  /// How many names stand between a kind and its tokens.
  static let nameCounts = [
    "apns": 0, "voip": 0, "widgets": 0, "location": 0, "push_to_talk": 0, "file_provider": 0,
    "complication": 0, "nowplaying_start": 0, "live_activity_start": 1, "live_activities": 1,
    "controls": 2, "nowplaying": 1,
  ]
  /// Those that an environment needs, and by which an app proves that an installation is its own.
  static let ofBuild = ["apns", "voip"]
  /// How many names of a kind there may be.
  static let maximumNames = 32

  /// Where a token of a place is good that a build of an environment gets.
  static func environment(of place: ServerPlace, build: String) -> String {
    place.first?.hasPrefix("nowplaying") == true ? "production" : build
  }
}

/// A token as a report brings it.
struct ServerToken: Hashable {
  /// Lower-case hex.
  var token: String
  /// Where it is good, if that is not where the build's tokens are.
  var environment: String?
  /// What is told of it: `type`, `widgets` or `joined`.
  var details: [String: PayloadValue] = [:]
}

/// What a report says of tokens.
struct ServerCredentials {
  /// The tokens that it brings.
  private(set) var brought: [ServerPlace: ServerToken] = [:]
  /// Everything below these places goes, unless it is brought.
  private(set) var removed: Set<ServerPlace> = []
  /// What was left out.
  private(set) var ignored: [ServerFault] = []
  /// Why the report is refused.
  private(set) var faults: [ServerFault] = []

  /// Reads `credentials`.
  init(_ value: PayloadValue) {
    if value == .null {
      removed = Set(ServerKind.nameCounts.keys.map { [$0] })
      return
    }
    guard let kinds = value.object else {
      refuse([], "wrong_type")
      return
    }
    for (kind, value) in kinds.sorted(by: { $0.key < $1.key }) {
      if let count = ServerKind.nameCounts[kind] {
        read(value, at: [kind], namesLeft: count)
      } else {
        ignored.append(ServerFault("/credentials/\(kind)", "unknown_field"))
      }
    }
  }

  /// Whether it says anything of a place.
  func mentions(_ place: ServerPlace) -> Bool { brought[place] != nil || removed.contains(place) }

  private mutating func refuse(_ place: ServerPlace, _ code: String) {
    faults.append(ServerFault((["/credentials"] + place).joined(separator: "/"), code))
  }

  private mutating func read(_ value: PayloadValue, at place: ServerPlace, namesLeft: Int) {
    if value == .null {
      removed.insert(place)
      return
    }
    guard let members = value.object else { return refuse(place, "wrong_type") }
    guard namesLeft > 0 else { return readToken(members, at: place) }
    // A handler is reported with all of its controls.
    if place.first == "controls", place.count == 2 { removed.insert(place) }
    guard members.count <= ServerKind.maximumNames else { return refuse(place, "too_many") }
    for (name, value) in members.sorted(by: { $0.key < $1.key }) {
      if name.isEmpty { refuse(place + [name], "too_short") }
      if name.utf8.count > 256 { refuse(place + [name], "too_long") }
      read(value, at: place + [name], namesLeft: namesLeft - 1)
    }
  }

  private mutating func readToken(_ members: [String: PayloadValue], at place: ServerPlace) {
    var credential = ServerToken(token: "")
    for (name, value) in members.sorted(by: { $0.key < $1.key }) where name != "token" {
      if name == "environment", !ServerKind.ofBuild.contains(place[0]) {
        credential.environment = readEnvironment(value, at: place + [name])
      } else if let fault = Self.fault(of: value, at: [place[0], name]) {
        if fault == "unknown_field" {
          ignored.append(
            ServerFault((["/credentials"] + place + [name]).joined(separator: "/"), fault))
        } else {
          refuse(place + [name], fault)
        }
      } else if value != .null {
        credential.details[name] = value
      }
    }
    guard let token = members["token"] else { return refuse(place + ["token"], "missing_field") }
    if let fault = Self.fault(ofToken: token) { return refuse(place + ["token"], fault) }
    credential.token = token.string?.lowercased() ?? ""
    brought[place] = credential
  }

  private mutating func readEnvironment(_ value: PayloadValue, at place: ServerPlace) -> String? {
    if value == .null { return nil }
    guard let word = value.string else {
      refuse(place, "wrong_type")
      return nil
    }
    if !["production", "sandbox"].contains(word) { refuse(place, "unknown_value") }
    return word
  }

  /// What is wrong with a member beside the token, by its kind and name; `nil` if nothing is.
  private static func fault(of value: PayloadValue, at place: [String]) -> String? {
    switch place {
    case ["live_activities", "type"]:
      if value == .null { return nil }
      guard let type = value.string else { return "wrong_type" }
      return type.isEmpty ? "too_short" : type.utf8.count > 256 ? "too_long" : nil
    case ["widgets", "widgets"]:
      if value == .null { return nil }
      guard value.array != nil else { return "wrong_type" }
      return value.encoded().count > 4096 ? "too_long" : nil
    case ["push_to_talk", "joined"]:
      return value == .null || value.bool != nil ? nil : "wrong_type"
    default: return "unknown_field"
    }
  }

  private static func fault(ofToken value: PayloadValue) -> String? {
    guard let text = value.string else { return "wrong_type" }
    guard text.allSatisfy({ $0.isASCII && $0.isHexDigit }) else { return "token_not_hex" }
    if text.count % 2 == 1 { return "token_odd_length" }
    return text.count < 32 ? "token_too_short" : text.count > 1024 ? "token_too_long" : nil
  }
}
