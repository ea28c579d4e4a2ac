import EventLoop
import Testing

@testable import Postgres

/// Addresses of databases: what is said of them never has a part of the password.
@Suite struct DatabaseAddressTests {
  @Test(
    arguments: [
      ("postgres://ann:hunter2@db:5433/x", "user=ann host=db port=5433 dbname=x"),
      ("postgresql://ann@a/x?sslpassword=hunter2", "user=ann host=a dbname=x"),
      ("postgres://db/x?user=me@tenant&password=hunter2", "user=me@tenant host=db dbname=x"),
      ("postgres://ann:hunter2%40%2F:?@db/x", "user=ann host=db dbname=x"),
      ("host=db user=ann password='hunter2 @ /x' port=1", "user=ann host=db port=1"),
      ("host='/a b/c,d' password=hunter2", "host=/a b/c,d"),
      ("host=fe80::1%eth0 hostaddr=10.0.0.1", "host=fe80::1%eth0 hostaddr=10.0.0.1"),
      ("postgresql:///x?host=/var/run/postgresql", "host=/var/run/postgresql dbname=x"),
      ("postilion", "dbname=postilion"),
    ])
  func isShownWithoutItsSecrets(text: String, shown: String) throws {
    let address = try DatabaseAddress(text)
    let words = Set("\(address)".split(separator: " "))
    #expect(words == Set(shown.split(separator: " ")))
  }

  @Test func aMessageIsFreedOfItsSecrets() throws {
    let address = try DatabaseAddress("host=db password=hunter2 sslpassword='hunter 3' user=me")
    #expect(
      address.hidingSecrets(in: #"no "hunter2" or "hunter 3" of "me""#)
        == #"no "…" or "…" of "me""#)
  }

  /// What people write: a password with characters that end it too early, a host forgotten, a
  /// scheme misspelt.
  @Test(
    arguments: [
      "postgres://ann:hun@ter2@db/x", "postgres://ann:hun/ter2@db/x",
      "postgres://ann:12/ter2@db/x", "postgres://ann:hun%ter2@db/x", "postgres://ann:hunter2",
      "postgres://ann:hun?ter2", "postgres://ann:hunter2@[", "postgres://ann:hunter2@[::1/x",
      "postgres://ann:hun ter2@db:hunter2/x", "postgres://ann:hunter2@db:ter2/x",
      "postgres://ann:hunter2@db/x?hunter2", "postgres://ann:hunter2@db/x?hun=ter2",
      "postgre://ann:hunter2@db/x", "ann:hunter2@db",
      "https://ann:hunter2@db/x?sslmode=require", "host=db password=hun ter2",
      "host=db password='hunter2", "host=db password=hun ter2=x", "host=db hunter2",
      "host=hun@ter2", "dbname=postgres://ann:hunter2@db/x", "host=db port=hunter2",
    ])
  func oneThatIsNoneIsRefusedAndNotQuoted(text: String) throws {
    let fault = try #require(throws: DatabaseAddress.Fault.self) { try DatabaseAddress(text) }
    for piece in ["hun", "ter2"] {
      #expect(!fault.description.contains(piece), "\(fault)")
    }
    #expect(fault.description.contains(" "), "it says what is wrong: \(fault)")
  }

  /// The reason that libpq or we give for no connection names the server and no secret.
  @Test(
    arguments: [
      "postgres://ann:hunter2@127.0.0.1:1/x", "postgres://ann:hunter2@nowhere.invalid/x",
      "host=/nowhere user=ann password=hunter2",
      "host=127.0.0.1 port=1 sslmode=hunter2 password=hunter2",
    ])
  func anErrorHasNoSecret(text: String) async throws {
    try await withLoop { loop in
      let session = Session(loop: loop)
      let error = await #expect(throws: PostgresError.self) {
        try await session.open(DatabaseAddress(text))
      }
      #expect(error?.message.contains("hunter2") == false)
      #expect(error?.message.isEmpty == false)
    }
  }
}
