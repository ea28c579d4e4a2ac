internal import ASCII
internal import Crypto
internal import FoundationEssentials
internal import JSON
internal import Postgres
internal import Registry

/// A device of the sample app: all of it follows from its number, so that each demo is the same.
struct DemoDevice: Sendable {
  let number: Int
  /// A hash of the number: the dice for everything, and the token.
  private let dice: [UInt8]

  init(_ number: Int) {
    self.number = number
    dice = Array(SHA256.hash("device \(number)"))
  }

  /// The device of a person of the documentation. Its languages are German and English. Its build
  /// has its catalog, and no German in it.
  static let ofU42 = 42

  private struct Build {
    let version: String
    let build: String
  }

  private static let languages: [(weight: Int, value: [String])] = [
    (34, ["en-US"]), (14, ["fr-FR", "en-FR"]), (11, ["ja-JP"]), (9, ["ar-EG", "en-EG"]),
    (8, ["en-GB"]), (8, ["de-DE", "en-DE"]), (6, ["fr-CA", "en-CA"]), (4, ["ar-SA"]),
    (3, ["he-IL", "en-IL"]), (2, ["pt-BR"]), (1, ["zh-Hant-HK", "en-HK"]),
  ]
  private static let builds: [(weight: Int, value: Build)] = [
    (58, Build(version: "3.2.0", build: "412")), (24, Build(version: "3.1.0", build: "410")),
    (12, Build(version: "3.3.0", build: "415")), (6, Build(version: "2.9.1", build: "380")),
  ]
  private static let systems: [(weight: Int, value: String)] = [
    (38, "26.1"), (24, "26.0"), (18, "18.7"), (12, "17.6.1"), (6, "16.7"), (2, "15.8"),
  ]

  /// One of some values, by their weights and one of the dice.
  private func pick<Value>(_ values: [(weight: Int, value: Value)], die: Int) -> Value {
    var rest = Int(dice[die]) * values.reduce(0) { $0 + $1.weight } / 256
    for (weight, value) in values {
      if rest < weight { return value }
      rest -= weight
    }
    return values[0].value
  }

  private func build() -> Build {
    isOfU42
      ? Self.builds[0].value : pick(Self.builds, die: 1)
  }

  private var isOfU42: Bool { number == Self.ofU42 }

  /// The id that the app gives the installation.
  var id: InstallationID { InstallationID(UUID(randomBytes: Array(dice.prefix(16)))) }

  /// The token in hex; each replacement has another one.
  func token(_ generation: Int = 0) -> String {
    String(
      generation == 0
        ? Hex.encode(dice) : Hex.encode(SHA256.hash("\(generation) of device \(number)")))
  }

  var isTablet: Bool { dice[2] < 46 }
  var isSandbox: Bool { !isOfU42 && dice[3] < 14 }
  var hasToken: Bool { isOfU42 || dice[4] >= 8 }
  /// Whether its token is replaced in the course of the story.
  var isReplaced: Bool { dice[5] < 16 && !isSandbox }
  /// Whether its person removes the app in the course of the story.
  var isRemoved: Bool { !isOfU42 && (16..<24).contains(dice[5]) && !isSandbox }
  /// Whether APNs calls its token bad.
  var isRefused: Bool { !isOfU42 && (24..<27).contains(dice[5]) && !isSandbox }

  /// The report of the app, with the dates of an export.
  func record(at time: Timestamp) -> String {
    let build = build()
    let languages =
      isOfU42
      ? ["de-DE", "en-DE"]
      : pick(Self.languages, die: 6)
    let system = pick(Self.systems, die: 7)
    let date = time.rfc3339
    var members: JSONObject = [
      "installation_id": .string(id.text), "platform": .string(isTablet ? "ipados" : "ios"),
      "environment": .string(isSandbox ? "sandbox" : "production"),
      "languages": .array(languages.map(JSONValue.string)),
      "locale": .string(languages[0].replacing("-", with: "_")),
      "time_zone": .string(["Europe/Paris", "America/New_York", "Asia/Tokyo"][Int(dice[8]) % 3]),
      "app_version": .string(build.version), "app_build": .string(build.build),
      "os_version": .string(system),
      "device_model": .string(
        isTablet ? "iPad14,3" : ["iPhone15,2", "iPhone17,1"][Int(dice[9]) % 2]),
      "capabilities": .array([.string("loc-key")]),
      "attributes": .object(["plan": .string(dice[10] < 77 ? "pro" : "free")]),
      "tags": .array(dice[11] < 64 ? [.string("beta")] : []),
      "authorization": .object([
        "status": .string(dice[12] < 20 && !isOfU42 ? "denied" : "authorized")
      ]),
      "background_refresh": .string("available"),
      "created_at": .string(date), "updated_at": .string(date), "last_seen_at": .string(date),
    ]
    if dice[13] >= 76 || isOfU42 {
      members["user"] = .object(["id": .string("u\(number)")])
    }
    if hasToken {
      members["credentials"] = .object([
        "apns": .object([
          "token": .string(token()), "status": .string("active"), "registered_at": .string(date),
          "invalidated_at": .null, "reason": .null,
        ])
      ])
    }
    return JSONValue.object(members).jsonText
  }
}
