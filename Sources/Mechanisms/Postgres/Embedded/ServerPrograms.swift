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
  ///     same major version reads it.
  static func find(
    in directories: [String], majorVersion: String?
  ) throws(EmbeddedPostgresError) -> Self {
    let found = directories.filter { directory in
      ["initdb", "postgres"].allSatisfy { access("\(directory)/\($0)", X_OK) == 0 }
    }
    guard let newest = found.first else { throw .programsMissing(searched: directories) }
    let directory = majorVersion == nil ? newest : found.first { version(in: $0) == majorVersion }
    guard let directory else {
      throw .versionMissing(majorVersion ?? "", found: found.compactMap(version))
    }
    return Self(initdb: "\(directory)/initdb", postgres: "\(directory)/postgres")
  }

  /// The major version that the server in a directory says: `postgres (PostgreSQL) 17.2`.
  private static func version(in directory: String) -> String? {
    let said = ChildProcess.firstLine(of: "'\(directory)/postgres' --version", environment: [])
    let version = said?.split(separator: " ").dropFirst(2).first?.prefix { $0.isNumber }
    return version.map(String.init)
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

  /// The words in front of a command to which the kernel sends SIGINT, PostgreSQL's fast shutdown,
  /// when the thread that started it dies: a killed service leaves no server. Without `setpriv` of
  /// util-linux there are none, and the next start stops the orphan.
  static func endingWithService(_ environment: ChildEnvironment) -> [String] {
    let candidates = (environment.path + ["/usr/bin", "/bin"]).map { "\($0)/setpriv" }
    let setpriv = candidates.first { access($0, X_OK) == 0 }
    return setpriv.map { [$0, "--pdeathsig", "INT", "--"] } ?? []
  }

  private static func versions(in directory: String, prefix: String = "") -> [Int] {
    let names = (try? FileManager.default.contentsOfDirectory(atPath: directory)) ?? []
    return names.filter { $0.hasPrefix(prefix) }.compactMap { Int($0.dropFirst(prefix.count)) }
      .sorted(by: >)
  }
}
