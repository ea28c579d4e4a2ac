public import Localization

/// The keys that the texts of a message are made of, looked for as a rendering does.
public struct MessageKeys: Sendable {
  /// What a message lacks.
  public struct Gap: Sendable, Hashable {
    /// Keys without a text.
    public let keys: [Catalog.Address]
    /// Whether every text of the message lacks its key: nothing is left to show.
    public let isWhole: Bool
  }

  /// The keys of each text: one, or one for each word; none for a text that the message has itself.
  private let texts: [[KeyedText]]
  private let fallback: LanguageTag?

  /// The keys of a message; nil when it has none.
  public init?(_ message: Message) {
    texts = message.placedTexts.map { _, text in
      text.branches.compactMap { if case .key(let keyed) = $0.source { keyed } else { nil } }
    }
    fallback = message.fallbackLanguage
    if texts.allSatisfy(\.isEmpty) { return nil }
  }

  /// The keys without a text in these catalogs, for a person of these languages; nil if there are
  /// none.
  public func gap(in catalogs: DeviceCatalogs, for preferred: [LanguageTag]) -> Gap? {
    let fallback = fallback.map { FallbackLanguage(language: $0, preferred: preferred) }
    let catalogs = catalogs.falling(back: fallback)
    let missing = texts.map { $0.filter { !catalogs.have($0) } }
    let keys = missing.joined().map { Catalog.Address(table: $0.table, key: $0.key) }
    guard !keys.isEmpty else { return nil }
    return Gap(keys: Array(Set(keys)), isWhole: missing.allSatisfy { !$0.isEmpty })
  }
}

extension DeviceCatalogs {
  /// Whether there is a text for a key.
  fileprivate func have(_ keyed: KeyedText) -> Bool {
    views(keyed.catalog).contains { view in
      Lookup(view.catalog).entry(for: keyed.key, table: keyed.table, chain: view.chain).entry != nil
    }
  }
}
