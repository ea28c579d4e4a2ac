internal import Postgres

/// Those who wait for the next changes, as a value: the shell asks what to read, and whom to answer
/// with what was read.
///
/// Rounds follow each other as long as somebody waits: the first who waits begins them, and the
/// round that finds nobody ends them.
struct FollowerTable<Ticket> {
  private struct Follower {
    let place: ChangePlace
    /// When it is answered at the latest, in nanoseconds.
    let deadline: UInt64
    let ticket: Ticket
  }

  /// Whom to answer, with what.
  typealias Answer = (ticket: Ticket, page: ChangePage)

  private var followers: [UInt64: Follower] = [:]
  private var count: UInt64 = 0
  private var isReading = false

  /// A number for one who is about to wait.
  mutating func makeNumber() -> UInt64 {
    count += 1
    return count
  }

  /// Has one wait for changes after a place.
  /// - Returns: Whether rounds are to begin.
  mutating func add(
    _ number: UInt64, at place: ChangePlace, until deadline: UInt64, ticket: Ticket
  ) -> Bool {
    followers[number] = Follower(place: place, deadline: deadline, ticket: ticket)
    defer { isReading = true }
    return !isReading
  }

  /// One does not wait any more.
  mutating func remove(_ number: UInt64) -> Ticket? {
    followers.removeValue(forKey: number)?.ticket
  }

  /// Where this round reads: each place once, however many stand there. Those who have seen all
  /// changes of an app stand at one place.
  /// - Returns: `nil` when nobody waits; the rounds are over then.
  mutating func round() -> [ChangePlace]? {
    guard !followers.isEmpty else {
      isReading = false
      return nil
    }
    return Array(Set(followers.values.map(\.place)))
  }

  /// Ends a round: those behind whose place there is something are answered, those who cannot go
  /// on, and those whose time is over.
  mutating func end(
    _ places: [ChangePlace], _ pages: [ChangePage], at now: UInt64
  ) -> [Answer] {
    let found = Dictionary(zip(places, pages)) { $1 }
    var answers: [Answer] = []
    for (number, follower) in followers.sorted(by: { $0.key < $1.key }) {
      guard let page = found[follower.place],
        !page.changes.isEmpty || !page.goesOn || follower.deadline <= now
      else { continue }
      followers[number] = nil
      answers.append((follower.ticket, page))
    }
    return answers
  }

  /// Takes all who wait.
  mutating func takeAll() -> [Ticket] {
    defer { followers = [:] }
    return followers.values.map(\.ticket)
  }
}
