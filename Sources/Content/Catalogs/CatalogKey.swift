package import Localization
import Postgres

/// One app's catalog of one version.
package struct CatalogKey: Hashable, Sendable {
  /// The version of the catalog that is not of any build: texts that only the server has.
  package static let serverVersion = "server"

  package var appID: Int32
  package var version: String

  /// A catalog of an app.
  package init(appID: Int32, version: String) {
    self.appID = appID
    self.version = version
  }
}

extension Parameters {
  /// Appends the app and the version.
  mutating func append(_ key: CatalogKey) {
    append(key.appID)
    append(key.version)
  }
}

/// A catalog and the name of its contents, new with every replacement.
package struct LoadedCatalog: Sendable {
  package let catalog: Catalog
  package let id: Int64
  /// That of its record.
  package let tag: Int64
  /// The bytes of its files, which its size in memory follows.
  package let fileBytes: Int
}
