import DeviceProfile
import Testing

@Suite struct VersionTests {
  @Test(
    arguments: [
      ("17.4.1", "17.4.1"), ("17", "17.0"), ("8.2", "8.2"), ("17.4.1.2", "17.4.1.2"),
      ("1.2.0.0", "1.2"), ("20240131", "20240131.0"), ("", nil), ("a", nil), ("1.2.3.4.5", nil),
      ("1..2", nil), ("1.", nil), ("-1", nil), ("١", nil), ("1234567890123456789", nil),
    ] as [(String, String?)])
  func aVersionIsOneToFourNumbers(text: String, expected: String?) {
    #expect(Version(text)?.description == expected)
  }

  @Test func versionsAreOrderedByNumberNotByLetter() throws {
    let versions = ["9.3", "10", "17.4", "17.4.0.1", "17.4.1", "17.4.1.2"]
    let read = try versions.map { try #require(Version($0)) }
    #expect(zip(read, read.dropFirst()).allSatisfy(<))
    #expect(Version("3.2") == Version("3.2.0.0"))
    #expect(Version("3.2.0")?.order == [3, 2])
  }
}
