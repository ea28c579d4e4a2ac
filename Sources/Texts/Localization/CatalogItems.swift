internal import ASCII

/// The entries of a catalog one by one, by (table, language, key).
///
/// Made as they are asked for: the whole of a large catalog is more than one answer should hold.
public struct CatalogItems: Sequence, IteratorProtocol, Sendable {
  /// One entry with its full address.
  public struct Item: Sendable, Hashable {
    public let table: String
    /// The localization, as its folder spells it.
    public let language: String
    public let key: String
    public let entry: Entry
  }

  private struct Column {
    let table: String
    let language: String
    let keys: [String]
    let entries: [Entry?]
    let rows: Range<Int>
    /// How many of the rows have an entry.
    let count: Int
  }

  private let columns: [Column]
  private var column = 0
  private var row = 0

  init(_ catalog: Catalog, language: String?, table: String?, key: String?) {
    var columns: [Column] = []
    for name in table.map({ [Spelling($0)] }) ?? catalog.tables.keys.sorted() {
      guard let found = catalog.tables[name] else { continue }
      var rows = found.keys.indices
      if let key {
        guard let row = found.row(of: key) else { continue }
        rows = row..<row + 1
      }
      for localization in language.map({ [$0] }) ?? found.columns.keys.sorted() {
        guard let entries = found.columns[localization] else { continue }
        let count = key == nil ? found.counts[localization] : entries[rows].count { $0 != nil }
        columns.append(
          Column(
            table: name.text, language: localization, keys: found.keys, entries: entries,
            rows: rows,
            count: count ?? 0))
      }
    }
    self.columns = columns
    row = columns.first?.rows.lowerBound ?? 0
  }

  /// Leaves out so many of the next entries, or all there are. Takes no time for whole languages.
  public mutating func skip(_ count: Int) {
    var rest = count
    while column < columns.count, row == columns[column].rows.lowerBound,
      columns[column].count <= rest
    {
      rest -= columns[column].count
      startColumn(column + 1)
    }
    while rest > 0, next() != nil { rest -= 1 }
  }

  private mutating func startColumn(_ index: Int) {
    column = index
    row = index < columns.count ? columns[index].rows.lowerBound : 0
  }

  public mutating func next() -> Item? {
    while column < columns.count {
      let current = columns[column]
      while row < current.rows.upperBound {
        defer { row += 1 }
        guard let entry = current.entries[row] else { continue }
        return Item(
          table: current.table, language: current.language, key: current.keys[row], entry: entry)
      }
      startColumn(column + 1)
    }
    return nil
  }
}

extension Catalog {
  /// All entries, or those of one language, table or key, sorted by (table, language, key).
  public func items(
    language: String? = nil, table: String? = nil, key: String? = nil
  ) -> CatalogItems {
    CatalogItems(self, language: language, table: table, key: key)
  }
}
