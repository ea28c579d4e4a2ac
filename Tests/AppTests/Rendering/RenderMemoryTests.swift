import APNs
import Testing

@testable import App
@testable import Rendering

/// What a rendering remembers, and when it forgets.
@Suite struct RenderMemoryTests {
  typealias Memory = RenderMemory<String, Int>

  private func content(_ payload: String, problem: String? = nil) -> RenderedContent {
    RenderedContent(
      headers: RequestHeaders(
        bundleID: "org.example.app", pushType: .alert, priority: nil, contentAvailable: false,
        ttlSeconds: nil, now: 0, collapseID: nil),
      payload: Array(payload.utf8), mode: .server, language: "en",
      problems: problem.map { [RenderProblem(code: "code", detail: $0)] } ?? [])
  }

  @Test func contentsThatAreAlikeHaveOneNumber() {
    var memory = Memory()
    #expect(memory.number(of: content("a")) == 0)
    #expect(memory.number(of: content("b")) == 1)
    #expect(memory.number(of: content("a")) == 0)
    #expect(memory.number(of: content("a", problem: "cut")) == 2)
    #expect(memory.content(1) == content("b"))
  }

  @Test func anAccountTellsWhatWasDelivered() {
    var memory = Memory()
    let a = Memory.NumberedVerdict.content(memory.number(of: content("a")))
    _ = memory.number(of: content("nobody's"))
    memory.count(a)
    memory.count(a)
    memory.count(.skipped(.denied))
    memory.count(.skipped(.installationNotFound), devices: 0)
    memory.count(.skipped(.installationNotFound), devices: 7)
    let account = memory.settle()
    #expect(account.delivered.map(\.content) == [content("a")])
    #expect(account.delivered.map(\.devices) == [2])
    #expect(account.skipped == [.denied: 1, .installationNotFound: 7])
    let empty = memory.settle()
    #expect(empty.delivered.isEmpty && empty.skipped.isEmpty)
    #expect(memory.number(of: content("b")) == 0)
  }

  @Test func traitsAreForgottenWhenTheyAreTooMany() {
    var memory = Memory(RenderMemoryBounds(traitBytes: 10))
    memory.remember(.content(0), of: "one", bytes: 6)
    memory.remember(.skipped(.denied), of: "two", bytes: 6)
    #expect(memory.verdict(of: "one") == .content(0))
    #expect(memory.verdict(of: "two") == .skipped(.denied))
    memory.remember(.content(1), of: "three", bytes: 6)
    #expect(memory.verdict(of: "one") == nil)
    #expect(memory.verdict(of: "two") == nil)
    #expect(memory.verdict(of: "three") == .content(1))
  }

  @Test(
    arguments: [
      (RenderMemoryBounds(contents: 2), ["a", "b"]),
      (RenderMemoryBounds(contentBytes: 10), ["12345", "67890"]),
    ])
  func aMemoryIsFull(_ bounds: RenderMemoryBounds, _ payloads: [String]) {
    var memory = Memory(bounds)
    for payload in payloads {
      #expect(!memory.isFull)
      _ = memory.number(of: content(payload))
    }
    #expect(memory.isFull)
    _ = memory.settle()
    #expect(!memory.isFull)
  }

  @Test func detailsOfProblemsCount() {
    var memory = Memory(RenderMemoryBounds(contentBytes: 10))
    _ = memory.number(of: content("1", problem: "123456789"))
    #expect(memory.isFull)
  }
}
