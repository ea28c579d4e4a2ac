package import CatalogFormats
package import Postgres

/// The stored facts about a catalog besides its files.
package struct CatalogRecord: NamedRecord {
  package var version: String
  package var developmentLanguage: String
  package var languages: [String]
  package var keyCount: Int32
  /// The importer's findings, as answers show them: lists may have megabytes, which are not parsed.
  package var diagnostics: JSONB
  package var createdAt: Timestamp
  /// The contents of the catalog in each language, as answers show them.
  package var localizations: JSONB
  /// Entries that cannot be read.
  package var entriesLeftOut: Int32
  /// A new number with every change of any app, message or catalog; 0 until the catalog is stored.
  package var tag: Int64
  /// The names of the app: its own bundle has a folder of that name. Empty until the catalog is
  /// stored.
  package var appNames: [String]

  package static let table = "catalog"
  package static let nameColumn = "version"
  /// The columns that a write binds.
  package static let columns =
    """
    version, development_language, languages, key_count, diagnostics, created_at, localizations, \
    entries_left_out
    """
  /// The columns that ``init(row:)`` reads, in the order of the properties.
  package static let selection = """
    \(columns), tag, (SELECT ARRAY[slug, name, bundle_id] FROM app WHERE id = app_id)
    """

  package init(
    version: String, developmentLanguage: String, languages: [String], keyCount: Int32,
    diagnostics: JSONB, createdAt: Timestamp, localizations: JSONB, entriesLeftOut: Int32,
    tag: Int64 = 0, appNames: [String] = []
  ) {
    self.version = version
    self.developmentLanguage = developmentLanguage
    self.languages = languages
    self.keyCount = keyCount
    self.diagnostics = diagnostics
    self.createdAt = createdAt
    self.localizations = localizations
    self.entriesLeftOut = entriesLeftOut
    self.tag = tag
    self.appNames = appNames
  }

  package init(row: inout RowReader) throws(PostgresError) { self = try row.next(into: Self.init) }
}

extension Command where Self == Query<SourceFile> {
  /// The files of a catalog, as they were uploaded.
  package static func loadCatalogFiles(_ key: CatalogKey) -> Self {
    Query(
      """
      SELECT path, content FROM catalog_file WHERE app_id = \(key.appID)
        AND version = \(key.text) ORDER BY path
      """
    ) { row in SourceFile(path: try row.next(), bytes: try row.next(Bytea.self).bytes) }
  }
}

extension Command where Self == Query<Int64> {
  /// The bytes of the files of an app's catalogs.
  package static func countCatalogBytes(appID: Int32, besides version: String? = nil) -> Self {
    Query(
      """
      SELECT coalesce(sum(octet_length(content)), 0)::bigint FROM catalog_file
      WHERE app_id = \(appID) AND version IS DISTINCT FROM \(version)
      """)
  }
}

extension Command where Self == Query<Int64> {
  /// Stores a catalog's record, behind its ``RecordKey/deletion`` in the same transaction; returns
  /// its tag.
  package static func insertCatalog(appID: Int32, record: CatalogRecord) -> Self {
    Query(
      """
      INSERT INTO catalog (app_id, \(constant: CatalogRecord.columns))
      VALUES (\(appID), \(record.version), \(record.developmentLanguage), \(record.languages),
        \(record.keyCount), \(record.diagnostics), \(record.createdAt),
        \(record.localizations), \(record.entriesLeftOut)) RETURNING tag
      """)
  }
}

extension Command where Self == Query<Void> {
  /// Stores files of a catalog, behind ``insertCatalog``.
  package static func insertCatalogFiles(_ key: CatalogKey, files: [SourceFile]) -> Self {
    Query(
      """
      INSERT INTO catalog_file (app_id, version, path, content)
      SELECT \(key.appID), \(key.text), x.path, x.content
        FROM unnest(\(column: files.map(\.path))::text[],
        \(column: files.map { Bytea($0.bytes) })::bytea[]) AS x (path, content)
      """)
  }
}
