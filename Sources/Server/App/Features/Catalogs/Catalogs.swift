internal import CatalogFormats
internal import Content
internal import HTTP
internal import JSON
internal import Postgres

/// Catalogs: the string tables of an app's builds, or of the server, uploaded whole.
enum Catalogs {
  static let endpoints: [Endpoint] = [
    CatalogStorage.endpoint(.put, "putCatalog"),
    CatalogStorage.endpoint(.patch, "patchCatalog"),
    .list(
      "/v1/apps/{app}/catalogs", "listCatalogs", .admin, view: { CatalogSummary(record: $0) },
      position: \.version, pageMaximum: Limits.catalogsPage
    ) { request, _, span in
      CatalogRecord.list(of: request.app.id, after: span.after ?? "", limit: span.limit)
    },
    Endpoint(
      .get, CatalogKey.path, "getCatalog", .admin,
      decode: { request in LoadRecord(try CatalogKey(request)) },
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
      CatalogKey.path, "deleteCatalog", .admin, key: CatalogKey.init,
      perform: { deletion, call in
        try await call.context.content.changeCatalog(deletion.key) { stored, transaction in
          guard let stored else { throw ContentFailure.catalogNotFound }
          try deletion.precondition.check(stored.entityTag)
          try deletion.endTrial(["catalogs": 1])
          transaction.add(deletion.key.deletion)
        }
      }),
    Endpoint(
      .get, CatalogKey.path + "/strings", "listStrings", .admin, encodesApart: true,
      decode: StringsQuery.init,
      perform: { query, call in
        guard
          let loaded = try await call.context.content.catalog(query.key)
        else { throw ContentFailure.catalogNotFound }
        return try query.answer(from: loaded.catalog, call.context.shared)
      },
      encode: { result, request in result.response(to: request) }),
    CatalogFiles.endpoint,
  ]
}
