internal import ASCII
internal import Localization

/// The facts about one entry that the lint needs.
struct EntryAnalysis {
  private(set) var summary = ArgumentSummary()
  /// Whether the entry says anything, and is not too large to be counted in time.
  private(set) var isComparable = true
  /// The first percent sign that should be `%%`, with what it swallows.
  private(set) var percentSign: String?
  /// The first placeholder that nothing can fill.
  private(set) var unsupported: String?
  /// The first placeholder with a space in it that shows the argument all the same.
  private(set) var spaced: String?
  /// Whether a text has markup, of which a notification shows only the words.
  private(set) var hasMarkup = false
  /// Whether one of the texts both counts arguments and names them by position.
  private(set) var mixesPositions = false

  init(_ entry: Entry) {
    if case .text(let text) = entry, !text.utf8.contains(UInt8(ascii: "%")) {
      isComparable = !text.isEmpty
      hasMarkup = InlineMarkup.isIn(text)
      return
    }
    for format in entry.comparedFormats { add(format) }
    guard isComparable else { return }
    summary = ArgumentSummary(
      percentSign == nil ? entry.comparedFormats : entry.comparedFormats.map(\.cleaned))
  }

  /// Whether a text is for a predicate editor, such as `%[name, size]@ %[is, is not]@ %@`. No
  /// notification shows such a text.
  private static func isOfPredicates(_ text: String) -> Bool {
    var rest = Array(text.utf8)[...]
    while let percent = rest.firstIndex(of: UInt8(ascii: "%")) {
      rest = rest[(percent + 1)...].drop { (0x30...0x39).contains($0) || $0 == UInt8(ascii: "$") }
      guard rest.first == UInt8(ascii: "[") else { continue }
      guard let end = rest.firstIndex(of: UInt8(ascii: "]")) else { return false }
      rest = rest[(end + 1)...]
      if rest.first == UInt8(ascii: "@") { return true }
    }
    return false
  }

  /// Looks through a text and all its cases.
  private mutating func add(_ format: PluralFormat) {
    guard !Self.isOfPredicates(format.text) else {
      isComparable = false
      return
    }
    let scan = add(format.text)
    if scan.sequential > 0, scan.isPositional { mixesPositions = true }
    var count = scan.references.count
    guard !format.variables.isEmpty else { return }
    var inner: [Spelling: [Spelling]] = [:]
    // In order, so that of several findings always the same one is told.
    for (name, variable) in format.variables.sorted(by: { $0.key < $1.key }) {
      for text in PluralCategory.allCases.compactMap({ variable.cases[$0] }) {
        let scan = add(text)
        // The first placeholder without a position stands for the variable's own argument.
        if scan.sequential > 1, scan.isPositional { mixesPositions = true }
        count += scan.references.count
        inner[name, default: []] += scan.references
      }
    }
    // Counting follows each reference: few of them, nested at most once, keep that linear.
    let isShallow = inner.values.joined().allSatisfy { inner[$0]?.isEmpty ?? true }
    if count > Limits.comparedReferences || !isShallow { isComparable = false }
  }

  private mutating func add(_ text: String) -> PlaceholderScan {
    let words = InlineMarkup.words(of: text)
    if words.utf8.count != text.utf8.count { hasMarkup = true }
    let scan = PlaceholderScan(words)
    if scan.isCutShort { isComparable = false }
    percentSign = percentSign ?? scan.percentSign
    unsupported = unsupported ?? scan.unsupported
    spaced = spaced ?? scan.spaced
    return scan
  }
}

extension PluralFormat {
  /// The text and its cases without the percent signs that mean themselves.
  fileprivate var cleaned: PluralFormat {
    PluralFormat(
      PlaceholderScan.cleaned(text),
      variables: variables.mapValues { variable in
        var variable = variable
        variable.cases = variable.cases.mapValues(PlaceholderScan.cleaned)
        return variable
      })
  }
}
