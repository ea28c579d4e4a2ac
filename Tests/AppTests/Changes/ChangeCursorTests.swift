import Postgres
import Testing

@testable import App

/// Cursors and those who follow, as values.
@Suite struct ChangeCursorTests {
  private static let life = ChangeEpoch(number: 7, keptSince: Timestamp(microseconds: 1000))

  private func cursor(_ id: Int64, epoch: Int64 = 7, at: Int64 = 2000) -> ChangeCursor {
    ChangeCursor(
      epoch: epoch, position: ChangePosition(transaction: TransactionID(UInt64(id)), id: id),
      at: Timestamp(microseconds: at))
  }

  @Test func aCursorIsReadAsItWasWritten() {
    for cursor in [
      cursor(0), cursor(1), cursor(.max, epoch: .max), cursor(5, at: -1),
    ] {
      #expect(cursor.text.utf8.count == 43)
      #expect(ChangeCursor(cursor.text) == cursor)
      #expect(ChangeCursor(String(cursor.text.dropLast(2))) == nil)
      #expect(ChangeCursor(cursor.text + "AA") == nil)
    }
    // No row was ever changed at such a time, and what adds to it would go beyond all times.
    for time in [Int64.max, .max - 3_600_000_000, .min] {
      #expect(ChangeCursor(cursor(1, at: time).text) == nil)
    }
    for text in ["", "now", "eyJpIjoxfQ", String(repeating: "!", count: 43)] {
      #expect(ChangeCursor(text) == nil)
    }
  }

  @Test func aCursorIsGoodInItsLifeAndWhileAllBehindItIsKept() {
    #expect(cursor(1).loss(in: Self.life, goesOn: true) == nil)
    #expect(cursor(1, epoch: 8, at: 1000).loss(in: Self.life, goesOn: true) == nil)
    #expect(cursor(1, at: 999).loss(in: Self.life, goesOn: true) == .expired)
    #expect(cursor(1, at: 0).loss(in: Self.life, goesOn: false) == .otherLife)
  }

  private func change(_ id: Int64) -> ChangeEntry {
    ChangeEntry(
      position: cursor(id).position, at: Timestamp(microseconds: 1500 + id), event: "updated",
      source: "app")
  }

  /// A page that is not full shows that the reader has seen all, up to now.
  @Test func aPageSaysWhereItsReaderStands() {
    let now = Timestamp(microseconds: 9000)
    func page(_ ids: [Int64], limit: Int) -> ChangePage {
      ChangePage(
        ids.map(change), behind: cursor(3).position, limit: limit, in: Self.life, at: now)
    }
    let full = page([4, 5, 6], limit: 2)
    #expect(full.changes.map(\.position.id) == [4, 5])
    #expect(full.hasMore)
    #expect(full.cursor == cursor(5, at: 1505))
    let rest = page([4, 5], limit: 2)
    #expect(!rest.hasMore)
    #expect(rest.cursor == cursor(5, at: 9000))
    #expect(page([], limit: 2).cursor == cursor(3, at: 9000))
  }
}
