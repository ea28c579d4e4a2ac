package import CatalogFormats
package import Postgres

/// What is stored about a catalog besides its files.
package struct CatalogRecord: NamedRecord {
  package var version: String
  package var developmentLanguage: String
  package var languages: [String]
  package var keyCount: Int32
  /// The importer's findings, as answers show them: lists may have megabytes, which are not parsed.
  package var diagnostics: JSONB
  package var createdAt: Timestamp
  /// What it holds of each language, as answers show it.
  package var localizations: JSONB
  /// Entries that cannot be read.
  package var entriesLeftOut: Int32
  /// Another one with every change, of any app, message or catalog; 0 until it is stored.
  package var tag: Int64 = 0
  /// What the app is called: its own bundle has a folder of that name. Empty until it is stored.
  package var appNames: [String] = []

  package static let table = "catalog"
  package static let nameColumn = "version"
  /// The columns that a write binds.
  package static let columns =
    """
    version, development_language, languages, key_count, diagnostics, created_at, localizations, \
    entries_left_out
    """
  /// The columns that ``init(row:)`` reads.
  package static let selection = """
    \(columns), tag, (SELECT ARRAY[slug, name, bundle_id] FROM app WHERE id = app_id)
    """

  package init(
    version: String, developmentLanguage: String, languages: [String], keyCount: Int32,
    diagnostics: JSONB, createdAt: Timestamp, localizations: JSONB, entriesLeftOut: Int32
  ) {
    self.version = version
    self.developmentLanguage = developmentLanguage
    self.languages = languages
    self.keyCount = keyCount
    self.diagnostics = diagnostics
    self.createdAt = createdAt
    self.localizations = localizations
    self.entriesLeftOut = entriesLeftOut
  }

  package init(row: inout RowReader) throws(PostgresError) {
    version = try row.next()
    developmentLanguage = try row.next()
    languages = try row.next()
    keyCount = try row.next()
    diagnostics = try row.next()
    createdAt = try row.next()
    localizations = try row.next()
    entriesLeftOut = try row.next()
    tag = try row.next()
    appNames = try row.next()
  }
}

/// The files of a catalog, as they were uploaded.
package struct LoadCatalogFiles: Statement {
  package static let sql = """
    SELECT path, content FROM catalog_file WHERE app_id = $1 AND version = $2 ORDER BY path
    """
  package let key: CatalogKey

  package init(_ key: CatalogKey) { self.key = key }

  package func bind(to parameters: inout Parameters) { parameters.append(key) }

  package static func decode(_ row: inout RowReader) throws(PostgresError) -> SourceFile {
    SourceFile(path: try row.next(), bytes: try row.next(Bytea.self).bytes)
  }
}

/// The bytes of the files of an app's catalogs.
package struct CountCatalogBytes: Statement {
  package typealias Row = Int64
  package static let sql = """
    SELECT coalesce(sum(octet_length(content)), 0)::bigint FROM catalog_file
    WHERE app_id = $1 AND version IS DISTINCT FROM $2
    """
  let appID: Int32
  let version: String?

  /// - Parameter version: A catalog that does not count, as another one takes its place.
  package init(appID: Int32, besides version: String? = nil) {
    self.appID = appID
    self.version = version
  }

  package func bind(to parameters: inout Parameters) { parameters.append(appID, version) }
}

/// Stores a catalog's record, after ``DeleteRecord`` in the same transaction; returns its tag.
package struct InsertCatalog: Statement {
  package typealias Row = Int64
  package static let sql = """
    INSERT INTO catalog (app_id, \(CatalogRecord.columns))
    VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9) RETURNING tag
    """
  package let appID: Int32
  package let record: CatalogRecord

  package init(appID: Int32, record: CatalogRecord) {
    self.appID = appID
    self.record = record
  }

  package func bind(to parameters: inout Parameters) {
    parameters.append(
      appID, record.version, record.developmentLanguage, record.languages, record.keyCount,
      record.diagnostics, record.createdAt, record.localizations, record.entriesLeftOut)
  }
}

/// Stores files of a catalog, behind ``InsertCatalog``.
package struct InsertCatalogFiles: Statement {
  package static let sql = """
    INSERT INTO catalog_file (app_id, version, path, content)
    SELECT $1, $2, x.path, x.content FROM unnest($3::text[], $4::bytea[]) AS x (path, content)
    """
  package let key: CatalogKey
  package let files: [SourceFile]

  package init(_ key: CatalogKey, files: [SourceFile]) {
    self.key = key
    self.files = files
  }

  package func bind(to parameters: inout Parameters) {
    parameters.append(key)
    parameters.append(column: files.map(\.path))
    parameters.append(column: files.map { Bytea($0.bytes) })
  }
}
