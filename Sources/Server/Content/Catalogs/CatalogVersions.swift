package import ASCII
import DeviceProfile
package import Localization
import Postgres

/// The builds of an app that have a catalog, to find the nearest one for a build that has none.
///
/// A catalog is named by a build (`412`) or by a version (`3.2.0`), and a device has both. So a
/// name with dots is compared with the device's text that has dots, and a name without dots with
/// the text that has none; the build goes first. Only when no catalog is named in such a way, all
/// names are compared.
///
/// Catalogs 410, 412, 500 and build 417 → 412; build 400 → 410. Catalogs 3.9, 3.10 and version
/// 3.10.1, build 77 → 3.10.
package struct CatalogVersions: Sendable {
  private struct Named: Sendable {
    let name: String
    let version: Version
    var hasDots: Bool { name.contains(".") }
  }

  /// The catalogs whose names are versions, the earliest first.
  private let ordered: [Named]
  /// All names, the last upload first.
  package let names: [String]

  /// The bytes that the names take in memory, about.
  package let byteCount: Int

  /// - Parameter names: The names of the catalogs, the last upload first, without the server's
  ///   catalog.
  package init(_ names: [String]) {
    ordered =
      names
      .compactMap { name in Version(name).map { Named(name: name, version: $0) } }
      .sorted { $0.version < $1.version }
    self.names = names
    byteCount = names.reduce(0) { $0 + $1.utf8.count + 64 }
  }

  /// The newest catalog that is not later than the device's build or version, else the oldest of
  /// the later ones. For a device that reports neither, the last upload. `nil` when there are no
  /// catalogs.
  package func nearest(build: String?, version: String?) -> String? {
    let wanted = [build, version].compactMap { text in
      text.flatMap { text in Version(text).map { Named(name: text, version: $0) } }
    }
    for isAlike in [true, false] {
      func catalogs(_ device: Named) -> [Named] {
        isAlike ? ordered.filter { $0.hasDots == device.hasDots } : ordered
      }
      let earlier = wanted.compactMap { device in
        catalogs(device).last { $0.version <= device.version }
      }
      let later = wanted.compactMap { device in
        catalogs(device).first { $0.version > device.version }
      }
      if let found = earlier.first ?? later.first { return found.name }
    }
    return names.first
  }

  /// The catalogs that devices of these builds get texts from, and the last upload, whose build may
  /// not be out yet; the last upload first.
  package func used(by builds: [(build: String?, version: String?)]) -> [String] {
    let all = Set(names.map(Spelling.init))
    let used = builds.compactMap { device in
      [device.build, device.version].compactMap { $0 }.first { all.contains($0) }
        ?? nearest(build: device.build, version: device.version)
    }
    let kept = Set((used + names.prefix(1)).map(Spelling.init))
    return names.filter { kept.contains($0) }
  }
}

package struct CatalogKey: RecordKey {
  package typealias Record = CatalogRecord

  /// The version of the catalog that is not of any build: texts that only the server has.
  package static let serverVersion = "server"

  package var appID: Int32
  @Spelled package var version: String

  package init(appID: Int32, version: String) {
    self.appID = appID
    self.version = version
  }

  package var text: String { version }
}

/// A catalog and the name of its contents, new with every replacement.
package struct LoadedCatalog: Sendable {
  package let catalog: Catalog
  package let id: Int64
  /// The tag of the catalog's record.
  package let tag: Int64
  /// The bytes of its files; the size of the catalog in memory follows them.
  package let fileBytes: Int
}

extension Command where Self == Query<String> {
  /// The versions of the app builds whose catalogs were uploaded last, the newest first.
  static func newestCatalogs(appID: Int32, limit: Int64) -> Self {
    Query(
      """
      SELECT version FROM catalog WHERE app_id = \(appID)
        AND version <> \(CatalogKey.serverVersion)
      ORDER BY created_at DESC, version DESC LIMIT \(limit)
      """)
  }
}
