import DeviceProfile
import FoundationEssentials
import Postgres
import Testing

@testable import Registry

/// Reports of one installation that overtake each other, without any database.
@Suite final class ReportOrderTests {
  private var order = ReportOrder()
  private var installation = Installation(
    appID: 1, id: InstallationID(UUID()), revision: 1, platform: .ios, environment: .production,
    createdAt: start, updatedAt: start, lastSeenAt: start)
  private static let start = Timestamp(microseconds: 1_700_000_000_000_000)
  private let early = Timestamp(microseconds: 1_700_000_001_000_000)
  private let late = Timestamp(microseconds: 1_700_000_060_000_000)
  private static let lost = PostgresError(.disconnected, "not committed in time")
  private static let refused = PostgresError(.server(sqlState: "57014"), "canceled")

  /// Whether a late report stands that changes nothing.
  private func stands(readBehind ended: UInt64? = nil) -> Bool {
    order.note(late, of: installation.life, readBehind: ended ?? order.ended)
  }

  /// Whether a report begins to be written.
  private func begins(_ time: Timestamp) -> Bool {
    order.begin(time, of: installation.key, installation.life)
  }

  private func begin() { #expect(begins(early)) }

  private func end(_ result: Result<CommitResult, PostgresError>) {
    order.end(of: installation.key, result)
  }

  @Test func anOlderOneFindsTheNewerOne() {
    #expect(stands())
    #expect(order.newest(of: installation.life) == late)
    #expect(!begins(early))
    #expect(begins(late))
  }

  @Test func aNewerOneFindsThatAnOlderOneIsBeingWritten() {
    begin()
    #expect(!stands())
    #expect(order.newest(of: installation.life) == nil)
    installation.appID = 2
    #expect(stands())
  }

  @Test func aNewerOneFindsThatAnOlderOneWasWrittenBehindItsRead() {
    let read = order.ended
    begin()
    end(.success(.written))
    #expect(!stands(readBehind: read))
    #expect(stands())
  }

  @Test func twoAreFoundUntilBothHaveEnded() {
    begin()
    begin()
    end(.success(.outrun))
    #expect(!stands())
    end(.success(.written))
    #expect(stands())
  }

  @Test func oneThatIsNoNewerThanAnotherStandsLikeThat() {
    #expect(stands())
    #expect(begins(late))
    #expect(stands())
  }

  @Test func aNewLifeBeginsAnew() {
    #expect(stands())
    let isBegun = order.begin(early, of: installation.key, nil)
    #expect(isBegun)
    end(.success(.written))
    installation.createdAt = late
    #expect(order.newest(of: installation.life) == nil)
    #expect(begins(early))
  }

  @Test(
    arguments: [
      (.success(.outrun), false), (.success(.written), false), (.success(.overtaken), false),
      (.failure(lost), true), (.failure(refused), false),
    ] as [(Result<CommitResult, PostgresError>, Bool)])
  func oneWhoseEndIsNotToldMayStillCome(
    result: Result<CommitResult, PostgresError>, mayCome: Bool
  ) {
    begin()
    end(result)
    #expect(stands() == !mayCome)
  }

  @Test func oneThatIsWrittenHasWaitedForThoseBeforeIt() {
    for result in [.failure(Self.lost), .success(.outrun), .failure(Self.refused)]
      as [Result<CommitResult, PostgresError>]
    {
      begin()
      end(result)
      #expect(!stands())
    }
    order.noteWritten(installation.key)
    #expect(stands())
  }
}
