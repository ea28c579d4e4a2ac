import Foundation
import Testing

@testable import PostilionClient

/// What the server leaves out of a report: the app hears of it, and it is not taken for told.
@Suite struct LeftOutTests {
  private static func ignoring(_ pointers: String...) -> [String: PayloadValue] {
    ["ignored": .array(pointers.map { ["pointer": .string($0), "code": "too_long"] })]
  }

  private static func registered() -> Conversation {
    var conversation = Conversation(registered: 0xA1)
    conversation.state.apply(
      .fields([
        .appVersion: "4.0.0-beta.1", .tags: ["a", "b", "c"],
        .attributes: ["n/1": 1, "plan": "pro"],
      ]))
    return conversation
  }

  /// What is left out, and the places that are not confirmed.
  static let cases: [([String], Set<String>)] = [
    ([], []), (["/app_version"], ["app_version"]), (["/tag_changes/add/1"], ["tags.b"]),
    (["/tag_changes/add"], ["tags.a", "tags.b", "tags.c"]),
    (["/tag_changes"], ["tags.a", "tags.b", "tags.c"]),
    (["/attributes/n~11"], ["attributes.n%2F1"]), (["/attributes/pl…"], ["attributes.plan"]),
    (["/attributes", "/app_version"], ["attributes.n%2F1", "attributes.plan", "app_version"]),
    // The other languages count, and no field of the report is called so.
    (["/languages/1", "/app", "/user"], []),
  ]

  @Test(arguments: cases)
  func itIsToldAndNotConfirmed(_ pointers: [String], _ places: Set<String>) throws {
    var conversation = Self.registered()
    let sent = conversation.send()
    let request = try #require(sent)
    let ignored = pointers.map { ["pointer": .string($0), "code": "too_long"] as PayloadValue }
    conversation.answer(request, 200, ["ignored": .array(ignored)])
    let told = pointers.filter { $0 != "/user" }
      .map { PostilionEvent(.leftOut, code: "too_long", pointer: $0) }
    #expect(conversation.events.dropFirst() == told[...])
    let state = conversation.state
    #expect(Set(state.leftOut.values.keys.map(\.text)) == places)
    for place in state.leftOut.values.keys { #expect(state.confirmed?.values[place] == nil) }
    let problem = told.isEmpty ? nil : "too_long \(pointers.last { $0 != "/user" } ?? "")"
    #expect(state.lastProblem?.code == problem)
    // The same is not sent again and again.
    #expect(conversation.next == "rest")
    let stored = try JSONDecoder().decode(
      RegistrationState.self, from: JSONEncoder().encode(conversation.state))
    #expect(stored == conversation.state)
  }

  @Test func itIsTriedAgainWhenItChangesAndWithTheReportOfADay() {
    var conversation = Self.registered()
    conversation.answer(200, Self.ignoring("/app_version", "/tag_changes/add/0"))
    conversation.state.apply(.fields([.appVersion: "4.0.0"]))
    #expect(conversation.next == #"PATCH {"app_version":"4.0.0"}"#)
    conversation.answer(200)
    #expect(conversation.next == "rest" && conversation.state.leftOut.values.count == 1)
    conversation.now += 86_400
    #expect(conversation.next.hasPrefix("PUT"))
    conversation.answer(200)
    #expect(conversation.next == #"PATCH {"tag_changes":{"add":["a"]}}"#)
    conversation.answer(200)
    #expect(conversation.next == "rest" && conversation.state.leftOut.values.isEmpty)
  }

  @Test func anAppThatTakesItBackHasNothingToSay() {
    var conversation = Self.registered()
    conversation.answer(200, Self.ignoring("/tag_changes/add/1"))
    conversation.state.apply(.fields([.tags: ["a", "c"]]))
    conversation.answer(200)
    #expect(conversation.next == "rest" && conversation.state.leftOut.values.isEmpty)
  }
}
