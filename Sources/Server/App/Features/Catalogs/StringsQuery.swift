internal import ASCII
internal import Content
internal import HTTP
internal import JSON
internal import Localization
internal import Synchronization

/// The filters and the page of `GET …/strings`.
struct StringsQuery: Sendable {
  let key: CatalogKey
  private let language: String?
  private let table: String?
  private let stringKey: String?
  private let span: ListSpan<Int>

  init(_ request: Request, _ query: inout QueryReader) throws {
    language = query.text("language")
    table = query.text("table")
    stringKey = query.text("key", maximum: 4096)
    span = query.span(Int.self)
    key = try CatalogKey(request)
  }

  /// The entries that the filters let through, by table, language and key. A cursor counts entries:
  /// a catalog does not change under its readers, it is replaced.
  func answer(
    from catalog: Catalog, _ shared: Shared
  ) throws -> ListAnswer<CatalogItems.Item> {
    let offset = max(0, span.after ?? 0)
    var items = catalog.items(language: language, table: table, key: stringKey)
    items.skip(offset)
    let portions = StringPortions(items)
    let count = span.limit.map { $0 + 1 } ?? Limits.stringsPerPortion
    return try ListAnswer(
      portions.next(count) ?? [], span, view: { $0 },
      position: { _ in offset + count - 1 }, shared: shared,
      rest: { portions.next(count) })
  }
}

/// Entries in portions, as the reader asks for them: a large catalog is more than an answer should
/// hold.
private final class StringPortions: Sendable {
  private let items: Mutex<CatalogItems>

  init(_ items: CatalogItems) { self.items = Mutex(items) }

  func next(_ count: Int) -> [CatalogItems.Item]? {
    items.withLock { items in
      var portion: [CatalogItems.Item] = []
      while portion.count < count, let item = items.next() { portion.append(item) }
      return portion.isEmpty ? nil : portion
    }
  }
}

extension CatalogItems.Item: ListItem {
  static let fields = ItemFields<Self>([
    .column("table") { $0.table },
    .column("language") { $0.language },
    .column("key") { $0.key },
    .column("value") { if case .text(let text) = $0.entry { text } else { nil } },
    // Plurals and variations are no text.
    .column("entry") { item in
      if case .text = item.entry { nil } else { item.jsonText }
    },
  ])

  /// One parsed entry: a `value`, a `format` with `variables`, or `variations` of either.
  func write(to writer: inout JSONWriter) {
    writer.object { writer in
      writer.member("table", table)
      writer.member("language", language)
      writer.member("key", key)
      switch entry {
      case .text(let text): writer.member("value", text)
      case .plural(let format): format.writeMembers(to: &writer)
      case .devices(let formats):
        let devices = DeviceClass.allCases.compactMap { device in
          formats[device].map { (device.rawValue, $0) }
        }
        writer.variations("device", devices)
      case .widths(let formats):
        writer.variations("width", formats.sorted { $0.key < $1.key }.map { (String($0), $1) })
      }
    }
  }
}

extension PluralFormat {
  fileprivate func writeMembers(to writer: inout JSONWriter) {
    guard !variables.isEmpty else { return writer.member("value", text) }
    let uses = argumentUses
    writer.member("format", text)
    writer.key("variables")
    writer.object { writer in
      for (name, variable) in variables.sorted(by: { $0.key < $1.key }) {
        writer.key(name.text)
        writer.object { writer in
          let arguments = uses.filter { $0.conversion == .variable(name) }.map(\.argument)
          writer.member("argument", arguments.min())
          writer.member("specifier", variable.specifier)
          writer.key("cases")
          writer.object { writer in
            for category in PluralCategory.allCases {
              guard let text = variable.cases[category] else { continue }
              writer.member(category.rawValue, text)
            }
          }
        }
      }
    }
  }
}

extension JSONWriter {
  fileprivate mutating func variations(_ kind: String, _ formats: [(String, PluralFormat)]) {
    key("variations")
    object { writer in
      writer.key(kind)
      writer.object { writer in
        for (name, format) in formats {
          writer.key(name)
          writer.object { format.writeMembers(to: &$0) }
        }
      }
    }
  }
}
