internal import CResources

/// Files of the repository that are part of the program.
enum Resources {
  /// `openapi.yaml`: the contract.
  static let contract = bytes(of: resource_openapi_yaml)
  /// `Sources/Server/Console/Reference/reference.html`: the contract as a page for people.
  static let reference = bytes(of: resource_reference_html)
  /// `sql/migrations.sql`.
  static let migrations = bytes(of: resource_migrations_sql)
  /// `sql/columns.txt`: what a migrated database has.
  static let columns = bytes(of: resource_columns_txt)

  private static func bytes(of resource: resource) -> [UInt8] {
    Array(UnsafeBufferPointer(start: resource.bytes, count: resource.count))
  }
}
