import Crypto
import Foundation
import Testing

@Suite struct SHA256Tests {
  /// FIPS 180-4, the examples NIST publishes with it.
  @Test(arguments: [
    ("", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"),
    ("abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"),
    (
      "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
      "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1"
    ),
  ])
  func knownAnswers(text: String, digest: String) {
    #expect(Hex.encode(SHA256.hash(text)) == digest)
    #expect(Hex.encode(SHA256.hash(Array(text.utf8))) == digest)
  }

  @Test func aMillionTimesA() {
    let digest = SHA256.hash([UInt8](repeating: UInt8(ascii: "a"), count: 1_000_000))
    #expect(
      Hex.encode(digest) == "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0")
  }
}

@Suite struct HMACTests {
  /// RFC 4231 section 4, test cases 1, 2, 3, 6 and 7.
  @Test(arguments: [
    (
      Hex.encode(Array(repeating: 0x0B, count: 20)), "Hi There",
      "b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7"
    ),
    (
      Hex.encode(Array("Jefe".utf8)), "what do ya want for nothing?",
      "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843"
    ),
    (
      Hex.encode(Array(repeating: 0xAA, count: 131)),
      "Test Using Larger Than Block-Size Key - Hash Key First",
      "60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54"
    ),
    (
      Hex.encode(Array(repeating: 0xAA, count: 131)),
      "This is a test using a larger than block-size key and a larger than block-size data. "
        + "The key needs to be hashed before being used by the HMAC algorithm.",
      "9b09ffa71b942fcb27635fbcd5b0e944bfdc63644f0713938a7f51535c3a35e2"
    ),
    ("", "", "b613679a0814d9ec772f95d778c35fc5ff1697c493715653c6c712144292c5ad"),
  ])
  func knownAnswers(keyHex: String, message: String, code: String) throws {
    let key = try #require(Hex.decode(keyHex))
    let bytes = Array(message.utf8)
    #expect(Hex.encode(HMACSHA256.authenticationCode(of: bytes, key: key)) == code)
    let expected = try #require(Hex.decode(code))
    #expect(HMACSHA256.isValid(expected, of: bytes, key: key))
    #expect(!HMACSHA256.isValid(expected, of: bytes + [0], key: key))
  }
}

@Suite struct EncodingTests {
  /// RFC 4648 section 10, and the two characters that differ from the standard alphabet.
  @Test(arguments: [
    ("", ""), ("66", "Zg"), ("666f", "Zm8"), ("666f6f", "Zm9v"), ("666f6f62", "Zm9vYg"),
    ("666f6f6261", "Zm9vYmE"), ("666f6f626172", "Zm9vYmFy"), ("fbff", "-_8"),
  ])
  func base64URL(hex: String, text: String) throws {
    let bytes = try #require(Hex.decode(hex))
    #expect(Base64URL.encode(bytes) == text)
    #expect(Base64URL.decode(text) == bytes)
    #expect(Hex.encode(bytes) == hex)
  }

  @Test(arguments: ["Z", "Zg==", "Zh", "Zm9", "+/8", "Zm9v Yg", "Zm9vé", "Zm9vY"])
  func base64URLRefuses(text: String) {
    #expect(Base64URL.decode(text) == nil)
  }

  @Test func hexReadsEitherCase() {
    #expect(Hex.decode("DEad00") == [0xDE, 0xAD, 0x00])
  }

  @Test(arguments: ["0", "0x", "de ad", "gg", "０１", "-1"])
  func hexRefuses(text: String) {
    #expect(Hex.decode(text) == nil)
  }

  @Test func aUUIDIsReadAndWrittenAsFoundationDoesIt() {
    for _ in 0..<1000 {
      let uuid = UUID()
      #expect(UUID(text: uuid.uuidString) == uuid)
      #expect(UUID(text: uuid.text) == uuid)
      #expect(uuid.text == uuid.uuidString.lowercased())
    }
  }

  @Test(arguments: [
    "", "6F9619FF8B86D011B42D00CF4FC964FF", "6F9619FF-8B86-D011-B42D-00CF4FC964FG",
    "6F9619FF-8B86-D011-B42D-00CF4FC964F", "6F9619FF-8B86-D011-B42D-00CF4FC964FF0",
    "6F9619FF+8B86-D011-B42D-00CF4FC964FF", "-6F9619F-8B86-D011-B42D-00CF4FC964FF",
    "6F9619FF-8B86-D011-B42D-00CF4FC964é",
  ])
  func uuidsRefused(text: String) {
    #expect(UUID(text: text) == nil)
  }
}

@Suite struct ComparisonAndRandomTests {
  @Test func equalityLooksAtEveryByteAndTheLength() {
    #expect(constantTimeEqual([], []))
    #expect(constantTimeEqual([1, 2, 3], [1, 2, 3]))
    #expect(!constantTimeEqual([1, 2, 3], [1, 2, 4]))
    #expect(!constantTimeEqual([1, 2, 3], [1, 2, 3, 0]))
  }

  @Test func randomBytesHaveTheAskedLengthAndDiffer() {
    #expect(randomBytes(0).isEmpty)
    #expect(randomBytes(33).count == 33)
    #expect(randomBytes(32) != randomBytes(32))
  }

  /// Threads go on while the process exits, and may still make a session of the database.
  @Test func randomBytesAreThereWhileTheProcessExits() async {
    await #expect(processExitsWith: .success) {
      // Called last, as it is the first that is registered.
      atexit { _ = randomBytes(1) + SHA256.hash("a") }
      _ = randomBytes(1) + SHA256.hash("a")
    }
  }
}
