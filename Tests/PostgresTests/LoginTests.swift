import Testing

@testable import Postgres

/// Which words of libpq say that a server lets nobody in.
@Suite struct LoginTests {
  @Test(
    arguments: [
      (
        "connection to server at \"db\", port 5432 failed: FATAL:  28P01: password authentication "
          + "failed for user \"ann\"",
        .login, "password authentication failed for user \"ann\""
      ),
      ("FATAL:  28000: role \"ann\" does not exist", .login, "role \"ann\" does not exist"),
      ("ВАЖНО:  3D000: нет базы: x", .login, "нет базы: x"),
      (
        "FATAL:  57P03: the database system is starting up", .disconnected,
        "FATAL:  the database system is starting up"
      ),
      ("FATAL:  53300: sorry", .disconnected, "FATAL:  sorry"),
      ("connection refused", .disconnected, "connection refused"),
      ("a:  b", .disconnected, "a:  b"),
    ] as [(String, PostgresError.Code, String)])
  func aRefusalIsKnownByItsCode(line: String, code: PostgresError.Code, words: String) {
    let error = Link.complaint(line, needsPassword: false)
    #expect(error.code == code)
    #expect(error.message == words)
  }

  @Test func aPasswordThatIsMissingIsARefusal() {
    let error = Link.complaint("fe_sendauth: no password supplied", needsPassword: true)
    #expect(error.code == .login)
    #expect(error.condition == .outage)
    #expect(error.isSurelyUndone)
  }
}
