import DeviceProfile
import Foundation
import JSON
import Postgres
import Testing

@testable import Registry

/// What a change costs a client key.
@Suite struct AddedRowsTests {
  private static let now = Timestamp(microseconds: 1_777_000_000_000_000)

  private static func device(_ change: (inout RegistrationReport) -> Void = { _ in }) throws
    -> Installation
  {
    var report = RegistrationReport()
    report.platform = .ios
    report.environment = .production
    report.credentials.brought[.apns] = ReportedCredential(token: try token("a1"))
    change(&report)
    let id = InstallationID(UUID(uuid: (1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0)))
    let basis = Registration.Basis(appID: 7, id: id, now: now)
    return try Registration.decide(basis, report).installation
  }

  private static func token(_ byte: String) throws -> DeviceToken {
    try DeviceToken(parsing: String(repeating: byte, count: 32))
  }

  private static func rows(
    _ before: Installation?, _ after: Installation?, _ cause: TokenEvent.Cause = .init(.app)
  ) -> Int {
    let transition: Transition? =
      if let after {
        Transition(from: before, to: after, at: now, cause)
      } else {
        before.map { Transition(deleting: $0, at: now, cause) }
      }
    return ChangeSet(transitions: transition.map { [$0] } ?? []).addedRows
  }

  @Test func everyChangeHasItsPriceAndEndsAreFree() throws {
    let device = try Self.device()
    var built = device
    built.appBuild = "412"
    var moved = device
    moved.locale = "fr_FR"
    var rotated = device
    rotated.credentials[.apns] = .active(try Self.token("a2"), in: .production, at: Self.now)
    let key = try #require(device.tokenKeys.first)
    #expect(Self.rows(nil, device) == 5)
    #expect(Self.rows(nil, built) == 6)
    #expect(Self.rows(device, built) == 2)
    #expect(Self.rows(device, moved) == 1)
    #expect(Self.rows(device, rotated) == 3)
    #expect(Self.rows(device, device.losing([key], at: Self.now)) == 0)
    #expect(Self.rows(device.losing([key], at: Self.now), device) == 3)
    #expect(Self.rows(device, nil) == 0)
    // It was another's, whose loss is told by the event of the one who has it now.
    let lost = device.losing([key], at: Self.now)
    #expect(Self.rows(device, lost, .init(.app, movedAway: [key])) == 0)
  }

  @Test func numbersCostTheWordsByWhichTheyAreFound() throws {
    let device = try Self.device()
    var tagged = device
    tagged.tags = ["beta"]
    func words(_ before: Installation?, _ after: Installation) -> Int {
      ChangeSet(transitions: [Transition(from: before, to: after, at: Self.now, .init(.app))])
        .newWordBytes
    }
    #expect(words(device, tagged) == "7:tag:beta".utf8.count)
    #expect(words(tagged, device) == 0)
    #expect(words(device, device) == 0)
    #expect(words(nil, tagged) == words(nil, device) + words(device, tagged))
  }
}
