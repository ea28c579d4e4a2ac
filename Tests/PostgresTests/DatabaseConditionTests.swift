import Testing

@testable import Postgres

/// What failures say about the database.
@Suite struct DatabaseConditionTests {
  /// States by PostgreSQL's table (appendix A), and neighbours that are none.
  @Test(
    arguments: [
      (.outage, ["08000", "08003", "08006", "08P01", "40003", "53300"]),
      (.outage, ["57000", "57P01", "57P02", "57P03", "57P04", "57P05"]),
      (.readOnly, ["25006"]),
      (.contention, ["40000", "40001", "40P01", "55006", "55P03", "57014"]),
      (.breakdown, ["53000", "53100", "53200", "53400", "58000", "58030", "58P01"]),
      (.refusal, ["22012", "23505", "23503", "25001", "25P02", "40002"]),
      (.mismatch, ["0A000", "23502", "42501", "42703", "42883", "42P01", "42P10"]),
      (.refusal, ["54000", "55000", "P0001", "XX000", "00000", ""]),
    ] as [(DatabaseCondition, [String])])
  func aStateHasAMeaning(condition: DatabaseCondition, states: [String]) {
    for state in states {
      #expect(DatabaseCondition(sqlState: state) == condition, "\(state)")
      #expect(PostgresError(.server(sqlState: state), "").condition == condition)
    }
  }

  @Test func whatTheDriverSaysHasAMeaning() {
    #expect(PostgresError(.disconnected, "").condition == .outage)
    #expect(PostgresError(.overloaded, "").condition == .contention)
    #expect(PostgresError(.decoding, "").condition == .mismatch)
    #expect(PostgresError(.misuse, "").condition == .refusal)
    #expect(PostgresError(.outdated, "").condition == .mismatch)
  }

  @Test(
    arguments: [
      ("host=a port=1", [["host": "a"]], nil),
      ("postilion", [[:]], nil),
      (
        "host=a,b port=1 dbname=x",
        [["host": "a", "port": "1"], ["host": "b", "port": "1"]], "read-write"
      ),
      (
        "postgres://u:p@a,b:5433/x",
        [["host": "a", "port": "5432"], ["host": "b", "port": "5433"]],
        "read-write"
      ),
      ("host=a,b target_session_attrs=any", [["host": "a"], ["host": "b"]], nil),
      (
        "host=a,b hostaddr=10.0.0.1,10.0.0.2",
        [["host": "a", "hostaddr": "10.0.0.1"], ["host": "b", "hostaddr": "10.0.0.2"]],
        "read-write"
      ),
      // Left to libpq, which has a default for the gap and a complaint about the rest.
      ("host=a, port=1", [[:]], "read-write"), ("host=a,b,c port=1,2", [[:]], "read-write"),
      ("host=a,b hostaddr=10.0.0.1", [[:]], "read-write"), ("host='", [[:]], nil),
    ] as [(String, [[String: String]], String?)])
  func aConnectionStringHasServers(text: String, servers: [[String: String]], target: String?) {
    let list = ServerList(text)
    #expect(list.servers == servers)
    #expect(list.target == target)
  }

  @Test(
    arguments: [
      ("host=a", []), ("options='-c work_mem=64kB'", ["work_mem"]),
      (
        "postgres://a/x?options=-cTimeZone%3DUTC%20--plan-cache-mode%3Dauto",
        ["timezone", "plan_cache_mode"]
      ),
      ("options='-d 1'", []),
    ] as [(String, Set<String>)])
  func itsOptionsHaveSettings(text: String, settings: Set<String>) {
    #expect(ServerList(text).settings == settings)
  }
}
