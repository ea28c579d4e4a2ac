internal import Content
internal import HTTP
internal import JSON
internal import Postgres

/// `PUT …/catalogs/{version}`, which replaces a catalog, and `PATCH`, which replaces some files.
enum CatalogStorage {
  /// The result of an upload.
  private struct Stored: Sendable {
    enum StoreResult { case made, replaced, tried }

    let view: CatalogSummary
    let result: StoreResult
  }

  static func endpoint(_ method: Method, _ operation: String) -> Endpoint {
    Endpoint(
      method, CatalogKey.path, operation, .admin,
      body: .multipart(limit: Limits.catalogBodyBytes), isLong: true,
      decode: CatalogUpload.init,
      perform: store,
      encode: { stored, request in
        let response = Response.json(stored.view, stored.result == .made ? .created : .ok)
        // A dry run shows a catalog that is not stored, so the answer has no tag and no address.
        guard stored.result != .tried else { return response }
        return response.tagged(stored.view.record.entityTag).located(at: request.head.path)
      })
  }

  /// Reads all files before it stores anything: if one file cannot be read, nothing is replaced.
  /// The kept and lost parts depend on the stored catalog, so an upload is read once more if
  /// another upload was faster.
  private static func store(_ upload: CatalogUpload, _ call: Call) async throws -> Stored {
    let content = call.context.content
    for _ in 0..<Limits.catalogAttempts {
      let base = try await content.catalog(upload.key)
      let contents = try await upload.read(call, over: base)
      if upload.isDryRun {
        try upload.precondition.check(base.map { EntityTag($0.tag) })
        let view = CatalogSummary(record: contents.record, loss: contents.loss)
        return Stored(view: view, result: .tried)
      }
      let tag = try await content.changeCatalog(upload.key) { stored, transaction -> Int64? in
        try upload.precondition.check(stored?.entityTag)
        guard stored?.tag == base?.tag else { return nil }
        return try await replace(upload.key, with: contents, call.context.shared, transaction)
      }
      guard let tag else { continue }
      var record = contents.record
      record.tag = tag
      return Stored(
        view: CatalogSummary(record: record, loss: contents.loss),
        result: base == nil ? .made : .replaced)
    }
    throw ContentFailure.catalogOutrun
  }

  /// - Returns: The tag of the new record.
  private static func replace(
    _ key: CatalogKey, with contents: CatalogUpload.Contents, _ shared: Shared,
    _ transaction: Transaction
  ) async throws -> Int64 {
    let others = try await transaction.run(
      .countCatalogBytes(appID: key.appID, besides: key.version))
    try shared.usage.checkCatalogs(bytes: Int(others.first ?? 0) + contents.bytes)
    transaction.add(key.deletion)
    let inserted = transaction.add(.insertCatalog(appID: key.appID, record: contents.record))
    for files in contents.portions {
      transaction.add(.insertCatalogFiles(key, files: files))
      try await transaction.send()
    }
    return inserted.rows.first ?? 0
  }
}
