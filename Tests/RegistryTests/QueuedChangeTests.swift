import DeviceProfile
import FoundationEssentials
import Postgres
import Testing

@testable import Registry

/// Which changes go together and what becomes of them, without any database.
@Suite struct QueuedChangeTests {
  /// Changes with names.
  typealias Queue = RoundQueue<(name: String, change: QueuedChange), CommitResult>

  static let bounds = Queue.Bounds(
    waiting: RegistryLimits.waitingChanges, perRound: RegistryLimits.changesPerRound,
    underWay: RegistryLimits.commitRounds)

  static let ids = (0..<64).map { _ in InstallationID(UUID()) }
  static let start = Timestamp(microseconds: 1_700_000_000_000_000)

  static func token(_ byte: UInt8) -> DeviceToken? {
    DeviceToken(bytes: Array(repeating: byte, count: 32))
  }

  /// A change of an installation, perhaps with a token.
  static func change(_ index: Int, token byte: UInt8? = nil) -> ChangeSet {
    var after = installation(index)
    after.credentials[.apns] = byte.flatMap(token).map { .active($0, in: .production, at: start) }
    return ChangeSet(transitions: [Transition(from: nil, to: after, at: start, .init(.backend))])
  }

  static func deletion(_ index: Int) -> ChangeSet {
    ChangeSet(transitions: [
      Transition(deleting: installation(index), at: start, .init(.backend))
    ])
  }

  /// A report that changes nothing.
  static func sighting(_ index: Int) -> ChangeSet {
    ChangeSet(sightings: [Sighting(installation: installation(index).key, revision: 1)])
  }

  private static func installation(_ index: Int) -> Installation {
    Installation(
      appID: 1, id: ids[index], revision: 1, platform: .ios, environment: .production,
      createdAt: start, updatedAt: start, lastSeenAt: start)
  }

  /// A queue with changes named `a`, `b`, `c`, …
  static func queue(_ changes: [ChangeSet]) -> Queue {
    var queue = Queue(bounds)
    for (name, change) in zip("abcdefgh", changes) {
      queue.add((String(name), QueuedChange(change)))
    }
    return queue
  }

  /// The next round, which must be there.
  static func takeRound(_ queue: inout Queue) throws -> [Queue.Entry] {
    let round = queue.takeChanges(\.change)
    return try #require(round)
  }

  /// Ends a round.
  static func end(
    _ round: [Queue.Entry], _ result: WriteRoundResult, _ queue: inout Queue
  ) -> [(name: String, outcome: Queue.Outcome)] {
    queue.end(round, result.endings(count: round.count), failure: result.failureOfAll).map {
      ($0.entry.work.name, $0.outcome)
    }
  }

  /// The names of the changes of all further rounds.
  static func rounds(_ queue: inout Queue) -> [String] {
    var rounds: [String] = []
    while let round = queue.takeChanges(\.change) {
      rounds.append(round.map(\.work.name).joined())
      _ = end(round, .committed(), &queue)
    }
    return rounds
  }

  @Test(
    arguments: [
      ("all that wait go together", [change(0), change(1, token: 1), sighting(2)], ["abc"]),
      ("an installation goes once a round", [change(0), change(1), change(0)], ["ab", "c"]),
      ("a sighting counts as a change", [sighting(0), change(0), sighting(1)], ["ac", "b"]),
      ("a token goes once a round", [change(0, token: 1), change(1, token: 1)], ["a", "b"]),
      (
        "deletions go by themselves", [change(0), deletion(1), change(2), deletion(3)],
        ["ac", "bd"]
      ),
      ("what stays behind keeps its order", [change(0), deletion(1), change(1)], ["a", "b", "c"]),
    ])
  func changesGoTogether(_ name: String, _ changes: [ChangeSet], _ expected: [String]) {
    var queue = Self.queue(changes)
    #expect(Self.rounds(&queue) == expected)
  }

  @Test func noMoreRoundsThanMayAreUnderWay() throws {
    var queue = Self.queue([])
    var rounds: [[Queue.Entry]] = []
    for round in 0..<RegistryLimits.commitRounds {
      queue.add(("\(round)", QueuedChange(Self.sighting(round))))
      rounds.append(try Self.takeRound(&queue))
    }
    queue.add(("last", QueuedChange(Self.sighting(7))))
    #expect(Self.rounds(&queue) == [])
    _ = Self.end(rounds[0], .committed(), &queue)
    #expect(Self.rounds(&queue) == ["last"])
  }

  @Test func aRoundHasABound() throws {
    var queue = Queue(Self.bounds)
    for number in 0...RegistryLimits.changesPerRound {
      var installation = Self.installation(0)
      installation.id = InstallationID(UUID())
      let sighting = Sighting(installation: installation.key, revision: 1)
      queue.add(("\(number)", QueuedChange(ChangeSet(sightings: [sighting]))))
    }
    #expect(try Self.takeRound(&queue).count == RegistryLimits.changesPerRound)
  }

  /// An outcome of a round of three, what is answered, and the rounds that follow it.
  struct Ending: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let result: WriteRoundResult
    let answers: [String]
    let rounds: [String]
  }

  static func error(_ sqlState: String, _ constraint: String? = nil) -> PostgresError {
    PostgresError(.server(sqlState: sqlState), "refused", constraint: constraint)
  }

  static let endings = [
    Ending(
      testDescription: "written", result: .committed(),
      answers: ["a written", "b written", "c written"], rounds: ["d"]),
    Ending(
      testDescription: "a language was chosen meanwhile",
      result: .committed(languageChanged: [1]),
      answers: ["a written", "b languageChanged", "c written"], rounds: ["d"]),
    Ending(
      testDescription: "another writer was faster", result: .rolledBack(outrun: [0, 2]),
      answers: ["a outrun", "c outrun"], rounds: ["bd"]),
    Ending(
      testDescription: "one row is bad, so each goes alone", result: .failed(error("23514")),
      answers: [], rounds: ["a", "b", "c", "d"]),
    Ending(
      testDescription: "an app is gone, and the others are of other apps",
      result: .failed(error("23503", "installation_app_id_fkey")),
      answers: [], rounds: ["a", "b", "c", "d"]),
    Ending(
      testDescription: "the server of an app is down, and the others may be of other apps",
      result: .failed(error("08006")), answers: [], rounds: ["a", "b", "c", "d"]),
    Ending(
      testDescription: "the database fails", result: .failed(error("53100")),
      answers: ["a 53100", "b 53100", "c 53100"], rounds: ["d"]),
    Ending(
      testDescription: "the outcome is unknown",
      result: .failed(PostgresError(.disconnected, "broke")),
      answers: ["a broke", "b broke", "c broke"], rounds: ["d"]),
    Ending(
      testDescription: "there was no connection for a whole wait",
      result: .failed(PostgresError(.disconnected, "none", isSafeToRetry: true)),
      answers: ["a none", "b none", "c none", "d none"], rounds: []),
  ]

  @Test(arguments: endings)
  func aRoundEnds(_ ending: Ending) throws {
    var queue = Self.queue([Self.change(0), Self.change(1), Self.sighting(2)])
    let round = try Self.takeRound(&queue)
    queue.add(("d", QueuedChange(Self.change(3))))
    let answers = Self.end(round, ending.result, &queue).map { answer in
      switch answer.outcome {
      case .success(let result): "\(answer.name) \(result)"
      case .failure(let error): "\(answer.name) \(error.sqlState ?? error.message)"
      }
    }
    #expect(answers == ending.answers)
    #expect(Self.rounds(&queue) == ending.rounds)
  }

  @Test func aChangeThatFailsAloneIsAnswered() throws {
    var queue = Self.queue([Self.change(0), Self.change(1)])
    let both = try Self.takeRound(&queue)
    let none = Self.end(both, .failed(Self.error("23514")), &queue)
    let first = try Self.takeRound(&queue)
    let answers = Self.end(first, .failed(Self.error("23514")), &queue)
    #expect(none.isEmpty)
    #expect(answers.map(\.name) == ["a"])
    #expect(Self.rounds(&queue) == ["b"])
  }

  @Test func aQueueHasABound() {
    var queue = Queue(Self.bounds)
    for number in 0..<RegistryLimits.waitingChanges {
      #expect(!queue.isFull)
      queue.add(("", QueuedChange(Self.sighting(number % 8))))
    }
    #expect(queue.isFull)
  }
}
