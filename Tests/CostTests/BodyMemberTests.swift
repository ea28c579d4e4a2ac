import AppTesting
import Foundation
import Testing

@testable import App
@testable import JSON
@testable import Registry
@testable import Rendering

/// Whatever member of whatever body in `openapi.yaml` holds a long text, and however it is spelled:
/// reading it takes no longer than reading as many letters.
@Suite struct BodyMemberTests {
  /// More than some bodies may have: a square shows better.
  private static let bytes = 128 << 10
  /// How many times as long as letters a text may take; one whose marks are put in order takes some
  /// hundred times as long.
  private static let limit = 20.0

  private static func reads<Body: RequestBody>(
    _: Body.Type
  ) -> @Sendable ([UInt8]) -> Void {
    { _ = try? Body.decode($0) }
  }

  /// What reads the bodies of a schema.
  static let readers: [String: @Sendable ([UInt8]) -> Void] = [
    "AppSettings": reads(AppSettings.self), "KeyRequest": reads(NewKey.self),
    "RootKeyRequest": reads(NewRootKey.self), "PurgeRequest": reads(PurgeRequest.self),
    "ImportedRecords": reads(ImportRecord.self),
    "RegistrationReport": reads(RegistrationReport.self), "TagChange": reads(TagChange.self),
    "ChosenLanguage": reads(ChosenLanguage.self), "FailureReport": reads(FailureReport.self),
    "FeedbackReport": reads(FeedbackReport.self), "GorushReport": reads(GorushReport.self),
    "WebhookRequest": reads(NewWebhook.self), "WebhookChanges": reads(WebhookChanges.self),
    "SecretRotation": reads(SecretRotation.self),
    "ReplayRequest": reads(ReplayRequest.self),
    "Message": { bytes in
      _ = try? JSONValue(body: bytes).read(.strict, Message.init(reading:))
    },
    "ChannelSettings": reads(ChannelBody.self),
    "CreatedChannelRequest": reads(CreatedChannelRequest.self),
    "RenderBody": reads(RenderBody.self), "LocalTimeRequest": reads(LocalTimeRequest.self),
    "PreviewRequest": reads(PreviewRequest.self),
    "PayloadCheckRequest": reads(PayloadCheckRequest.self),
    "MatchRequest": reads(MatchLanguages.MatchRequest.self),
  ]

  /// The schemas of all JSON bodies, with an example of each.
  static let bodies: [(schema: String, example: JSON)] = {
    let contract = ContractDocument.shared
    var bodies: [String: JSON] = [:]
    for operation in contract.operations {
      let content = contract.resolved(operation.content["requestBody"])["content"]
      for type in content.names where type.hasSuffix("json") && type != "application/x-ndjson" {
        let name = content[type]["schema"]["$ref"].string?.split(separator: "/").last
        bodies[name.map(String.init) ?? operation.id] = contract.examples(content[type]).first
      }
    }
    return bodies.map { ($0.key, $0.value) }.sorted { $0.schema < $1.schema }
  }()

  @Test func eachBodyHasAReader() {
    #expect(Self.bodies.map(\.schema) == Self.readers.keys.sorted())
  }

  @Test(arguments: bodies.map(\.schema))
  func noMemberTakesMarksForMoreThanLetters(schema: String) throws {
    let example = try #require(Self.bodies.first { $0.schema == schema }?.example)
    let read = try #require(Self.readers[schema])
    // A record is a report with an id.
    let described = schema == "ImportedRecords" ? "RegistrationReport" : schema
    let places = Place.all(below: ["$ref": .string("#/components/schemas/\(described)")])
    #expect(places.count > 1)
    let letters = String(repeating: "a", count: Self.bytes)
    let worst = ["\u{301}\u{323}", "\u{323}", "\u{1F1E9}"].map { unit in
      "e" + String(repeating: unit, count: Self.bytes / unit.utf8.count)
    }
    // A text, at whose end two braces stand for one, and the names of two members.
    let forms: [(String) -> String] = [{ "\"\($0){{\"" }, { "{\"\($0)a\":\"x\",\"\($0)b\":1}" }]
    for place in places {
      for form in forms {
        let plainBody = body(example, place, form(letters))
        let plain = processorSeconds { read(plainBody) }
        for text in worst {
          let body = body(example, place, form(text))
          let taken = processorSeconds { read(body) }
          #expect(taken < plain * Self.limit, "\(place.text): \(taken) and \(plain) s")
        }
      }
    }
  }

  /// The test can see what it looks for.
  @Test func swiftsOwnComparisonTakesLonger() {
    let letters = String(repeating: "a", count: Self.bytes)
    let marks = "e" + String(repeating: "\u{301}\u{323}", count: Self.bytes / 4)
    let plain = processorSeconds { _ = BackgroundRefreshWord(letters) }
    #expect(processorSeconds { _ = BackgroundRefreshWord(marks) } > (plain + 0.001) * Self.limit)
  }

  private struct BackgroundRefreshWord {
    init?(_ text: String) { guard text == "available" else { return nil } }
  }

  /// The example with a JSON text in a place.
  private func body(_ example: JSON, _ place: Place, _ json: String) -> [UInt8] {
    let bytes = Array(example.merging(place.value("HERE")).text.utf8)
    guard let range = bytes.firstRange(of: Array("\"HERE\"".utf8)) else { return bytes }
    return Array(bytes[..<range.lowerBound]) + Array(json.utf8) + bytes[range.upperBound...]
  }
}

/// A place in a body where a text may stand.
private struct Place {
  /// Steps of names; an empty one is the first element of an array.
  let steps: [String]

  var text: String { steps.joined(separator: "/") }

  /// A schema and all places in it. A schema within itself is entered once.
  static func all(below schema: JSON, entered: Set<String> = []) -> [Place] {
    var entered = entered
    if let reference = schema["$ref"].string {
      guard entered.insert(reference).inserted else { return [Place(steps: [])] }
    }
    let schema = ContractDocument.shared.resolved(schema)
    // A text may stand for it, and its own names are texts.
    var places = ["": Place(steps: [])]
    func add(_ found: [Place], below name: String? = nil) {
      for place in found {
        let place = Place(steps: (name.map { [$0] } ?? []) + place.steps)
        places[place.text] = place
      }
    }
    for choice in ["anyOf", "oneOf", "allOf"] {
      for part in schema[choice].elements { add(all(below: part, entered: entered)) }
    }
    for name in schema["properties"].names {
      add(all(below: schema["properties"][name], entered: entered), below: name)
    }
    if schema["items"] != .absent { add(all(below: schema["items"], entered: entered), below: "") }
    if schema["additionalProperties"]["$ref"] != .absent
      || schema["additionalProperties"]["type"] != .absent
    {
      add(all(below: schema["additionalProperties"], entered: entered), below: "any")
    }
    return places.values.sorted { $0.text < $1.text }
  }

  /// The value as it stands there, in nothing but what leads to it.
  func value(_ value: JSON) -> JSON {
    steps.reversed().reduce(value) { inner, step in
      step.isEmpty ? .array([inner]) : .object([step: inner])
    }
  }
}

extension JSON {
  /// The same with the members of another object in place of its own.
  fileprivate func merging(_ other: JSON) -> JSON {
    guard case .object(let members) = self, case .object(let others) = other else { return other }
    return .object(members.merging(others) { $0.merging($1) })
  }
}
