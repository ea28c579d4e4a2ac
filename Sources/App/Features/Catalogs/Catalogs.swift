internal import CatalogFormats
internal import Content
internal import HTTP
internal import JSON
internal import Localization
internal import Postgres

/// Catalogs: the string tables of an app's builds, or of the server, uploaded whole.
struct Catalogs: Sendable {
  static let path = "/v1/apps/{app}/catalogs/{version}"

  private let reader = CatalogReader()

  var endpoints: [Endpoint] { [upload] + Self.endpoints }

  private var upload: Endpoint {
    Endpoint(
      .put, Self.path, "putCatalog", .admin, body: .multipart(limit: Limits.catalogBodyBytes),
      decode: { request in
        Upload(
          key: try Self.key(request), files: try Self.files(request),
          precondition: try Precondition(request.head))
      },
      perform: put,
      encode: { result, request in
        .json(CatalogSummary(record: result.record), result.isNew ? .created : .ok)
          .tagged(result.record.entityTag).located(at: request.head.path)
      })
  }

  private static let endpoints: [Endpoint] = [
    .list(
      "/v1/apps/{app}/catalogs", "listCatalogs", .admin, view: { CatalogSummary(record: $0) },
      position: \.version
    ) { request, _, span in
      ListCatalogs(appID: request.app.id, after: span.after ?? "", limit: span.limit)
    },
    Endpoint(
      .get, path, "getCatalog", .admin,
      decode: { request in LoadCatalog(try key(request)) },
      perform: { load, call in
        guard let record = try await call.context.database.read(load).first else {
          throw ContentFailure.catalogNotFound
        }
        return record
      },
      encode: { record, request in
        try .json(CatalogSummary(record: record)).tagged(record.entityTag, unlessKnown: request)
      }),
    Endpoint(
      .delete, path, "deleteCatalog", .admin,
      decode: { request in try Deletion(key(request), request) },
      perform: { deletion, call in
        try await call.context.content.changeCatalog(deletion.key) { stored, transaction in
          guard let stored else { throw ContentFailure.catalogNotFound }
          try deletion.precondition.check(stored.entityTag)
          transaction.add(DeleteCatalog(deletion.key))
        }
      },
      encode: { _, _ in Response(.noContent) }),
    Endpoint(
      .get, path + "/strings", "listStrings", .admin,
      decode: StringsQuery.init,
      perform: { query, call in
        guard
          let loaded = try await call.context.content.catalog(query.key)
        else { throw ContentFailure.catalogNotFound }
        return try query.answer(from: loaded.catalog, call.context.shared.observation)
      },
      encode: { result, request in result.response(to: request) }),
    Coverage.endpoint,
  ]

  /// The catalog that the path names.
  static func key(_ request: Request) throws -> CatalogKey {
    let version = try request.parameter("version")
    guard (1...ContentLimits.catalogVersionBytes).contains(version.utf8.count),
      version.utf8.allSatisfy({ (0x20..<0x7F).contains($0) && $0 != UInt8(ascii: "/") })
    else {
      throw InputFailure([
        InputFault.unknownValue.problem(
          at: "version",
          "A catalog's version has 1 to \(ContentLimits.catalogVersionBytes) printable ASCII "
            + "characters other than /.")
      ])
    }
    return CatalogKey(appID: request.app.id, version: version)
  }

  // MARK: Upload

  private struct Upload: Sendable {
    let key: CatalogKey
    let files: [SourceFile]
    let precondition: Precondition
  }

  private static func files(_ request: Request) throws -> [SourceFile] {
    guard let type = request.head.header("content-type").flatMap({ MediaType($0) }),
      let boundary = type.parameters["boundary"]
    else {
      throw Problem(
        .mediaType, "Send the files as multipart/form-data, each part's filename the file's path.")
    }
    let parts: [MultipartForm.Part]
    do {
      parts = try MultipartForm.parse(request.body, boundary: boundary)
    } catch {
      throw Problem(.malformedBody, error.detail)
    }
    let files = parts.compactMap { part in
      part.filename.map { SourceFile(path: $0, bytes: Array(part.body)) }
    }
    // In one order always: the order of the files is that of the bundle's languages.
    .sorted { $0.path < $1.path }
    guard !files.isEmpty else {
      throw InputFailure([
        InputFault.missingField.problem(
          at: "", "No part has a filename such as fr.lproj/Localizable.strings.")
      ])
    }
    return files
  }

  /// Reads all files before anything is stored: a catalog with an error replaces nothing.
  private func put(
    _ upload: Upload, _ call: Call
  ) async throws -> (record: CatalogRecord, isNew: Bool) {
    let language = call.app.developmentLanguage
    let (result, contents) = await reader.read(
      upload.files, developmentLanguage: language)
    guard !result.hasErrors else {
      throw Problem(
        .invalidInput, "The catalog has errors; nothing was replaced.",
        errors: result.diagnostics.filter { $0.severity == .error }
          .prefix(InputLimits.problems).map(InputProblem.init(diagnostic:)))
    }
    let others = try await call.context.database.read(
      CountCatalogBytes(appID: upload.key.appID, besides: upload.key.version)).first ?? 0
    try call.context.shared.usage.checkCatalogs(
      bytes: result.files.reduce(Int(others)) { $0 + $1.bytes.count })
    var record = CatalogRecord(
      version: upload.key.version, developmentLanguage: language, languages: result.languages,
      keyCount: Int32(clamping: contents.keys),
      diagnostics: .array(result.diagnostics.map(\.jsonValue)),
      createdAt: call.now,
      localizations: .array(contents.localizations.map(\.jsonValue)))
    let (inserted, isNew) = try await call.context.content.changeCatalog(upload.key) {
      stored, transaction in
      try upload.precondition.check(stored?.entityTag)
      transaction.add(DeleteCatalog(upload.key))
      let inserted = transaction.add(InsertCatalog(appID: upload.key.appID, record: record))
      transaction.add(InsertCatalogFiles(upload.key, files: result.files))
      return (inserted, stored == nil)
    }
    record.tag = inserted.rows.first ?? 0
    return (record, isNew)
  }
}

extension InputProblem {
  /// A fault of a file, its place as the pointer; none of the upload as a whole.
  fileprivate init(diagnostic: Diagnostic) {
    self.init(
      pointer: diagnostic.file.isEmpty
        ? "" : "\(diagnostic.file):\(diagnostic.line):\(diagnostic.column)",
      code: diagnostic.code, detail: diagnostic.message)
  }
}
