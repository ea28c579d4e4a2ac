internal import CatalogFormats
internal import Content
internal import EventLoop
internal import HTTP
internal import Postgres
internal import Zip

/// `GET …/catalogs/{version}/files`: the files of a catalog as they were uploaded, in an archive
/// that an upload takes.
enum CatalogFiles {
  static let endpoint = Endpoint(
    .get, CatalogKey.path + "/files", "getCatalogFiles", .admin,
    decode: { request in try CatalogKey(request) },
    perform: { key, call in
      let files = try await call.context.database.read(.loadCatalogFiles(key))
      guard !files.isEmpty else { throw ContentFailure.catalogNotFound }
      // The work waits its turn among uploads: compressing a large catalog takes as long as reading
      // it.
      return try await call.work(
        on: call.context.shared.workers.uploads, bytes: files.reduce(0) { $0 + $1.bytes.count }
      ) { ZipArchive.archive(files.map { ($0.path, $0.bytes) }) }
    },
    encode: { archive, request in
      var response = Response(.ok, contentType: "application/zip", bytes: archive)
      let version = try request.parameter("version")
        .map { $0.isLetter || $0.isNumber || "._".contains($0) ? $0 : "-" }
      response.fields.append(
        "Content-Disposition", "attachment; filename=\"strings-\(String(version)).zip\"")
      return response
    })
}
