import AppTesting
import Foundation
import Testing

/// Secrets among the settings, as the real program treats them.
@Suite final class SecretSettingTests: Sendable {
  private let directory = "/tmp/postilion secret tests \(UUID().uuidString.prefix(8))"
  private static let rootKey = "pst_root_hunter2hunter2hunter2"

  init() throws {
    try FileManager.default.createDirectory(
      atPath: directory, withIntermediateDirectories: true,
      attributes: [.posixPermissions: 0o755])
  }

  deinit { try? FileManager.default.removeItem(atPath: directory) }

  private func write(_ text: String) throws -> String {
    let file = "\(directory)/secret"
    try text.write(toFile: file, atomically: true, encoding: .utf8)
    return file
  }

  @Test func aSecretComesFromAFile() async throws {
    let database = try await ScratchCluster.database()
    let key = try write("\n\(Self.rootKey)\r\n\n")
    let process = try RunningProcess(
      ["serve", "--listen", "127.0.0.1:0"],
      environment: [
        "DATABASE_URL_FILE": try writeAddress(database.conninfo), "POSTILION_ROOT_KEY_FILE": key,
      ])
    let port = try await process.ready()
    let get = "GET /v1/apps HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer \(Self.rootKey)\r\n\r\n"
    #expect(try await exchange(port, Array(get.utf8)).status == 200)
    process.signal(SIGTERM)
    #expect(try await process.end() == 0)
    #expect(!process.standardOutput.contains("root key"))
    #expect(!process.standardError.contains("unknown_variable"))
  }

  private func writeAddress(_ text: String) throws -> String {
    let file = "\(directory)/address"
    try text.write(toFile: file, atomically: true, encoding: .utf8)
    return file
  }

  @Test(
    arguments: [
      ("serve", "--root-key=pst_root_hunter2", "POSTILION_ROOT_KEY_FILE"),
      ("serve", "--database-url=postgres://a:hunter2@b/c", "DATABASE_URL_FILE"),
      ("migrate", "--database-url=postgres://a:hunter2@b/c", "DATABASE_URL"),
      ("serve", "--read-url=postgres://a:hunter2@b/c", "POSTILION_READ_URL"),
      ("maintain", "postgres://a:hunter2@b/c", "options"),
    ])
  func aSecretIsNoOption(command: String, option: String, named: String) async throws {
    let process = try RunningProcess([command, option])
    #expect(try await process.end() == 64)
    #expect(process.standardError.contains(named))
    #expect(!process.standardError.contains("hunter2"))
  }

  @Test(
    arguments: [
      ["DATABASE_URL": "postgres://ann:hun@hunter2@db/x"],
      ["POSTILION_READ_URL": "postgres://ann:hunter2@db:port/x"],
      ["POSTILION_ROOT_KEY": "hunter2"], ["POSTILION_ROOT_KEY_FILE": "pst_root_hunter2hunter2"],
      ["DATABASE_URL_FILE": "postgres://ann:hunter2@db/x"],
      ["POSTILION_ROOT_KEY": "pst_root_hunter2hunter2hunter2", "POSTILION_ROOT_KEY_FILE": "/x"],
      ["DATABASE_URL": "postgres://ann:hunter2@127.0.0.1:1/x", "POSTILION_READ_URL": "hunter2="],
    ])
  func whatIsWrongWithASecretIsSaidWithoutIt(environment: [String: String]) async throws {
    let process = try RunningProcess(["serve"], environment: environment)
    #expect(try await process.end() == 64)
    #expect(process.standardError.split(separator: "\n").count == 1)
    let isNamed = environment.keys.contains { process.standardError.contains($0) }
    #expect(isNamed, "\(process.standardError)")
    #expect(!process.standardError.contains("hunter2"), "\(process.standardError)")
  }

  /// Everybody has read the root key that documents showed.
  @Test func theKeyOfTheDocumentsIsRefused() async throws {
    for (variable, value) in [
      ("POSTILION_ROOT_KEY", "pst_root_put-your-own-random-text-here"),
      ("POSTILION_ROOT_KEY_FILE", try write("pst_root_put-your-own-random-text-here\n")),
    ] {
      let process = try RunningProcess(["serve"], environment: [variable: value])
      #expect(try await process.end() == 64)
      #expect(process.standardError.contains("everybody knows it"), "\(process.standardError)")
    }
  }

  /// Whoever may run a program in the database reads what PostgreSQL has.
  @Test func programsInTheDatabaseSeeNoSecret() async throws {
    let process = try RunningProcess(
      ["serve", "--listen", "127.0.0.1:0"],
      environment: [
        "POSTILION_DATA_DIR": "\(directory)/data", "POSTILION_ROOT_KEY": Self.rootKey,
        "POSTILION_DATABASE_TIMEOUT_SECONDS": "60", "PGPASSWORD": "hunter2",
        "CLOUD_ACCESS_KEY": "hunter2", "ENV": "/nowhere/hunter2",
      ])
    _ = try await process.ready()
    let database = ScratchDatabase(
      name: "postilion",
      administration: "host='\(directory)/data' port=5432 user=postilion dbname=postilion")
    let rows = try await database.query(
      """
      CREATE TEMPORARY TABLE seen (line text);
      COPY seen FROM PROGRAM 'env' (FORMAT text, DELIMITER E'\\x01');
      SELECT line FROM seen
      """)
    let lines = rows.compactMap { $0.first ?? nil }
    #expect(lines.contains { $0.hasPrefix("PATH=") })
    let forbidden = lines.filter {
      $0.contains("hunter2") || $0.hasPrefix("POSTILION_") || $0.hasPrefix("HOME=")
    }
    #expect(forbidden == [])
    process.signal(SIGTERM)
    #expect(try await process.end() == 0)
  }
}
