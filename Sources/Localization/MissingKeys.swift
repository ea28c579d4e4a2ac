extension Catalog {
  /// The place of an entry in every localization that has it.
  public struct Address: Sendable, Hashable {
    /// The table's name.
    public let table: String
    /// The key.
    public let key: String
  }

  /// How many keys of its tables a localization has entries for.
  public func keyCount(in localization: String) -> Int {
    tables.values.reduce(0) { $0 + ($1.counts[localization] ?? 0) }
  }

  /// The keys that another localization has and this one lacks, by table and key: the first
  /// `maximum`. Without the table it lacks all of them.
  public func missingKeys(in localization: String, maximum: Int) -> [Address] {
    var missing: [Address] = []
    for (name, table) in tables.sorted(by: { $0.key < $1.key }) {
      let column = table.columns[localization]
      for (row, key) in table.keys.enumerated() where column?[row] == nil {
        guard missing.count < maximum else { return missing }
        missing.append(Address(table: name, key: key))
      }
    }
    return missing
  }
}
