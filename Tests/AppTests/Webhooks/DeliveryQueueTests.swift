import Foundation
import Postgres
import Testing

@testable import App
@testable import Registry

/// What an endpoint gets next.
@Suite struct DeliveryQueueTests {
  private let start = Timestamp(microseconds: 1_800_000_000_000_000)
  private let phone = UUID()
  private let tablet = UUID()

  /// Deliveries named `1`, `2` …
  private func queue(_ lanes: [[UUID]], isKnown: Bool = true) -> DeliveryQueue {
    var queue = DeliveryQueue(failingSince: nil)
    queue.add(
      lanes.enumerated().map { index, ids in
        PendingDelivery(
          id: "\(index + 1)", number: Int64(index + 1), event: "updated", installation: ids.first,
          from: ids.dropFirst().first, body: "{}", happenedAt: start, nextAttemptAt: start)
      })
    if isKnown {
      queue.add([
        PendingDelivery(
          id: "test", number: 0, event: "test", body: "{}", happenedAt: start, nextAttemptAt: start)
      ])
      _ = queue.end("test", .answered(200), began: start, at: start)
    }
    return queue
  }

  private func due(_ queue: DeliveryQueue, _ seconds: Int = 0) -> [String] {
    queue.due(at: start.advanced(by: .seconds(seconds))).map(\.id)
  }

  @Test func ofAnInstallationOneAtATime() {
    var queue = queue([[phone], [phone], [tablet], [phone], [tablet]])
    #expect(due(queue) == ["1", "3"])
    queue.begin("1")
    queue.begin("3")
    #expect(due(queue) == [])
    _ = queue.end("1", .answered(200), began: start, at: start)
    #expect(due(queue) == ["2"])
  }

  @Test func aFailureHoldsUpItsOwnInstallationAlone() {
    var queue = queue([[phone], [phone], [tablet]])
    queue.begin("1")
    let ended = queue.end("1", .answered(500), began: start, at: start)
    #expect(ended?.verdict == .tryAgain(at: start.advanced(by: .seconds(5))))
    #expect(ended?.delivery.attempts == 1)
    #expect(due(queue) == ["3"])
    queue.begin("3")
    _ = queue.end("3", .answered(200), began: start, at: start)
    #expect(due(queue, 4) == [])
    #expect(due(queue, 5) == ["1"])
  }

  @Test func aMoveIsTheBusinessOfBoth() {
    var queue = queue([[phone, tablet], [tablet], [phone], []])
    #expect(due(queue) == ["1", "4"])
    _ = queue.end("1", .answered(200), began: start, at: start)
    #expect(due(queue) == ["2", "3", "4"])
  }

  @Test func whatHappenedToTheAppKeepsItsOrderToo() {
    #expect(due(queue([[], [], [phone]])) == ["1", "3"])
  }

  @Test func anEndpointThatIsNotKnownToAnswerGetsOneAttemptAtATime() {
    var queue = queue((0..<20).map { _ in [UUID()] }, isKnown: false)
    #expect(due(queue) == ["1"])
    queue.begin("1")
    #expect(due(queue) == [])
    _ = queue.end("1", .answered(200), began: start, at: start)
    #expect(due(queue).count == Limits.webhookAttemptsAtOnce)
    queue.begin("2")
    #expect(due(queue).count == Limits.webhookAttemptsAtOnce - 1)
    _ = queue.end("2", .failed(.timeout), began: start, at: start)
    #expect(queue.failingSince == start)
    #expect(due(queue) == ["3"])
    _ = queue.end("3", .answered(200), began: start, at: start)
    #expect(queue.failingSince == nil)
  }

  @Test func aReceiverThatAsksForRestGetsIt() {
    var queue = queue([[phone], [tablet]])
    let now = start
    _ = queue.end("1", .answered(429, retryAfter: .seconds(60)), began: now, at: now)
    #expect(due(queue, 59) == [])
    #expect(due(queue, 60) == ["1"])
  }

  /// The clock of the database goes back by two minutes.
  @Test func noTimeOfBeforeTheClockWentBackHoldsAnythingUp() {
    var queue = queue([[phone], [tablet]])
    #expect(due(queue, -120) == ["1", "2"])
    _ = queue.end("1", .answered(500), began: start, at: start)
    #expect(due(queue, 4) == ["2"])
    #expect(due(queue, -120) == ["1"])
    _ = queue.end("2", .answered(429, retryAfter: .seconds(86_400)), began: start, at: start)
    #expect(due(queue, 60) == [])
    #expect(due(queue, -120) == ["1"])
  }

  @Test func whatWaitsGetsOlderAlsoIfTheClockGoesBack() {
    var ages = WaitingAges()
    let second: UInt64 = 1_000_000_000
    let one = WaitingAges.First(webhook: phone, isDelivery: true, happenedAt: start)
    let other = WaitingAges.First(
      webhook: tablet, isDelivery: false, happenedAt: start.advanced(by: .seconds(-100)))
    func age(_ firsts: [WaitingAges.First], _ seconds: Int, _ monotonic: UInt64) -> Int64 {
      ages.oldestSeconds(
        firsts, at: start.advanced(by: .seconds(seconds)), monotonic: monotonic * second)
    }
    #expect(age([], 0, 1000) == 0)
    #expect(age([one], 10, 1010) == 10)
    #expect(age([one], -110, 1020) == 10)
    #expect(age([one, other], -90, 1040) == 30)
    #expect(age([other], -60, 1070) == 40)
    #expect(age([], -60, 1070) == 0)
    #expect(age([one], -60, 1080) == 0)
    let extreme = WaitingAges.First(
      webhook: phone, isDelivery: true, happenedAt: Timestamp(microseconds: .min))
    #expect(age([extreme], 0, 1090) > 0)
  }

  /// All attempts by a clock of the test: one that is never taken, while others are.
  @Test func aDeliveryIsGivenUpInTheEnd() {
    var queue = queue([[phone], [phone]])
    var now = start
    var moments: [Int64] = []
    while let first = queue.due(at: now).first, first.id == "1" {
      moments.append((now.microseconds - start.microseconds) / 1_000_000)
      _ = queue.end("other", .answered(200), began: now, at: now)
      let (_, verdict) = queue.end("1", .answered(500), began: now, at: now) ?? (first, .delivered)
      guard case .tryAgain(let time) = verdict else {
        #expect(verdict == .givenUp)
        break
      }
      // Another one is taken meanwhile.
      now = time
      _ = queue.end("other", .answered(200), began: now, at: now)
    }
    #expect(
      moments == [0, 5, 305, 2105, 9305, 27_305, 63_305, 113_705, 185_705, 272_105])
    #expect(queue.due(at: now).map(\.id) == ["2"])
  }

  @Test func aDeadEndpointLosesNothing() {
    var queue = queue([[phone], [tablet]])
    var now = start
    var verdict: DeliveryVerdict?
    for _ in 0..<100 {
      guard let next = queue.due(at: now).first else {
        now = queue.pending.map(\.nextAttemptAt).min() ?? now
        continue
      }
      verdict = queue.end(next.id, .failed(.connection), began: now, at: now)?.verdict
      if case .disabled = verdict { break }
    }
    #expect(verdict == .disabled(.failing))
    #expect(queue.pending.map(\.id) == ["1", "2"])
  }

  @Test func whatIsReadAnewIsNotSentTwiceAtOnce() {
    var queue = queue([[phone], [tablet]])
    queue.begin("1")
    queue.load(queue.pending, failingSince: nil)
    #expect(due(queue) == ["2"])
  }
}
