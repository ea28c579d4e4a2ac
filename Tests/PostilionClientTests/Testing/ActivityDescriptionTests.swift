import Foundation
import PostilionClientTesting
import Testing

/// What a type of Live Activities is decoded from, found out from the type itself.
@Suite struct ActivityDescriptionTests {
  private struct Attributes: Codable {
    struct ContentState: Codable, Hashable {
      enum Phase: String, Codable, CaseIterable { case cooking, riding }
      enum Level: Int, Codable, CaseIterable { case low, high }
      struct Driver: Codable, Hashable {
        var name: String
        var rating: Double?
      }

      var step: String
      var eta: Date
      var count: Int
      var price: Decimal?
      var isLate: Bool
      var phase: Phase
      var level: Level?
      var driver: Driver?
      var stops: [Driver]
      var tags: Set<String>
      var photo: URL?
      var more: [String: Int]
    }

    var order: UUID
  }

  private struct Custom: Codable {
    enum Choice: Codable { case one(Int), other }
    struct Part: Codable { var choice: Choice }
    var part: Part
  }

  @Test func aTypeIsDescribedAsItIsDecoded() throws {
    let json = try ActivityDescription.json(
      contentState: Attributes.ContentState.self, attributes: Attributes.self)
    let driver = #"{"name":"string","rating?":"number"}"#
    let expected = """
      {"attributes":{"order":"string"},"content_state":{"count":"integer","driver?":\(driver),\
      "eta":"date","isLate":"boolean","level?":"integer","more":{},"phase":"string",\
      "photo?":"string","price?":"number","step":"string","stops":[\(driver)],\
      "tags":["string"]},"dates":"reference"}
      """
    #expect(
      try JSONSerialization.jsonObject(with: json) as? NSDictionary
        == JSONSerialization.jsonObject(with: Data(expected.utf8)) as? NSDictionary)
  }

  @Test func whatHasItsOwnWayIsTold() {
    #expect {
      try ActivityDescription.json(contentState: Custom.self, attributes: Attributes.self)
    } throws: {
      ($0 as? ActivityDescription.Fault)?.path == "part.choice"
    }
  }
}
