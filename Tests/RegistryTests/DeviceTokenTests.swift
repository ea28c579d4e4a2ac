import Testing

@testable import Registry

@Suite struct DeviceTokenTests {
  static let hex = "740f4707bebcf74f9b7c25d48e3358945f6aa01da5ddb387462c7eaf61bb78ad"

  /// As .NET and OpenSSL write bytes.
  private static func separated(by sign: String) -> String {
    stride(from: 0, to: hex.count, by: 2).map { String(hex.dropFirst($0).prefix(2)) }
      .joined(separator: sign)
  }

  @Test(arguments: [
    hex, hex.uppercased(), " \(hex) ",
    "<740f4707 bebcf74f 9b7c25d4 8e335894 5f6aa01d a5ddb387 462c7eaf 61bb78ad>",
    separated(by: "-").uppercased(), separated(by: ":"),
  ])
  func everySpellingOfATokenIsTheSameToken(text: String) throws {
    let token = try DeviceToken(parsing: text)
    #expect(token.hex == Self.hex)
    #expect(token.redacted == "740f4707")
  }

  @Test(arguments: [16, 32, 80, 100, 512])
  func lengths(count: Int) throws {
    #expect(try DeviceToken(parsing: String(repeating: "0A", count: count)).bytes.count == count)
  }

  @Test(
    arguments: [
      (
        "{length = 32, bytes = 0x740f4707 bebcf74f 9b7c25d4 8e335894 ... 462c7eaf 61bb78ad }",
        "token_description"
      ),
      ("{length=32,bytes=0x740f4707bebcf74f}", "token_description"),
      ("32 bytes", "token_description"),
      ("dA9HB768909Be8l1I4zWJRfaqAdpd2zh0Ysfq9hu3it==", "token_base64"),
      ("dA9HB768909Be8l1I4zWJRfaqAdpd2zh0Ysfq9hu3i-_", "token_base64"),
      ("cRx3Wq1vTk6:APA91bFoo_bar-baz0123456789abcdefghijklmnop", "token_firebase"),
      ("APA91bFoo_bar-baz0123456789abcdefghijklmnop", "token_firebase"),
      ("740f4707-bebc-f74f-9b7c-25d48e335894", "token_uuid"),
      ("740F4707-BEBC-F74F-9B7C-25D48E335894", "token_uuid"),
      ("740f4707-bebc-f74f-9b7c-25d48e33589", "token_base64"),
      ("ExponentPushToken[xxxxxxxxxxxxxxxxxxxxxx]", "token_expo"),
      ("ExpoPushToken[xxxxxxxxxxxxxxxxxxxxxx]", "token_expo"),
      ("arn:aws:sns:eu-west-1:1:endpoint/APNS/food/8f1f9d7c", "token_sns"),
      ("74-0f:47-07-be-bc-f7-4f-9b-7c-25-d4-8e-33-58-94", "token_not_hex"),
      (hex + "a", "token_odd_length"),
      ("", "token_too_short"),
      (String(repeating: "ab", count: 15), "token_too_short"),
      (String(repeating: "ab", count: 513), "token_too_long"),
      ("0x" + hex, "token_not_hex"),
      ("not a token", "token_not_hex"),
      ("<\(hex)", "token_not_hex"),
    ] as [(String, String)])
  func aTextThatIsNoTokenSaysWhatTheAppDidWrong(text: String, code: String) {
    #expect {
      try DeviceToken(parsing: text)
    } throws: { error in
      (error as? DeviceToken.Fault)?.rawValue == code
    }
  }

  @Test func everyFaultHasItsOwnSentence() {
    #expect(Set(DeviceToken.Fault.allCases.map(\.detail)).count == DeviceToken.Fault.allCases.count)
  }

  @Test(arguments: ["740f4707", "740F4707BEB"])
  func prefixBounds(text: String) throws {
    let prefix = try #require(TokenPrefix(text))
    let token = try DeviceToken(parsing: Self.hex).bytes
    #expect(!token.lexicographicallyPrecedes(prefix.lowerBound))
    #expect(!prefix.upperBound.lexicographicallyPrecedes(token))
  }

  @Test func prefixOfAnotherTokenDoesNotMatch() throws {
    let prefix = try #require(TokenPrefix("740f4708"))
    let token = try DeviceToken(parsing: Self.hex).bytes
    #expect(token.lexicographicallyPrecedes(prefix.lowerBound))
  }

  @Test(arguments: ["740f470", "", "740f470x", String(repeating: "a", count: 1025)])
  func noPrefix(text: String) { #expect(TokenPrefix(text) == nil) }
}
