import AppTesting
import DeviceProfile
import EventLoop
import FoundationEssentials
import JSON
import Postgres
import Rendering
import TestSupport
import Testing

@testable import App
@testable import Registry

/// Made-up installations of an app, as they are stored; equal seeds give equal ones, ids and tokens
/// aside. Times and values repeat, so that orders have ties and filters find some.
struct InstallationPopulation {
  let installations: [Installation]

  static let start: Int64 = 1_750_000_000_000_000
  static let hour: Int64 = 3_600_000_000
  static let users = ["ada", "bob"]
  static let tags = ["beta", "news", "a \"quoted\", {odd} \\ tag"]
  static let languages = ["en", "en-GB", "zh-Hant-HK", "zh_Hans", "fr-CA", "de"]
  static let timeZones = ["Asia/Hong_Kong", "America/Toronto"]
  static let capabilities = ["loc-key", "mutable-content"]
  static let versions = ["2.9", "3", "3.0.0", "3.2", "3.2.0", "3.10", "4.0.1"]

  init(_ count: Int, appID: Int32, seed: UInt64) {
    var random = SplitMix64(seed: seed)
    installations = (0..<count).map { _ in Self.installation(appID, &random) }
  }

  /// One of twenty times.
  private static func time(_ random: inout SplitMix64) -> Timestamp {
    Timestamp(microseconds: start + hour * Int64.random(in: 0..<20, using: &random))
  }

  private static func installation(
    _ appID: Int32, _ random: inout SplitMix64
  ) -> Installation {
    func some(of all: [String]) -> [String] {
      all.filter { _ in Int.random(in: 0..<4, using: &random) == 0 }
    }
    var installation = Installation(
      appID: appID, id: InstallationID(UUID()), revision: 1,
      platform: Platform.allCases.randomElement(using: &random) ?? .ios,
      environment: Environment.allCases.randomElement(using: &random) ?? .production,
      reportedAt: nil, createdAt: time(&random), updatedAt: time(&random),
      lastSeenAt: time(&random))
    for kind in CredentialKind.withColumns where Bool.random(using: &random) {
      let bytes = (0..<32).map { _ in UInt8.random(in: 0...255) }
      guard let token = DeviceToken(bytes: bytes) else { continue }
      // A registration is a change.
      let registeredAt = min(time(&random), installation.updatedAt)
      installation.credentials[kind] = .active(
        token, in: installation.environment, at: registeredAt)
      installation.credentials[kind]?.status =
        CredentialStatus.allCases.randomElement(using: &random) ?? .active
    }
    // Few devices have others.
    for kind in CredentialKind.allCases
    where !kind.hasColumns && Int.random(in: 0..<8, using: &random) == 0 {
      let place = CredentialPlace(kind, (0..<kind.nameCount).map { "name \($0)" })
      guard let token = DeviceToken(bytes: (0..<32).map { _ in UInt8.random(in: 0...255) }) else {
        continue
      }
      installation.credentials[place] = .active(
        token, in: installation.environment, at: installation.updatedAt)
      installation.credentials[place]?.status =
        CredentialStatus.allCases.randomElement(using: &random) ?? .active
    }
    installation.languages = some(of: languages).shuffled(using: &random)
    installation.localization =
      LocalizationPreference.allCases.randomElement(using: &random) ?? .auto
    installation.backgroundRefresh =
      (BackgroundRefresh.allCases + [nil]).randomElement(using: &random) ?? nil
    installation.appVersion = (versions + [nil]).randomElement(using: &random) ?? nil
    installation.osVersion = (versions + [nil]).randomElement(using: &random) ?? nil
    installation.userID = (users + [nil]).randomElement(using: &random) ?? nil
    installation.tags = some(of: tags)
    installation.timeZone = (timeZones + [nil]).randomElement(using: &random) ?? nil
    installation.capabilities = some(of: capabilities)
    installation.appBuild = (versions + [nil]).randomElement(using: &random) ?? nil
    if Bool.random(using: &random) { installation.attributes = attributes(&random) }
    if Bool.random(using: &random) { installation.authorization = authorization(&random) }
    return installation
  }

  /// Values of attributes that can be compared, and some that look so.
  static let moments: [JSONValue] = [
    .integer(-3), .integer(0), .integer(9), .double(9.5), .integer(4_000_000_000), .string("9"),
    .integer(1_777_680_000), .string("2026-05-02"), .string("2026-05-02T00:00:01Z"),
    .string("2026-05-02T09:00:00.25+02:00"), .string("2027-02-29"), .null, .bool(true),
    .double(1e-30), .double(-1e200),
  ]

  private static func attributes(_ random: inout SplitMix64) -> Attributes {
    Attributes([
      "plan": .string(["pro", "free"].randomElement(using: &random) ?? ""),
      "age": .integer(Int64.random(in: 7...8, using: &random)), "a.b=c": .bool(true),
      "gone": .null, "long": .string(String(repeating: "é", count: 127)),
      "when": moments.randomElement(using: &random) ?? .null,
    ])
  }

  private static func authorization(_ random: inout SplitMix64) -> Authorization {
    Authorization(status: AuthorizationStatus.allCases.randomElement(using: &random) ?? .denied) {
      _ in
      [true, false, nil].randomElement(using: &random) ?? nil
    }
  }

  /// Stores them, tokens included.
  func store(in service: Service) async throws {
    var changes = ChangeSet()
    changes.transitions = installations.map { installation in
      Transition(from: nil, to: installation, at: installation.createdAt, .init(.backend))
    }
    let context = service.contexts[0]
    let written = changes
    let isTaken = try await context.loop.run {
      await Result { () async throws(PostgresError) in
        try await context.registrar.commits.commit(written) != .outrun
      }
    }.get()
    #expect(isTaken)
  }
}

extension TestApp {
  /// The number of its row.
  var id: Int32 {
    get throws {
      let slug = try #require(AppSlug(slug))
      return try #require(service.service.shared.directory.snapshot.apps[slug]?.id)
    }
  }
}
