import JSON
import Rendering
import Testing

@testable import Content

@Suite struct RecentMessagesTests {
  private static func json(_ text: String) -> JSONValue {
    .object(["alert": .object(["body": .string(text)])])
  }

  private static func message(_ json: JSONValue) throws -> Message {
    try json.read { Message(reading: $0) }.body
  }

  /// How often a message was read.
  private final class Reader {
    let recent = RecentMessages()
    var reads = 0

    func message(_ json: JSONValue) throws -> Message? {
      let read = try RecentMessagesTests.message(json)
      return recent.message(json) {
        reads += 1
        return read
      }?.message
    }
  }

  @Test func theSameMessageIsReadOnce() throws {
    let reader = Reader()
    let first = try reader.message(Self.json("Hello"))
    let second = try reader.message(Self.json("Hello"))
    #expect(reader.reads == 1)
    #expect(first == second)
  }

  @Test func aMessageThatComesAgainHasANumberOfItsOwn() throws {
    let recent = RecentMessages()
    func number(_ text: String) throws -> Int? {
      let json = Self.json(text)
      let read = try Self.message(json)
      return recent.message(json) { read }?.number
    }
    #expect(try number("a") == nil)
    #expect(try number("b") == nil)
    let (first, other) = (try number("a"), try number("b"))
    #expect(first != nil && other != nil && first != other)
    #expect(try number("a") == first)
  }

  @Test func anotherSpellingIsAnotherMessage() throws {
    let reader = Reader()
    _ = try reader.message(Self.json("caf\u{E9} ."))
    let other = try reader.message(Self.json("cafe\u{301}."))
    let expected = try Self.message(Self.json("cafe\u{301}."))
    #expect(reader.reads == 2)
    #expect(other == expected)
  }

  @Test func theOldestOneGoes() throws {
    let reader = Reader()
    for number in 0...ContentLimits.recentMessages {
      _ = try reader.message(Self.json("\(number)"))
    }
    let before = reader.reads
    _ = try reader.message(Self.json("\(ContentLimits.recentMessages)"))
    let afterNewest = reader.reads
    _ = try reader.message(Self.json("0"))
    #expect(afterNewest == before)
    #expect(reader.reads == before + 1)
  }

  @Test func aLongMessageIsNotRemembered() throws {
    let reader = Reader()
    let text = JSONValue.string(String(repeating: "n", count: 4096))
    let json = JSONValue.object(["alert": .object(["title": text, "subtitle": text, "body": text])])
    _ = try reader.message(json)
    _ = try reader.message(json)
    #expect(reader.reads == 2)
  }

  @Test func whatIsNotToBeRememberedIsNot() {
    let recent = RecentMessages()
    var reads = 0
    for _ in 0..<2 {
      let message = recent.message(.null) {
        reads += 1
        return nil
      }
      #expect(message == nil)
    }
    #expect(reads == 2)
  }
}
