internal import CatalogFormats
internal import Foundation
internal import HTTP
internal import JSON
internal import Localization
internal import Postgres

/// Catalogs: the string tables of an app's builds, or of the server, uploaded whole.
enum Catalogs {
  static let path = "/v1/apps/{app}/catalogs/{version}"

  static let endpoints: [Endpoint] = [
    Endpoint(
      .put, path, "putCatalog", .admin, body: .multipart(limit: Limits.catalogBodyBytes),
      decode: { call in
        let upload = Upload(
          app: try call.app, version: try version(call), files: try files(call))
        return (upload, try Precondition(call.head))
      },
      perform: put,
      encode: { result, call in
        .json(CatalogSummary(result.record), result.isNew ? .created : .ok)
          .tagged(result.record.entityTag).located(at: call.head.path)
      }),
    .list(
      "/v1/apps/{app}/catalogs", "listCatalogs", .admin, view: { CatalogSummary($0) },
      position: \.version
    ) { call, _, span in
      ListCatalogs(appID: try call.app.id, after: span.after ?? "", limit: span.limit)
    },
    Endpoint(
      .get, path, "getCatalog", .admin,
      decode: { call in LoadCatalog(appID: try call.app.id, version: try version(call)) },
      perform: { load, call in
        guard let record = try await call.context.database.read(load).first else {
          throw notFound
        }
        return record
      },
      encode: { record, call in
        try .json(CatalogSummary(record)).tagged(record.entityTag, unlessKnown: call)
      }),
    Endpoint(
      .delete, path, "deleteCatalog", .admin,
      decode: { call in
        let key = CatalogStore.Key(appID: try call.app.id, version: try version(call))
        return (key, try Precondition(call.head))
      },
      perform: { input, call in
        let (key, precondition) = input
        try await call.changeCatalog(key) { stored, transaction in
          guard let stored else { throw notFound }
          try precondition.check(stored.entityTag)
          transaction.add(DeleteCatalog(appID: key.appID, version: key.version))
        }
      },
      encode: { _, _ in Response(.noContent) }),
    Endpoint(
      .get, path + "/strings", "listStrings", .admin,
      decode: StringsQuery.init,
      perform: { query, call in
        guard
          let loaded = try await call.context.shared.catalogs.catalog(query.key, on: call.context)
        else { throw notFound }
        return (query, loaded.catalog)
      },
      encode: { result, call in result.0.answer(from: result.1).response(call) }),
    Coverage.endpoint,
  ]

  static let notFound = Problem(.catalogNotFound, "The app has no catalog of that version.")

  static func version(_ call: Call) throws -> String {
    let version = try call.parameter("version")
    guard (1...Limits.catalogVersionBytes).contains(version.utf8.count),
      version.utf8.allSatisfy({ (0x20..<0x7F).contains($0) && $0 != UInt8(ascii: "/") })
    else {
      throw InputFailure([
        InputFault.unknownValue.problem(
          at: "version",
          "A catalog's version has 1 to \(Limits.catalogVersionBytes) printable ASCII characters "
            + "other than /.")
      ])
    }
    return version
  }

  // MARK: Upload

  private struct Upload: Sendable {
    var app: AppRecord
    var version: String
    var files: [SourceFile]
  }

  private static func files(_ call: Call) throws -> [SourceFile] {
    guard let type = call.head.header("content-type").flatMap({ MediaType($0) }),
      let boundary = type.parameters["boundary"]
    else {
      throw Problem(
        .mediaType, "Send the files as multipart/form-data, each part's filename the file's path.")
    }
    let parts: [MultipartForm.Part]
    do {
      parts = try MultipartForm.parse(call.body, boundary: boundary)
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
  private static func put(
    _ input: (upload: Upload, precondition: Precondition), _ call: Call
  ) async throws -> (record: CatalogRecord, isNew: Bool) {
    let upload = input.upload
    let language = upload.app.developmentLanguage
    let (result, contents) = await call.context.shared.catalogReader.read(
      upload.files, developmentLanguage: language)
    guard !result.hasErrors else {
      throw Problem(
        .invalidInput, "The catalog has errors; nothing was replaced.",
        errors: result.diagnostics.filter { $0.severity == .error }
          .prefix(InputLimits.problems).map(InputProblem.init(diagnostic:)))
    }
    var record = CatalogRecord(
      version: upload.version, developmentLanguage: language, languages: result.languages,
      keyCount: Int32(clamping: contents.keys),
      diagnostics: JSONB(
        JSONText.encode(result.diagnostics.map(DiagnosticView.init))),
      createdAt: call.now,
      localizations: JSONB(JSONText.encode(contents.localizations.map(LocalizationView.init))))
    let appID = upload.app.id
    let key = CatalogStore.Key(appID: appID, version: upload.version)
    let (inserted, isNew) = try await call.changeCatalog(key) { stored, transaction in
      try input.precondition.check(stored?.entityTag)
      transaction.add(DeleteCatalog(appID: appID, version: upload.version))
      let inserted = transaction.add(InsertCatalog(appID: appID, record: record))
      transaction.add(
        InsertCatalogFiles(appID: appID, version: upload.version, files: result.files))
      return (inserted, stored == nil)
    }
    record.tag = inserted.rows.first ?? 0
    return (record, isNew)
  }
}

extension Call {
  /// Changes a catalog in one transaction, behind all other changes of the app's catalogs. This
  /// instance uses the change on return, the others as soon as the database has told them.
  /// - Parameter change: Is given what is stored, and adds what changes it.
  fileprivate func changeCatalog<Result>(
    _ key: CatalogStore.Key, _ change: (CatalogRecord?, Transaction) throws -> Result
  ) async throws -> Result {
    let notice = SendNotice(notice: .catalog(appID: key.appID, version: key.version))
    let result = try await context.database.transaction { transaction in
      let lock = transaction.add(LockContents(appID: key.appID))
      let stored = transaction.add(LoadCatalog(appID: key.appID, version: key.version))
      try await transaction.send()
      try lock.checkApp()
      let result = try change(stored.rows.first, transaction)
      transaction.add(notice)
      try await transaction.send()
      return result
    }
    context.shared.catalogs.forget(key)
    return result
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
