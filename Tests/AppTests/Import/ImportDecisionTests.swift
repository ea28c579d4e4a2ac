import DeviceProfile
import Foundation
import JSON
import Postgres
import Testing

@testable import App
@testable import Registry

/// What a record changes, by what is stored and how old both are.
@Suite struct ImportDecisionTests {
  typealias Case = RegistrationCase

  private static let a1 = Case.key("a1")
  private static let a2 = Case.key("a2")

  /// Seconds since the stored state as a time's text.
  private func at(_ seconds: Int64) -> String {
    Timestamp(microseconds: Case.start.microseconds + seconds * 1_000_000).rfc3339
  }

  private func record(_ members: String) throws -> ImportRecord {
    let text = "{\"installation_id\": \"\(Case.own.text)\", \(members)}"
    return try ImportRecord.decode(Array(text.utf8)).body
  }

  /// An hour after the stored state.
  private func decide(
    _ records: [String], stored: Installation? = Case.device,
    owners: [TokenKey: TokenOwner] = [:], holders: [Installation] = []
  ) throws -> (change: ChangeSet?, results: [RecordResult]) {
    let app = AppRecord(
      id: 1, slug: try #require(AppSlug("food")), bundleID: try #require(BundleID("com.food")),
      name: "Food", developmentLanguage: "en", identityVerification: .off,
      identitySecrets: [], localNotificationKey: "payload", createdAt: Case.start,
      updatedAt: Case.start)
    let known = ([stored].compactMap(\.self) + holders).map { ($0.id, $0) }
    var batch = ImportBatch(
      Dictionary(uniqueKeysWithValues: known), owners: owners, languages: [:], of: app,
      at: Timestamp(microseconds: Case.start.microseconds + 3_600_000_000))
    for text in records { batch.add(try record(text), firstRevision: { 1 }) }
    let written = batch.changes.map(\.content).filter { !$0.transitions.isEmpty }
    return (written.last, batch.results)
  }

  private func codes(_ results: [RecordResult]) -> [String] {
    results.map { result in
      switch result {
      case .accepted: "accepted"
      case .updated: "updated"
      case .unchanged: "unchanged"
      case .rejected(let problems): problems.map(\.code).joined(separator: " ")
      }
    }
  }

  private func events(_ change: ChangeSet?) -> [String] {
    (change?.transitions.first?.events ?? []).map { "\($0.name.rawValue) \($0.source.rawValue)" }
  }

  static let a1JSON = "\"credentials\": {\"apns\": \(Case.json("a1"))}"
  static let a2JSON = "\"credentials\": {\"apns\": \(Case.json("a2"))}"
  static let new = "\"platform\": \"ios\", \"environment\": \"production\", "

  @Test func aNewOneIsRestoredAsItWas() throws {
    let token = String(repeating: "a1", count: 32)
    let (change, results) = try decide(
      [
        """
        \(Self.new) "credentials": {"apns": {"token": "\(token)", "status": "invalid",
          "registered_at": "\(at(-900))", "invalidated_at": "\(at(-500))",
          "reason": "Unregistered"}},
        "language_override": "fr", "created_at": "\(at(-1000))", "updated_at": "\(at(-500))",
        "last_seen_at": "\(at(-600))", "reported_at": "\(at(-700))"
        """
      ], stored: nil)
    let made = try #require(change?.transitions.first?.after)
    #expect(codes(results) == ["accepted"])
    #expect(made.revision == 1)
    #expect(
      [made.createdAt, made.updatedAt, made.lastSeenAt].map(\.rfc3339) == [
        at(-1000), at(-500), at(-600),
      ])
    #expect(made.reportedAt?.rfc3339 == at(-700))
    #expect(made.languageOverride == "fr")
    #expect(made.credentials[.apns]?.status == .invalid)
    #expect(made.credentials[.apns]?.registeredAt.rfc3339 == at(-900))
    #expect(made.credentials[.apns]?.presentedAt.rfc3339 == at(-600))
    #expect(made.credentials[.apns]?.invalidatedAt?.rfc3339 == at(-500))
    #expect(made.credentials[.apns]?.reason == "Unregistered")
    #expect(events(change) == ["registered import", "invalidated import"])
  }

  @Test func withoutATimeItIsOfNowButAny410Counts() throws {
    let (change, _) = try decide([Self.new + Self.a1JSON], stored: nil)
    let made = try #require(change?.transitions.first?.after)
    #expect(made.createdAt.rfc3339 == at(3600))
    #expect(made.lastSeenAt.rfc3339 == at(3600))
    #expect(made.credentials[.apns]?.registeredAt.rfc3339 == at(3600))
    #expect(made.credentials[.apns]?.presentedAt.microseconds == 0)
  }

  @Test func noTimeIsOfTheFutureOrBefore1970() throws {
    let (change, _) = try decide(
      [
        Self.new + Self.a1JSON
          + #", "created_at": "0001-01-01T00:00:00Z", "updated_at": "2100-01-01T00:00:00Z""#
      ], stored: nil)
    #expect(change?.transitions.first?.after?.createdAt.microseconds == 0)
    #expect(change?.transitions.first?.after?.updatedAt.rfc3339 == at(3600))
  }

  @Test func aRegistrationIsNoLaterThanTheLastChange() throws {
    let token = String(repeating: "a1", count: 32)
    let (change, _) = try decide(
      [
        """
        \(Self.new) "credentials": {"apns": {"token": "\(token)", "registered_at": "\(at(-100))"}},
        "updated_at": "\(at(-500))"
        """
      ], stored: nil)
    #expect(change?.transitions.first?.after?.credentials[.apns]?.registeredAt.rfc3339 == at(-100))
    #expect(change?.transitions.first?.after?.updatedAt.rfc3339 == at(-100))
  }

  @Test func whatIsNotNewerChangesNothing() throws {
    for seconds: Int64 in [-10, 0] {
      let (change, results) = try decide([Self.a2JSON + ", \"updated_at\": \"\(at(seconds))\""])
      #expect(change == nil)
      #expect(codes(results) == ["unchanged"])
    }
  }

  @Test func whatIsNewerCounts() throws {
    let (change, results) = try decide([
      Self.a2JSON + ", \"updated_at\": \"\(at(10))\", \"app_version\": \"4\""
    ])
    #expect(codes(results) == ["updated"])
    let next = try #require(change?.transitions.first?.after)
    #expect(next.revision == 4)
    #expect(next.updatedAt.rfc3339 == at(10))
    #expect(next.appVersion == "4")
    #expect(next.lastSeenAt == Case.start, "the app did not call")
    #expect(next.credentials[.apns]?.token == Self.a2.token)
    #expect(next.credentials[.voip] == Case.device.credentials[.voip])
    #expect(events(change) == ["replaced import", "rotated import"])
  }

  @Test func theSameWithANewerTimeChangesNothing() throws {
    let (change, results) = try decide([
      Self.a1JSON + ", \"updated_at\": \"2100-01-01T00:00:00Z\""
    ])
    #expect(change == nil)
    #expect(codes(results) == ["unchanged"])
  }

  @Test func withoutATimeFeedbackIsNotUndone() throws {
    let (change, results) = try decide([Self.a1JSON], stored: Case.fedBack(.invalid))
    #expect(change == nil)
    #expect(codes(results) == ["unchanged"])
  }

  @Test func aNewerRecordRevives() throws {
    let (change, _) = try decide(
      [Self.a1JSON + ", \"updated_at\": \"\(at(10))\""], stored: Case.fedBack(.invalid))
    #expect(change?.transitions.first?.after?.credentials[.apns]?.status == .active)
    #expect(change?.transitions.first?.after?.credentials[.apns]?.invalidatedAt == nil)
    #expect(events(change) == ["revived import"])
  }

  @Test func anOlderReportChangesNothing() throws {
    let (change, results) = try decide([
      Self.a2JSON + ", \"reported_at\": \"\(at(-200))\""
    ])
    #expect(change == nil)
    #expect(codes(results) == ["unchanged"])
  }

  /// An app reports daily what has not changed, and another service hears of the device in between.
  @Test func anAppKeepsItsTokenForADayAfterItsReport() throws {
    func holder(_ change: (inout Installation) -> Void) -> Installation {
      var holder = Case.device {
        $0.credentials[.apns] = .active(Self.a2.token, in: .production, at: Case.start)
        change(&$0)
      }
      holder.id = Case.other
      return holder
    }
    let record = [Self.new + Self.a2JSON + ", \"updated_at\": \"\(at(60))\""]
    let later = Timestamp(microseconds: Case.start.microseconds + 61_000_000)
    for (holder, code) in [
      (holder { _ in }, "token_owned"),
      (holder { $0.secretHash = nil }, "accepted"),
      (
        holder {
          $0.secretHash = nil
          $0.credentials[.apns]?.presentedAt = later
        }, "token_owned"
      ),
    ] {
      let (_, results) = try decide(
        record, stored: nil, owners: [Self.a2: TokenOwner(id: Case.other)], holders: [holder])
      #expect(codes(results) == [code])
    }
  }

  @Test func whatTheAppReportedSinceWithoutAChangeIsNewer() throws {
    let device = Case.device {
      $0.reportedAt = Timestamp(microseconds: Case.start.microseconds + 11_000_000)
    }
    let (change, results) = try decide(
      [Self.a2JSON + ", \"updated_at\": \"\(at(10))\""], stored: device)
    #expect(change == nil)
    #expect(codes(results) == ["unchanged"])
  }

  @Test func aTokenIsTakenOnlyByWhatIsNewer() throws {
    var holder = Case.device {
      $0.credentials[.apns] = .active(Self.a2.token, in: .production, at: Case.start)
      $0.secretHash = nil
    }
    holder.id = Case.other
    let owners = [Self.a2: TokenOwner(id: Case.other)]
    for (time, code) in [
      ("", "token_owned"), (", \"updated_at\": \"\(at(0))\"", "unchanged"),
      (", \"updated_at\": \"\(at(1))\"", "updated"),
    ] {
      let (change, results) = try decide(
        [Self.a2JSON + time], owners: owners, holders: [holder])
      #expect(codes(results) == [code])
      let losses = (change?.transitions ?? []).dropFirst().map(\.cause.movedAway)
      #expect(losses == (code == "updated" ? [[Self.a2]] : []))
    }
    let (_, results) = try decide(
      [Self.new + Self.a2JSON + ", \"updated_at\": \"\(at(0))\""], stored: nil, owners: owners,
      holders: [holder])
    #expect(codes(results) == ["token_owned"], "not newer than the one that has it")
  }

  @Test func ofTwoWithOneIDTheLaterCounts() throws {
    let records = [
      Self.new + Self.a1JSON + ", \"os_version\": \"6.1.2\", \"tags\": [\"a\", \"b\"]",
      Self.new + Self.a1JSON + ", \"os_version\": \"6.1.3\", \"tags\": [\"a\"]",
    ]
    let (first, results) = try decide(records, stored: nil)
    #expect(codes(results) == ["accepted", "updated"])
    #expect(first?.transitions.first?.after?.osVersion == "6.1.3")
    #expect(first?.transitions.first?.after?.revision == 1)
    #expect(events(first) == ["registered import"])
    let (second, again) = try decide(records, stored: first?.transitions.first?.after)
    #expect(second == nil)
    #expect(codes(again) == ["unchanged", "unchanged"])
  }

  @Test func aFaultOfOneOfThemCostsItAlone() throws {
    let (change, results) = try decide(
      [Self.a1JSON, Self.new + Self.a1JSON, Self.new + Self.a2JSON], stored: nil)
    #expect(codes(results) == ["missing_field missing_field", "accepted", "updated"])
    #expect(change?.transitions.first?.after?.credentials[.apns]?.token == Self.a2.token)
  }
}
