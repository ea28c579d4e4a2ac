/// A bounded memory of matches, so that the devices of one audience pay for each distinct list
/// of languages once: a match costs microseconds, a remembered one a hash.
///
/// A value that its owner (one event loop) keeps to itself. When full it is emptied rather than
/// trimmed: real audiences have a few thousand distinct lists, so a full memo means hostile or
/// outdated entries, and an order of use would cost every hit for the sake of that case. Longer
/// lists than people have are not remembered.
public struct MatchMemo: Sendable {
  private struct Question: Hashable {
    let catalogID: Int64
    let preferred: [LanguageTag]
  }

  private var chains: [Question: [String]] = [:]
  private let capacity: Int

  /// An empty memo for at most `capacity` matches.
  public init(capacity: Int = 16_384) {
    self.capacity = min(max(1, capacity), Limits.memoizedMatches)
  }

  /// How many matches are remembered.
  public var count: Int { chains.count }

  /// The bundle chain of `catalog` for `preferred`, as `LanguageMatcher.bundleLocalizations`
  /// gives it. `catalogID` names these contents: a replaced catalog needs another.
  public mutating func chain(
    for preferred: [LanguageTag], in catalog: Catalog, catalogID: Int64
  ) -> [String] {
    let question = Question(catalogID: catalogID, preferred: preferred)
    if let chain = chains[question] { return chain }
    let chain = catalog.chain(for: preferred)
    guard preferred.count <= Limits.memoizedTags else { return chain }
    if chains.count >= capacity { chains.removeAll(keepingCapacity: true) }
    chains[question] = chain
    return chain
  }
}
