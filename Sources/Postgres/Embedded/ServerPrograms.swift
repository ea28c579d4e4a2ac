internal import FoundationEssentials
internal import Glibc

/// The two programs of a PostgreSQL server that a private cluster needs.
struct ServerPrograms: Equatable {
  let initdb: String
  let postgres: String

  /// The programs of the first directory that holds both.
  ///
  /// - Parameters:
  ///   - directories: where to look, best first.
  ///   - majorVersion: of the cluster that is there already, such as `"15"`: only a server of the
  ///     same major version reads it, and packagers put that number into the path.
  static func find(
    in directories: [String], majorVersion: String?
  ) throws(EmbeddedPostgresError) -> Self {
    let found = directories.filter { directory in
      ["initdb", "postgres"].allSatisfy { access("\(directory)/\($0)", X_OK) == 0 }
    }
    let fitting = found.first { directory in
      directory.split(separator: "/").contains { component in
        component == majorVersion ?? "" || component == "pgsql-\(majorVersion ?? "")"
      }
    }
    guard let directory = fitting ?? found.first else {
      throw .programsMissing(searched: directories)
    }
    return Self(initdb: "\(directory)/initdb", postgres: "\(directory)/postgres")
  }

  /// Where server programs usually lie: what `pg_config` says, `PATH`, then the places of Debian,
  /// Fedora and `make install`, the highest version first.
  static func usualDirectories(environment: ChildEnvironment) -> [String] {
    var directories: [String] = []
    if let configured = ChildProcess.firstLine(
      of: "pg_config --bindir", environment: environment.pairs)
    {
      directories.append(configured)
    }
    directories += environment.path
    directories += versions(in: "/usr/lib/postgresql").map { "/usr/lib/postgresql/\($0)/bin" }
    directories += versions(in: "/usr", prefix: "pgsql-").map { "/usr/pgsql-\($0)/bin" }
    directories += ["/usr/local/pgsql/bin", "/usr/local/bin", "/usr/bin"]
    return directories.reduce(into: []) { unique, directory in
      if !unique.contains(directory) { unique.append(directory) }
    }
  }

  private static func versions(in directory: String, prefix: String = "") -> [Int] {
    let names = (try? FileManager.default.contentsOfDirectory(atPath: directory)) ?? []
    return names.filter { $0.hasPrefix(prefix) }.compactMap { Int($0.dropFirst(prefix.count)) }
      .sorted(by: >)
  }
}
