internal import Content
internal import JSON
internal import Localization
internal import Rendering

/// Stored messages that find no text for a key in a catalog, and how many devices miss the text.
struct MessageCoverage: Sendable {
  private struct Row: Sendable {
    let name: String
    let keys: MessageKeys
    /// Keys without a text in at least one language.
    var missing: Set<Catalog.Address> = []
    /// Whether some people would be shown nothing. Then only these people count.
    var showsNothing = false
    /// The localizations of the people who count.
    var languages: [String] = []
    var devices = 0

    func counts(_ gap: MessageKeys.Gap) -> Bool { gap.isWhole || !showsNothing }
  }

  private let version: String
  private let languageCount: Int
  private var rows: [Row] = []
  /// Keys that no language has.
  let absent: [Catalog.Address]

  /// - Parameter server: The catalog that stands in for keys that `catalog` lacks.
  init(
    _ messages: [(name: String, keys: MessageKeys)], in catalog: Catalog, version: String,
    server: Catalog?
  ) {
    self.version = version
    languageCount = catalog.languages.count
    rows = messages.map { Row(name: $0.name, keys: $0.keys) }
    if catalog.languages.contains(catalog.developmentLanguage) {
      // A text in the development language reaches everyone. This check settles most messages.
      let preferred = [LanguageTag(catalog.developmentLanguage)].compactMap(\.self)
      let views = Self.views(preferred, catalog, server)
      rows.removeAll { $0.keys.gap(in: views, for: preferred) == nil }
    }
    for language in catalog.languages where !rows.isEmpty {
      let preferred = [LanguageTag(language)].compactMap(\.self)
      let views = Self.views(preferred, catalog, server)
      for index in rows.indices {
        guard let gap = rows[index].keys.gap(in: views, for: preferred) else { continue }
        rows[index].missing.formUnion(gap.keys)
        if gap.isWhole, !rows[index].showsNothing {
          rows[index].showsNothing = true
          rows[index].languages = []
        }
        if rows[index].counts(gap) { rows[index].languages.append(language) }
      }
    }
    rows.removeAll(where: \.languages.isEmpty)
    absent = Set(rows.flatMap(\.missing)).filter { address in
      catalog.languages.allSatisfy {
        catalog.entry(address.key, table: address.table, localization: $0) == nil
      }
    }.sorted()
    rows = Array(rows.prefix(Limits.coverageMessages))
  }

  private static func views(
    _ preferred: [LanguageTag], _ catalog: Catalog, _ server: Catalog?
  ) -> DeviceCatalogs {
    DeviceCatalogs(
      app: CatalogView(catalog, for: preferred),
      server: server.map { CatalogView($0, for: preferred) })
  }

  /// Whether every message has its texts.
  var isEmpty: Bool { rows.isEmpty }

  /// Counts devices of a list of languages.
  mutating func add(_ preferred: [LanguageTag], _ catalogs: DeviceCatalogs, devices: Int) {
    for index in rows.indices {
      guard let gap = rows[index].keys.gap(in: catalogs, for: preferred), rows[index].counts(gap)
      else { continue }
      rows[index].devices += devices
    }
  }

  /// Writes the messages, first the messages that most devices miss.
  func write(to writer: inout JSONWriter) {
    writer.array(rows.sorted { ($1.devices, $0.name) < ($0.devices, $1.name) }, write)
  }

  private func write(_ writer: inout JSONWriter, _ row: Row) {
    let isEverywhere = row.languages.count == languageCount
    writer.object { writer in
      writer.member("message", row.name)
      writer.member("shows_nothing", row.showsNothing)
      writer.key("keys")
      writer.array(row.missing.sorted()) { $1.write(to: &$0) }
      writer.member("languages", isEverywhere ? [] : row.languages)
      writer.member("devices", row.devices)
      writer.member("detail", detail(row, isEverywhere: isEverywhere))
    }
  }

  private func detail(_ row: Row, isEverywhere: Bool) -> String {
    let what = row.showsNothing ? "shows nothing" : "lacks a text"
    let languages =
      isEverywhere
      ? "all languages"
      : row.languages.count > 3
        ? "\(row.languages.count) languages" : row.languages.joined(separator: ", ")
    let place = version == CatalogKey.serverVersion ? "the catalog server" : "build \(version)"
    return "Message \(row.name) \(what) in \(place), in \(languages), "
      + "\(row.devices) device\(row.devices == 1 ? "" : "s")."
  }
}
