internal import ASCII
internal import CatalogFormats
internal import Content
internal import EventLoop
internal import HTTP
internal import JSON
internal import Localization
internal import Postgres

/// The files of a `PUT` or `PATCH …/catalogs/{version}`, not read yet.
struct CatalogUpload: Sendable {
  let key: CatalogKey
  let precondition: Precondition
  /// Whether one unreadable entry is enough to refuse the upload.
  private let isStrict: Bool
  /// Whether stored files stay if no file of the upload takes their place: a `PATCH`.
  let adds: Bool
  let isDryRun: Bool
  private let boundary: String
  private let body: [UInt8]

  /// The record of an upload, and its files in portions.
  struct Contents: Sendable {
    var record: CatalogRecord
    let portions: [[SourceFile]]
    /// The languages and keys that are lost with the replaced catalog; `nil` when there is none.
    let loss: CatalogLoss?

    /// The bytes of all files.
    var bytes: Int { portions.joined().reduce(0) { $0 + $1.bytes.count } }
  }

  init(_ request: Request, _ query: inout QueryReader) throws {
    guard let type = request.head.header("content-type").flatMap({ MediaType($0) }),
      let boundary = type.parameters["boundary"]
    else {
      throw Problem(
        .mediaType, "Send the files as multipart/form-data, each part's filename the file's path.")
    }
    key = try CatalogKey(request)
    isStrict =
      query.parsed("strict", .unknownValue, "strict is true or false.") { Bool($0) } ?? false
    isDryRun = query.isDryRun()
    precondition = try Precondition(request.head)
    adds = request.head.method == .patch
    self.boundary = boundary
    body = request.body
  }

  /// Reads the files on a thread, in their turn among uploads.
  /// - Parameter base: The catalog that they replace or are added to.
  /// - Throws: ``Problem`` with the errors of the files, if one of them cannot be read at all or
  ///   the upload is strict; `WorkRefused`.
  func read(_ call: Call, over base: LoadedCatalog?) async throws -> Contents {
    let (app, now) = (call.app, call.now)
    let stored =
      adds && base != nil ? try await call.context.database.read(.loadCatalogFiles(key)) : []
    return try await call.work(
      on: call.context.shared.workers.uploads,
      bytes: body.count + stored.reduce(0) { $0 + $1.bytes.count }
    ) {
      // This runs after the memory of the reading is freed.
      defer { SystemMemory.trim() }
      return try contents(of: app, over: stored, replacing: base?.catalog, at: now)
    }
  }

  private func contents(
    of app: AppRecord, over stored: [SourceFile], replacing base: Catalog?, at now: Timestamp
  ) throws -> Contents {
    let language = app.developmentLanguage
    let result = CatalogImporter.read(
      try files(), over: stored, developmentLanguage: language,
      appNames: [app.slug.text, app.name, app.bundleID.text], lints: true)
    try Task.checkCancellation()
    guard !result.rejectsFiles, !isStrict || !result.hasErrors else {
      throw Problem(
        .invalidInput, "The catalog has errors; nothing was replaced.",
        errors: result.diagnostics.filter { $0.severity == .error }
          .prefix(InputLimits.problems).map(InputProblem.init(diagnostic:)))
    }
    let (contents, catalog) = (result.contents, result.catalog)
    let diagnostics = Self.warnings(of: catalog) + result.diagnostics
    let record = CatalogRecord(
      version: key.version, developmentLanguage: language, languages: result.languages,
      keyCount: Int32(clamping: contents.keys),
      diagnostics: JSONB(diagnostics.map(\.jsonValue).json),
      createdAt: now,
      localizations: JSONB(contents.localizations.map(\.jsonValue).json),
      entriesLeftOut: Int32(clamping: result.entriesLeftOut))
    return Contents(
      record: record, portions: Self.portions(of: result.files),
      loss: base.map { CatalogLoss(of: $0, replacedBy: catalog) })
  }

  /// What is odd about a catalog as a whole.
  private static func warnings(of catalog: Catalog) -> [Diagnostic] {
    let language = catalog.developmentLanguage
    guard !catalog.languages.contains(language) else { return [] }
    return [
      Diagnostic(
        file: "", severity: .warning, code: .developmentLanguageMissing,
        message: "There is no text in \(language), the app's development language, which stands in "
          + "where others lack one.")
    ]
  }

  private func files() throws -> [SourceFile] {
    let parts: [MultipartForm.Part]
    var limits = HTTPLimits.standard
    limits.multipartParts = UploadLimits.parts
    do {
      parts = try MultipartForm.parse(body, boundary: boundary, limits: limits)
    } catch {
      throw Problem(.malformedBody, error.detail)
    }
    let files = parts.compactMap { part in
      part.filename.map { SourceFile(path: $0, bytes: Array(part.body)) }
    }
    // The files are always in the same order, as it decides the order of the bundle's languages.
    .sorted { Spelling($0.path) < Spelling($1.path) }
    guard !files.isEmpty else {
      throw InputFailure(
        .missingField, at: "", "No part has a filename such as fr.lproj/Localizable.strings.")
    }
    return files
  }

  /// The files in portions for the database. Each portion is copied several times on its way there,
  /// while nothing else of the loop runs.
  private static func portions(of files: [SourceFile]) -> [[SourceFile]] {
    var portions: [[SourceFile]] = []
    var bytes = 0
    for file in files {
      bytes += file.bytes.count
      if portions.isEmpty || bytes > Limits.storedPortionBytes {
        portions.append([])
        bytes = file.bytes.count
      }
      portions[portions.count - 1].append(file)
    }
    return portions
  }
}

extension InputProblem {
  /// The problem of a file, with its place as the pointer. A problem of the whole upload has an
  /// empty pointer.
  fileprivate init(diagnostic: Diagnostic) {
    self.init(
      pointer: diagnostic.file.isEmpty
        ? "" : "\(diagnostic.file):\(diagnostic.line):\(diagnostic.column)",
      code: diagnostic.code, detail: diagnostic.message)
  }
}
