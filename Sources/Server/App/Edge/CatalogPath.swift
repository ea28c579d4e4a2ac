internal import Content
internal import HTTP
internal import JSON
internal import Localization

extension CatalogKey {
  /// The path of a catalog.
  static let path = "/v1/apps/{app}/catalogs/{version}"

  /// The catalog that the path names.
  init(_ request: Request) throws {
    let version = try request.parameter("version")
    guard (1...ContentLimits.catalogVersionBytes).contains(version.utf8.count),
      version.utf8.allSatisfy({ (0x20..<0x7F).contains($0) && $0 != UInt8(ascii: "/") })
    else {
      throw InputFailure(
        .unknownValue, at: "version",
        "A catalog's version has 1 to \(ContentLimits.catalogVersionBytes) printable ASCII "
          + "characters other than /.")
    }
    self.init(appID: request.app.id, version: version)
  }
}

extension Catalog.Address {
  /// Writes the place of a key as answers show it.
  func write(to writer: inout JSONWriter) {
    writer.object { writer in
      writer.member("table", table)
      writer.member("key", key)
    }
  }
}
