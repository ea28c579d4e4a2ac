internal import HTTP
internal import JSON
internal import Localization

/// The filters and the page of `GET …/strings`.
struct StringsQuery: Sendable {
  let key: CatalogStore.Key
  private let language: String?
  private let table: String?
  private let stringKey: String?
  private let offset: Int
  private let limit: Int
  /// Whether the answer is the whole result, an entry a line, instead of a page.
  let wantsLines: Bool

  init(_ call: Call) throws {
    var query = try QueryReader(call)
    language = query.text("language")
    table = query.text("table")
    stringKey = query.text("key", maximum: 4096)
    let cursor = query.cursor(Int.self)
    offset = max(0, cursor ?? 0)
    limit = query.limit()
    try query.finish()
    wantsLines = call.accepts("application/x-ndjson")
    key = CatalogStore.Key(appID: try call.app.id, version: try Catalogs.version(call))
  }

  /// The entries that the filters let through.
  func items(of catalog: Catalog) -> CatalogItems {
    catalog.items(language: language, table: table, key: stringKey)
  }

  /// The page, by table, language and key. Its cursor counts entries: a catalog does not change
  /// under its readers, it is replaced.
  func page(of catalog: Catalog) -> [UInt8] {
    var items = items(of: catalog)
    items.skip(offset)
    var writer = JSONWriter(capacity: 16_384)
    writer.object { writer in
      var shown = 0
      var isLast = true
      writer.key("items")
      writer.array { writer in
        while let item = items.next() {
          guard shown < limit else {
            isLast = false
            break
          }
          item.write(to: &writer)
          shown += 1
        }
      }
      writer.member("next_cursor", isLast ? nil : Cursor(key: offset + shown).text)
    }
    return writer.bytes
  }
}

extension Call {
  /// Whether the client names this media type among those it takes.
  func accepts(_ type: String) -> Bool {
    head.header("accept")?.split(separator: ",").contains { MediaType(String($0))?.essence == type }
      ?? false
  }
}

extension Sequence<CatalogItems.Item> {
  /// The entries as JSON texts, a line each, some at a time.
  func write(linesTo body: any BodyWriter) async throws {
    var bytes: [UInt8] = []
    for item in self {
      var writer = JSONWriter()
      item.write(to: &writer)
      bytes += writer.bytes
      bytes.append(UInt8(ascii: "\n"))
      if bytes.count > Limits.linesPieceBytes {
        try await body.write(bytes)
        bytes.removeAll(keepingCapacity: true)
      }
    }
    try await body.write(bytes)
  }
}

extension CatalogItems.Item {
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
        writer.key(name)
        writer.object { writer in
          writer.key("argument")
          let arguments = uses.filter { $0.conversion == .variable(name) }.map(\.argument)
          if let argument = arguments.min() {
            writer.integer(Int64(argument))
          } else {
            writer.null()
          }
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
