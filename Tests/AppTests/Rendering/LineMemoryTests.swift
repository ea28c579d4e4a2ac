import APNs
import DeviceProfile
import Localization
import Testing

@testable import App
@testable import Rendering

/// Which lines a rendering remembers, and when it forgets.
@Suite struct LineMemoryTests {
  private let french = KnownCircumstances("fr")
  private let german = KnownCircumstances("de")

  private func content(_ payload: String, problem: String? = nil) -> RenderedContent {
    RenderedContent(
      headers: RequestHeaders(
        bundleID: "org.example.app", pushType: .alert, priority: nil, contentAvailable: false,
        ttlSeconds: nil, now: 0, collapseID: nil),
      payload: Array(payload.utf8), mode: .server, language: "en",
      problems: problem.map { [RenderProblem(code: "code", detail: $0)] } ?? [])
  }

  private func line(_ entry: LineMemory.Entry?) -> RenderedLine? {
    if case .line(let line)? = entry { line } else { nil }
  }

  private func kind(_ circumstances: KnownCircumstances, _ fixed: String? = nil) -> LineKind {
    var own = OwnWords()
    if let fixed { own.addFixed(fixed) }
    return own.kind(in: circumstances)
  }

  @Test func contentsThatAreAlikeHaveOneLine() {
    var memory = LineMemory(maximumBytes: 1 << 20, .gorush)
    let a = line(memory.remember(.verdict(.content(content("a"))), of: kind(french)))
    let again = line(memory.remember(.verdict(.content(content("a"))), of: kind(german)))
    let cut = memory.remember(
      .verdict(.content(content("a", problem: "cut"))), of: kind(german, "1"))
    #expect(a != nil && a === again && line(cut) !== a)
    #expect(line(memory[kind(french)]) === a)
    #expect(line(memory[kind(german, "1")]) === line(cut))
    #expect(memory[kind(french, "1")] == nil)
  }

  @Test func theFirstLineWithWordsOfItsOwnIsNotExpectedAgain() {
    var memory = LineMemory(maximumBytes: 1 << 20, .gorush)
    let kinds = [kind(french), kind(french, "1"), kind(french, "2"), kind(french, "1")]
    let expected = kinds.map { memory.isExpected($0) }
    #expect(expected == [true, false, false, true])
  }

  @Test func aReasonToSkipIsRemembered() {
    var memory = LineMemory(maximumBytes: 1 << 20, .gorush)
    _ = memory.remember(.verdict(.skipped(.missingArgument, detail: "n")), of: kind(french))
    _ = memory.remember(.alone, of: kind(german))
    let isSkipped =
      if case .skipped(.missingArgument, "n")? = memory[kind(french)] { true } else { false }
    let isAlone = if case .alone? = memory[kind(german)] { true } else { false }
    #expect(isSkipped && isAlone)
  }

  @Test(arguments: [
    ("requests", RenderShape.requests(.json), "12345", nil),
    ("a payload", .gorush, String(repeating: "x", count: 2000), nil),
    ("a problem", .gorush, "1", String(repeating: "x", count: 2000)),
  ])
  func aMemoryIsFull(_ what: String, _ shape: RenderShape, _ payload: String, _ problem: String?) {
    var memory = LineMemory(maximumBytes: 1200, shape)
    _ = memory.remember(.verdict(.content(content("1"))), of: kind(french))
    #expect(!memory.isFull || what == "requests")
    _ = memory.remember(.verdict(.content(content(payload, problem: problem))), of: kind(german))
    #expect(memory.isFull)
    memory.forget()
    #expect(!memory.isFull && memory[kind(french)] == nil)
  }

  @Test func kindsThatCameOnceFillItToo() {
    var memory = LineMemory(maximumBytes: 1000, .gorush)
    var count = 0
    while !memory.isFull, count < 100 {
      if !memory.isExpected(kind(french, "\(count)")) { count += 1 }
    }
    #expect((5..<10).contains(count))
  }
}

extension KnownCircumstances {
  /// Those of a device in a language.
  convenience init(_ language: String) {
    self.init(
      Renderer(
        message: Message(), arguments: .open(for: Message()),
        app: AppFacts(bundleID: "org.example.app", developmentLanguage: "en"),
        options: RenderOptions(explain: true), now: 0
      ).circumstances(
        of: Device(languages: [LanguageTag(language)].compactMap(\.self)),
        catalogs: DeviceCatalogs()))
  }
}
