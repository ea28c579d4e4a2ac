internal import ASCII

extension Catalog {
  /// The place of an entry in every localization that has it.
  public struct Address: Sendable, Hashable, Comparable {
    public let table: String
    public let key: String

    /// A place, whether or not something is there.
    public init(table: String, key: String) {
      self.table = table
      self.key = key
    }

    /// By table and key.
    public static func < (left: Address, right: Address) -> Bool {
      (left.table, left.key) < (right.table, right.key)
    }
  }

  /// How many keys of its tables a localization has entries for.
  public func keyCount(in localization: String) -> Int {
    tables.values.reduce(0) { $0 + ($1.counts[localization] ?? 0) }
  }

  /// The keys that another localization has and this one lacks, by table and key: the first
  /// `maximum`. A localization without the table lacks all its keys.
  public func missingKeys(in localization: String, maximum: Int) -> [Address] {
    var missing: [Address] = []
    for (name, table) in tables.sorted(by: { $0.key < $1.key }) {
      let column = table.columns[localization]
      for (row, key) in table.keys.enumerated() where column?[row] == nil {
        guard missing.count < maximum else { return missing }
        missing.append(Address(table: name.text, key: key))
      }
    }
    return missing
  }

  /// The keys that no localization of `other` has, by table and key.
  public func keys(goneIn other: Catalog) -> [Address] {
    tables.sorted { $0.key < $1.key }.flatMap { name, table in
      table.keys.filter { other.tables[name]?.row(of: $0) == nil }
        .map { Address(table: name.text, key: $0) }
    }
  }

  /// The localizations that `other` lacks, however it spells them.
  public func languages(goneIn other: Catalog) -> [String] {
    languages.filter { LanguageMatcher.spelling(of: $0, in: other.languages) == nil }
  }
}
