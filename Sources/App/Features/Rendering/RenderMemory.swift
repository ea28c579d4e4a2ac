internal import Rendering

/// What a rendering remembers of its audience: each distinct content is made once. It has bounds.
struct RenderMemory<Traits: Hashable, Circumstances: Hashable> {
  /// A ``Verdict`` with the number of the content in place of the content.
  enum NumberedVerdict: Hashable {
    /// The content of this number.
    case content(Int)
    case skipped(SkipReason)
  }

  private struct Entry {
    let content: RenderedContent
    var devices = 0
  }

  private let bounds: RenderMemoryBounds
  private var verdicts: [Traits: NumberedVerdict] = [:]
  /// The bytes of the keys of ``verdicts``.
  private var traitBytes = 0
  private var contents: [Circumstances: NumberedVerdict] = [:]
  private var entries: [Entry] = []
  private var numbers: [RenderedContent: Int] = [:]
  /// About the bytes of ``entries``.
  private var contentBytes = 0
  private var skipped: [SkipReason: Int] = [:]

  init(_ bounds: RenderMemoryBounds = RenderMemoryBounds()) { self.bounds = bounds }

  /// What devices with these traits get, if it is remembered.
  func verdict(of traits: Traits) -> NumberedVerdict? { verdicts[traits] }

  /// Remembers what devices with these traits get. If there are too many, all others are forgotten.
  mutating func remember(_ verdict: NumberedVerdict, of traits: Traits, bytes: Int) {
    if traitBytes >= bounds.traitBytes {
      verdicts = [:]
      traitBytes = 0
    }
    verdicts[traits] = verdict
    traitBytes += bytes
  }

  /// What devices in these circumstances get, made once.
  mutating func verdict(
    in circumstances: Circumstances, _ make: (inout Self) -> NumberedVerdict
  ) -> NumberedVerdict {
    if let known = contents[circumstances] { return known }
    let verdict = make(&self)
    if contents.count >= bounds.circumstances { contents = [:] }
    contents[circumstances] = verdict
    return verdict
  }

  /// The content of a number.
  func content(_ number: Int) -> RenderedContent { entries[number].content }

  /// The number of a content, a new one unless it was made before.
  mutating func number(of content: RenderedContent) -> Int {
    if let number = numbers[content] { return number }
    let number = entries.count
    numbers[content] = number
    entries.append(Entry(content: content))
    contentBytes += content.problems.reduce(content.payload.count) { $0 + $1.detail.utf8.count }
    return number
  }

  /// Whether the next content is one too many: ``settle()`` first.
  var isFull: Bool { entries.count >= bounds.contents || contentBytes >= bounds.contentBytes }

  /// Takes so many devices into the account.
  mutating func count(_ verdict: NumberedVerdict, devices: Int = 1) {
    switch verdict {
    case .skipped(let reason): skipped[reason, default: 0] += devices
    case .content(let number): entries[number].devices += devices
    }
  }

  /// The account since the last time: what was delivered to how many, and how many get nothing.
  struct Account {
    var delivered: [(content: RenderedContent, devices: Int)]
    var skipped: [SkipReason: Int]
  }

  /// Closes the account and forgets everything: numbers begin anew.
  mutating func settle() -> Account {
    defer { self = Self(bounds) }
    return Account(
      delivered: entries.filter { $0.devices > 0 }.map { ($0.content, $0.devices) },
      skipped: skipped)
  }
}

/// How much a rendering remembers.
struct RenderMemoryBounds {
  /// Bytes of traits.
  var traitBytes = Limits.rememberedTraitBytes
  /// Distinct circumstances.
  var circumstances = Limits.rememberedCircumstances
  /// Distinct contents, and their bytes.
  var contents = Limits.rememberedContents
  var contentBytes = Limits.rememberedContentBytes
}
