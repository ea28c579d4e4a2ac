internal import CatalogFormats
internal import Content
internal import HTTP
internal import JSON
internal import Postgres

/// Catalogs: the string tables of an app's builds, or of the server, uploaded whole.
enum Catalogs {
  static let path = "/v1/apps/{app}/catalogs/{version}"

  static let endpoints: [Endpoint] = [
    CatalogStorage.endpoint(.put, "putCatalog"),
    CatalogStorage.endpoint(.patch, "patchCatalog"),
    .list(
      "/v1/apps/{app}/catalogs", "listCatalogs", .admin, view: { CatalogSummary(record: $0) },
      position: \.version, pageMaximum: Limits.catalogsPage
    ) { request, _, span in
      ListRecords<CatalogRecord>(appID: request.app.id, after: span.after ?? "", limit: span.limit)
    },
    Endpoint(
      .get, path, "getCatalog", .admin,
      decode: { request in LoadRecord(try key(request)) },
      perform: { load, call in
        guard let record = try await call.context.database.read(load).first else {
          throw ContentFailure.catalogNotFound
        }
        return record
      },
      encode: { record, request in
        try .json(CatalogSummary(record: record)).tagged(record.entityTag, unlessKnown: request)
      }),
    .deletion(
      path, "deleteCatalog", .admin, key: key,
      perform: { deletion, call in
        try await call.context.content.changeCatalog(deletion.key) { stored, transaction in
          guard let stored else { throw ContentFailure.catalogNotFound }
          try deletion.precondition.check(stored.entityTag)
          try deletion.endTrial(["catalogs": 1])
          transaction.add(DeleteRecord(deletion.key))
        }
      }),
    Endpoint(
      .get, path + "/strings", "listStrings", .admin, encodesApart: true,
      decode: StringsQuery.init,
      perform: { query, call in
        guard
          let loaded = try await call.context.content.catalog(query.key)
        else { throw ContentFailure.catalogNotFound }
        return try query.answer(from: loaded.catalog, call.context.shared)
      },
      encode: { result, request in result.response(to: request) }),
    CatalogFiles.endpoint,
    Coverage.endpoint,
  ]

  /// The catalog that the path names.
  static func key(_ request: Request) throws -> CatalogKey {
    let version = try request.parameter("version")
    guard (1...ContentLimits.catalogVersionBytes).contains(version.utf8.count),
      version.utf8.allSatisfy({ (0x20..<0x7F).contains($0) && $0 != UInt8(ascii: "/") })
    else {
      throw InputFailure(
        .unknownValue, at: "version",
        "A catalog's version has 1 to \(ContentLimits.catalogVersionBytes) printable ASCII "
          + "characters other than /.")
    }
    return CatalogKey(appID: request.app.id, version: version)
  }
}
