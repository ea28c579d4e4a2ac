import FoundationEssentials
import Postgres
import Testing

@testable import Registry

/// Reports of one installation that overtake each other, without any database.
@Suite final class ReportOrderTests {
  private var order = ReportOrder()
  private let key = InstallationKey(appID: 1, id: InstallationID(UUID()))
  private let early = Timestamp(microseconds: 1_700_000_000_000_000)
  private let late = Timestamp(microseconds: 1_700_000_060_000_000)
  private static let lost = PostgresError(.disconnected, "not committed in time")
  private static let refused = PostgresError(.server(sqlState: "57014"), "canceled")

  /// Whether a late report that changes nothing is noted.
  private func isNoted(readBehind ended: UInt64? = nil) -> Bool {
    order.note(late, of: key, readBehind: ended ?? order.ended)
  }

  /// Whether a report begins to be written.
  private func begins(_ time: Timestamp) -> Bool { order.begin(time, of: key) }

  private func begin() { #expect(begins(early)) }

  @Test func anOlderOneFindsTheNewerOne() {
    #expect(isNoted())
    #expect(order.newest(of: key) == late)
    #expect(!begins(early))
    #expect(begins(late))
  }

  @Test func aNewerOneFindsThatAnOlderOneIsBeingWritten() {
    begin()
    #expect(!isNoted())
    #expect(order.newest(of: key) == nil)
    let isOthersNoted = order.note(late, of: .init(appID: 2, id: key.id), readBehind: 0)
    #expect(isOthersNoted)
  }

  @Test func aNewerOneFindsThatAnOlderOneWasWrittenBehindItsRead() {
    let read = order.ended
    begin()
    order.end(of: key, .success(.written))
    #expect(!isNoted(readBehind: read))
    #expect(isNoted())
  }

  @Test func twoAreFoundUntilBothHaveEnded() {
    begin()
    begin()
    order.end(of: key, .success(.outrun))
    #expect(!isNoted())
    order.end(of: key, .success(.written))
    #expect(isNoted())
  }

  @Test(
    arguments: [
      (.success(.outrun), false), (.success(.written), false), (.success(.overtaken), false),
      (.failure(lost), true), (.failure(refused), false),
    ] as [(Result<CommitResult, PostgresError>, Bool)])
  func oneWhoseEndIsNotToldMayStillCome(
    end: Result<CommitResult, PostgresError>, mayCome: Bool
  ) {
    begin()
    order.end(of: key, end)
    #expect(isNoted() == !mayCome)
  }

  @Test func oneThatIsWrittenHasWaitedForThoseBeforeIt() {
    for end in [.failure(Self.lost), .success(.outrun), .failure(Self.refused)]
      as [Result<CommitResult, PostgresError>]
    {
      begin()
      order.end(of: key, end)
      #expect(!isNoted())
    }
    begin()
    order.end(of: key, .success(.written))
    #expect(isNoted())
  }
}
