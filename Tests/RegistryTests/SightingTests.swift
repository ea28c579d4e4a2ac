import FoundationEssentials
import JSON
import Postgres
import Testing

@testable import DeviceProfile
@testable import Registry

/// Reports that changed nothing, and what meets them, without any database.
@Suite struct SightingTests {
  private static let early = time(1)
  private static let late = time(60)
  private static let lost = PostgresError(.disconnected, "not committed in time")
  private static let refused = PostgresError(.server(sqlState: "57014"), "canceled")
  private let sightings = Sightings()

  private static func time(_ seconds: Int64) -> Timestamp {
    Timestamp(microseconds: 1_700_000_000_000_000 + seconds * 1_000_000)
  }

  private static let token = try? DeviceToken(parsing: String(repeating: "ab", count: 32))
  private static let stored: Installation = makeStored()

  private static func makeStored() -> Installation {
    var stored = Installation(
      appID: 1, id: InstallationID(UUID()), revision: 5, platform: .ios, environment: .production,
      createdAt: time(0), updatedAt: time(0), lastSeenAt: time(0))
    if let token { stored.credentials.apns = Credential.active(token, at: time(0)) }
    return stored
  }

  /// A report of the device, which changes nothing.
  private static func report(_ reportedAt: Timestamp?, hasToken: Bool = false) -> RegistrationReport
  {
    var report = RegistrationReport()
    report.reportedAt = reportedAt
    report.locale = .set("en_HK")
    if hasToken, let token { report.credentials.apns = .set(token) }
    return report
  }

  private static func sighting(
    _ reportedAt: Timestamp?, hasToken: Bool = false, at: Timestamp = time(100)
  ) -> Sighting {
    Sighting(stored, report(reportedAt, hasToken: hasToken), source: .app, at: at)
  }

  /// Whether a late report stands that changes nothing.
  private func stands(readFrom start: Sightings.ReadStart? = nil, hasToken: Bool = false) -> Bool {
    let sighting = Self.sighting(hasToken ? nil : Self.late, hasToken: hasToken)
    let verdict = sightings.note(
      sighting, known: Self.time(0), readFrom: start ?? sightings.readStart)
    return verdict != .mustBeWritten
  }

  /// Notes a report that changed nothing.
  private func note(_ sighting: Sighting) {
    let result = sightings.note(
      sighting, known: Self.time(0), readFrom: sightings.readStart)
    #expect(result != .mustBeWritten)
  }

  /// Begins a write that must not be older than a time.
  private func begin(
    reportedAt: Timestamp? = nil, deadSince: Timestamp? = nil
  ) -> CommitQueue.Ended? {
    var timeGuard = InstallationTimes(
      installation: Self.stored.key, revision: 6, reportedAt: reportedAt)
    timeGuard.deadSince.apns = deadSince
    let next = Self.stored.revised(at: Self.late) { $0.locale = "fr_FR" }
    return sightings.begin(
      ChangeSet(
        transitions: [Transition(from: Self.stored, to: next, at: Self.late, .init(.app))],
        timeGuards: [timeGuard]))
  }

  // MARK: In one process

  @Test func anOlderReportFindsTheNewerOne() {
    #expect(stands())
    #expect(begin(reportedAt: Self.early) == nil)
    #expect(begin(reportedAt: Self.late) != nil)
    // Answers of APNs are about tokens, and it brought none.
    #expect(begin(deadSince: Self.early) != nil)
  }

  @Test func anOlderAnswerFindsTheReportThatBroughtTheToken() {
    #expect(stands(hasToken: true))
    #expect(begin(deadSince: Self.time(99)) == nil)
    #expect(begin(deadSince: Self.time(100)) != nil)
    #expect(begin(reportedAt: Self.early) != nil)
  }

  @Test func whatWaitsIsKnown() {
    note(Self.sighting(Self.late, hasToken: true))
    var stored = Self.stored
    sightings.addWaiting(to: &stored)
    #expect(stored.reportedAt == Self.late)
    #expect(stored.credentials.apns?.presentedAt == Self.time(100))
    var next = Self.stored
    next.revision += RegistryLimits.changesPerInstallation
    sightings.addWaiting(to: &next)
    #expect(next.reportedAt == nil, "another installation under its name")
  }

  @Test(arguments: [false, true])
  func aReportFindsThatSomethingOlderIsBeingWritten(hasToken: Bool) throws {
    let start = sightings.readStart
    let claimed = hasToken ? begin(deadSince: Self.late) : begin(reportedAt: Self.early)
    let ended = try #require(claimed)
    #expect(!stands(hasToken: hasToken))
    #expect(stands(hasToken: !hasToken))
    sightings.forget(sightings.waiting)
    ended(.success(.written))
    #expect(!stands(readFrom: start, hasToken: hasToken), "written behind what was read")
    #expect(stands(hasToken: hasToken))
  }

  @Test(
    arguments: [
      (.success(.outrun), false), (.success(.written), false), (.success(.languageChanged), false),
      (.failure(lost), true), (.failure(refused), false),
    ] as [(Result<CommitResult, PostgresError>, Bool)])
  func aWriteWhoseEndIsNotToldMayStillCome(
    result: Result<CommitResult, PostgresError>, mayCome: Bool
  ) throws {
    try end(result)
    #expect(stands() == !mayCome)
    guard mayCome else { return }
    try end(.success(.outrun))
    #expect(!stands())
    // That waited for the row, so all before it have ended.
    try end(.success(.written))
    #expect(stands())
  }

  /// Begins a write of an older report, and ends it.
  private func end(_ result: Result<CommitResult, PostgresError>) throws {
    let begun = begin(reportedAt: Self.early)
    let ended = try #require(begun)
    ended(result)
  }

  @Test func whatSaysNothingNewIsNotWrittenDown() {
    let known = Self.late
    let verdict = sightings.note(
      Self.sighting(Self.late), known: known, readFrom: sightings.readStart)
    #expect(verdict == .noted && sightings.waiting.isEmpty)
  }

  @Test func aReportThatComesWhileItIsWrittenDownIsWrittenDownToo() {
    note(Self.sighting(Self.early))
    let portion = sightings.waiting
    note(Self.sighting(Self.late))
    sightings.forget(portion)
    #expect(sightings.waiting.count == 1 && !sightings.isDone())
    sightings.forget(sightings.waiting)
    #expect(sightings.isDone())
  }

  @Test(arguments: [(1, 2, 2), (2, 1, 2)] as [(Int64, Int64, Int64)])
  func ofTwoTheNewerOneByTheDevicesClockIsKept(first: Int64, second: Int64, kept: Int64) throws {
    let former = Self.sighting(Self.time(first), hasToken: true, at: Self.time(100))
    let other = Self.sighting(Self.time(second), hasToken: true, at: Self.time(101))
    let both = other.joined(with: former)
    let joined = try #require(both)
    #expect(joined.report.reportedAt == Self.time(kept) && joined.reportedAt == Self.time(kept))
    #expect(joined.presented.apns == Self.time(101) && joined.at == Self.time(101))
  }

  /// The waiting one stands for what it says: one that says something else is written itself.
  @Test func ofTwoThatSayDifferentThingsOneIsWritten() {
    #expect(stands(hasToken: true))
    #expect(!stands())
    #expect(sightings.waiting.map(\.presented.apns) == [Self.time(100)])
  }

  // MARK: Taken once more

  struct Case: Sendable, CustomTestStringConvertible {
    var name: String
    /// The time of the report that changed nothing, which came at 100.
    var reported: Int64? = 50
    var rowTime: Int64?
    var reportWroteSince = false
    var status = CredentialStatus.active
    var deadSince: Int64?
    /// What is left of it.
    var hasFields = false
    var hasToken = false

    var testDescription: String { name }
  }

  static let cases = [
    Case(
      name: "an older report was written", rowTime: 40, reportWroteSince: true, hasFields: true,
      hasToken: true),
    Case(
      name: "the first report with a time was written", reportWroteSince: true, hasFields: true,
      hasToken: true),
    Case(name: "a newer report was written", rowTime: 51, reportWroteSince: true),
    Case(name: "one of the same time was written", rowTime: 50, reportWroteSince: true),
    Case(name: "it has no time", reported: nil, reportWroteSince: true),
    Case(name: "an answer was written that took nothing", rowTime: 40),
    Case(
      name: "an older answer was written", rowTime: 40, status: .invalid, deadSince: 99,
      hasToken: true),
    Case(
      name: "an older answer was written, and it has no time", reported: nil,
      status: .quarantined, deadSince: 99, hasToken: true),
    Case(name: "an answer of the same time", status: .invalid, deadSince: 100),
    Case(name: "a later answer", status: .invalid, deadSince: 101),
    Case(name: "an answer of a time that nobody noted", status: .invalid),
    Case(
      name: "an older report and a later answer", rowTime: 40, reportWroteSince: true,
      status: .invalid, deadSince: 101, hasFields: true),
    Case(
      name: "an older report and an older answer", rowTime: 40, reportWroteSince: true,
      status: .invalid, deadSince: 99, hasFields: true, hasToken: true),
  ]

  @Test(arguments: cases) func whatIsLeftOfAReport(row: Case) {
    var stored = Self.stored
    stored.credentials.apns?.status = row.status
    let rest = Self.sighting(row.reported.map(Self.time), hasToken: true).remainder(
      on: stored, rowTime: row.rowTime.map(Self.time), reportWroteSince: row.reportWroteSince,
      deadSince: PerKind(apns: row.deadSince.map(Self.time)))
    #expect((rest.locale.value == "en_HK") == row.hasFields)
    #expect((rest.reportedAt != nil) == row.hasFields)
    #expect((rest.credentials.apns?.value != nil) == row.hasToken)
  }
}
