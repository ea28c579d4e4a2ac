import Foundation
import Postgres
import Testing

@testable import App

/// No statement reads or writes rows of apps without saying of which.
@Suite struct AppBindingTests {
  /// Commands that see all apps, and why they may.
  static let exceptions: [String: String] = [
    "WriteKeyUses": "the keys are of calls, found in the directory, in which each knows its app",
    "keyHashes": "fills the directory, in which each key knows its app",
    "keysByHash": "fills the directory, in which each key knows its app",
    "rootKey": "root keys belong to no app",
    "insertFirstRootKey": "root keys belong to no app",
    "installRootKey": "root keys belong to no app",
    "lockKeys": "reads and writes nothing",
    "query of BeginLife": "after a restore no code of any app is good, and a life is of all apps",
    "countTokens": "the census: numbers of all apps together",
    "countFailures": "the census: numbers of all apps together",
    "countOpenBreakers": "the census: numbers of all apps together",
    "insertMovedHistory": "the app is in the JSON of each event",
    "anyWebhook": "whether there is anything to deliver at all",
    "enabledWebhooks": "one instance delivers for all apps, and each row knows its app",
    "countPendingDeliveries": "one number for all apps together",
    "listAuditOfAllApps": "root's own: its route takes no other key",
  ]

  @Test func everyStatementBindsTheApp() throws {
    let tables = try Self.tables()
    #expect(tables.isSuperset(of: ["installation", "token_owner", "token_history", "api_key"]))
    let unbound = try StatementTests.all().filter { !Self.bindsTheApp($0.sql, tables) }.map(\.name)
      // Rows of an app that moves have it in their JSON.
      .filter { !$0.hasPrefix("insertion of ") }
    #expect(Set(unbound).subtracting(Self.exceptions.keys).sorted() == [], "Bind app_id.")
    #expect(Set(Self.exceptions.keys).subtracting(unbound).sorted() == [], "Take it off the list.")
  }

  @Test(arguments: [
    ("SELECT a FROM installation WHERE app_id = $1", true),
    ("SELECT a FROM installation WHERE installation_id = $1", false),
    ("SELECT a FROM app", true),
    ("SELECT a FROM installation WHERE app_id = $1 AND id IN (SELECT id FROM api_key)", false),
    ("SELECT a FROM installation JOIN catalog USING (app_id) WHERE installation.app_id = $1", true),
    ("SELECT a FROM installation JOIN catalog USING (app_id)", false),
    ("SELECT a FROM unnest($1::int4[]) AS x (app_id) JOIN installation USING (app_id)", true),
    ("UPDATE installation SET a = x.a FROM unnest($1::installation_row_2[]) AS x", false),
    (
      """
      UPDATE installation SET a = x.a FROM unnest($1::installation_row_2[]) AS x
      WHERE installation.app_id = x.app_id
      """, true
    ),
    ("INSERT INTO installation (app_id, a) VALUES ($1, $2)", true),
    ("INSERT INTO token_history (a, b) VALUES ($1, $2)", false),
    ("DELETE FROM installation USING unnest($1::uuid[]) AS x (id) WHERE a = x.id", false),
  ])
  func theTestSeesTheDifference(sql: String, binds: Bool) throws {
    #expect(Self.bindsTheApp(sql, try Self.tables()) == binds)
  }

  /// Whether the app comes in as a parameter, and reaches every table that has one.
  private static func bindsTheApp(_ sql: String, _ tables: Set<String>) -> Bool {
    let uses = sql.matches(of: /\b(?:FROM|JOIN|INTO|UPDATE|TABLE) (\w+)/)
      .filter { tables.contains(String($0.output.1)) }.count
    let bound =
      sql.matches(of: /app_id = (?:ANY \()?\$/).count
      + sql.matches(of: /\bINTO \w+ (?:AS \w+ )?\([^)]*\bapp_id\b/).count
    let joined = sql.matches(of: /\bUSING \(app_id\b|app_id = \w+\.app_id\b/).count
    let isParameter = bound > 0 || sql.contains(/\$\d+::(?:int4|installation_row_2)\[\]/)
    return uses == 0 || isParameter && bound + joined >= uses
  }

  /// The tables whose rows belong to apps.
  private static func tables() throws -> Set<String> {
    let schema = try String(
      contentsOf: Sources.root.appending(path: "sql/schema.sql"), encoding: .utf8)
    let made = schema.matches(of: /CREATE TABLE (\w+) \(\n(?:  .*\n)*?  app_id\b/)
    return Set(made.map { String($0.output.1) })
  }
}
