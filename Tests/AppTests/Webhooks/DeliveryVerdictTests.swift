import Postgres
import Testing

@testable import App
@testable import Registry

/// What becomes of a delivery, by a clock of the test.
@Suite struct DeliveryVerdictTests {
  private let start = Timestamp(microseconds: 1_800_000_000_000_000)

  private func verdict(
    _ outcome: AttemptOutcome, attempts: Int = 1, failingSince: Timestamp? = nil
  ) -> DeliveryVerdict {
    DeliveryVerdict(
      of: outcome, attempts: attempts, began: start, failingSince: failingSince ?? start, at: start)
  }

  /// The seconds between the attempts that the specification proposes.
  @Test func theDelaysAreThoseOfTheSpecification() {
    let seconds = [5, 300, 1800, 7200, 18_000, 36_000, 50_400, 72_000, 86_400]
    for (index, delay) in seconds.enumerated() {
      let next = start.advanced(by: .seconds(delay))
      #expect(verdict(.answered(500), attempts: index + 1) == .tryAgain(at: next))
      #expect(verdict(.failed(.timeout), attempts: index + 1) == .tryAgain(at: next))
    }
  }

  @Test func whateverNumberIsStoredEndsNothing() {
    let next = start.advanced(by: .seconds(5))
    for attempts in [-32_768, -3, 0] {
      #expect(verdict(.answered(500), attempts: attempts) == .tryAgain(at: next))
    }
  }

  @Test(arguments: [
    (200, DeliveryVerdict.delivered), (204, .delivered), (299, .delivered),
    (410, .disabled(.gone)),
  ])
  func aStatusDecides(status: Int, expected: DeliveryVerdict) {
    #expect(verdict(.answered(status)) == expected)
    #expect(verdict(.answered(status), attempts: 10) == expected)
  }

  /// None of these is followed or taken for a success.
  @Test(arguments: [0, 100, 300, 301, 302, 304, 307, 308, 400, 401, 404, 429, 500, 502, 503])
  func anythingElseIsTriedAgain(status: Int) {
    #expect(
      verdict(.answered(status)) == .tryAgain(at: start.advanced(by: .seconds(5))))
  }

  @Test func theTenthFailureIsTheLast() {
    // Another delivery was taken meanwhile.
    let later = start.advanced(by: .seconds(1))
    #expect(verdict(.answered(500), attempts: 10, failingSince: later) == .givenUp)
    // Nothing was.
    #expect(verdict(.answered(500), attempts: 10) == .disabled(.failing))
    let earlier = start.advanced(by: .seconds(-1))
    #expect(
      verdict(.failed(.trust), attempts: 10, failingSince: earlier) == .disabled(.failing))
  }

  @Test(arguments: [
    (429, 60, 60), (503, 60, 60), (429, 2, 5), (503, 100_000_000, 86_400), (500, 60, 5),
    (429, 0, 5),
  ])
  func theReceiverMaySayWhenToComeAgain(status: Int, wanted: Int, seconds: Int) {
    #expect(
      verdict(.answered(status, retryAfter: .seconds(wanted)))
        == .tryAgain(at: start.advanced(by: .seconds(seconds))))
  }

  @Test(
    arguments: [
      ("120", 120), ("0", 0), ("Fri, 15 Jan 2027 08:01:00 GMT", 60),
      ("Sun, 06 Nov 1994 08:49:37 GMT", 0), ("-1", nil), ("99999999999999999999999", 1_000_000_000),
      ("soon", nil), ("", nil), ("1.5", nil),
      ("Fri, 15 Foo 2027 08:01:00 GMT", nil),
    ] as [(String, Int?)])
  func retryAfterIsReadInBothForms(text: String, seconds: Int?) {
    #expect(start.rfc3339 == "2027-01-15T08:00:00.000Z")
    #expect(retryAfter(text, at: start) == seconds.map { .seconds($0) })
  }
}
