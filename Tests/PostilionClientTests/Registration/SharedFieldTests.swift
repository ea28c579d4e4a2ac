import Foundation
import Testing

@testable import PostilionClient

/// Tags and attributes, of which a backend has others: each side changes its own.
@Suite struct SharedFieldTests {
  /// A registered app with the tag `beta` and the plan `free`.
  private static func registered() -> Conversation {
    var conversation = Conversation(registered: 0xA1)
    conversation.state.apply(.fields([.tags: ["beta"], .attributes: ["plan": "free"]]))
    conversation.answer(200)
    return conversation
  }

  @Test func theyComeBehindTheFirstReport() {
    var conversation = Conversation()
    conversation.state.apply(.token(.apns, Data(repeating: 0xA1, count: 32)))
    conversation.state.apply(.fields([.tags: ["b", "a"], .attributes: ["plan": "free"]]))
    #expect(conversation.next.hasPrefix("PUT"))
    #expect(!conversation.next.contains("tags") && !conversation.next.contains("attributes"))
    conversation.answer(201)
    #expect(
      conversation.next == #"PATCH {"attributes":{"plan":"free"},"tag_changes":{"add":["a","b"]}}"#)
    conversation.answer(200)
    #expect(conversation.next == "rest")
  }

  @Test func theReportOfADayLeavesThemAlone() {
    var conversation = Self.registered()
    conversation.now += 86_400
    // Apps say at each launch what they said before.
    conversation.state.apply(.fields([.tags: ["beta"], .attributes: ["plan": "free"]]))
    #expect(conversation.next.hasPrefix("PUT"))
    #expect(!conversation.next.contains("tags") && !conversation.next.contains("attributes"))
    conversation.answer(200)
    #expect(conversation.next == "rest")
  }

  static let changes: [(tags: PayloadValue?, attributes: PayloadValue?, report: String)] = [
    (["beta", "new"], nil, #"PATCH {"tag_changes":{"add":["new"]}}"#),
    ([], nil, #"PATCH {"tag_changes":{"remove":["beta"]}}"#),
    (["new"], nil, #"PATCH {"tag_changes":{"add":["new"],"remove":["beta"]}}"#),
    (nil, ["plan": "pro"], #"PATCH {"attributes":{"plan":"pro"}}"#),
    (nil, ["seats": 4], #"PATCH {"attributes":{"plan":null,"seats":4}}"#),
    (nil, [:], #"PATCH {"attributes":{"plan":null}}"#),
    // To the server these are two tags, and to Swift's own comparison one.
    (
      ["beta", "caf\u{E9}", "cafe\u{301}"], nil,
      "PATCH {\"tag_changes\":{\"add\":[\"cafe\u{301}\",\"caf\u{E9}\"]}}"
    ),
  ]

  @Test(arguments: changes)
  func whatTheAppChangesIsSentByName(
    _ tags: PayloadValue?, _ attributes: PayloadValue?, _ report: String
  ) throws {
    var conversation = Self.registered()
    var fields = ReportFields()
    fields[.tags] = tags
    fields[.attributes] = attributes
    conversation.state.apply(.fields(fields))
    // Also in the next process.
    conversation.state = try JSONDecoder().decode(
      RegistrationState.self, from: JSONEncoder().encode(conversation.state))
    #expect(conversation.next.utf8.elementsEqual(report.utf8), "\(conversation.next)")
    conversation.answer(200)
    #expect(conversation.next == "rest")
    conversation.now += 86_400
    conversation.answer(200)
    #expect(conversation.next == "rest")
  }

  /// Another person, or nobody: what was told of the one before goes, also what a backend gave.
  @Test(
    arguments: [
      (.signedIn("u2", proof: nil), #"PATCH {"attributes":null,"tags":null,"user":{"id":"u2"}}"#),
      (.signedOut, #"PATCH {"attributes":null,"tags":null,"user":null}"#),
    ] as [(RegistrationChange, String)])
  func theyGoWithThePerson(_ change: RegistrationChange, _ report: String) {
    var conversation = Self.registered()
    conversation.state.apply(.signedIn("u1", proof: nil))
    #expect(conversation.next == #"PATCH {"user":{"id":"u1"}}"#, "nobody's tags stay")
    conversation.answer(200)
    conversation.state.apply(change)
    // Told of the next person at once.
    conversation.state.apply(.fields([.tags: ["own"]]))
    #expect(conversation.next == report)
    conversation.answer(200)
    #expect(conversation.next == #"PATCH {"tag_changes":{"add":["own"]}}"#)
    conversation.answer(200)
    #expect(conversation.next == "rest")
    conversation.now += 86_400
    #expect(!conversation.next.contains("tags"))
  }

  @Test func aSignOutIsNotRepeatedOverWhomABackendNamed() {
    var conversation = Self.registered()
    conversation.state.apply(.signedOut)
    conversation.answer(200)
    conversation.now += 86_400
    #expect(conversation.next.hasPrefix("PUT"))
    #expect(!conversation.next.contains("user"))
  }

  @Test func anInstallationThatIsMadeAnewGetsThemAgain() {
    var conversation = Self.registered()
    conversation.now += 86_400
    conversation.answer(201)
    #expect(
      conversation.next == #"PATCH {"attributes":{"plan":"free"},"tag_changes":{"add":["beta"]}}"#)
  }

  @Test func whatMayNotHaveArrivedIsSentAgain() throws {
    var conversation = Self.registered()
    conversation.state.apply(.fields([.tags: []]))
    let sent = conversation.send()
    conversation.fail(try #require(sent), URLError(.networkConnectionLost))
    conversation.now += 1
    #expect(conversation.next == #"PATCH {"tag_changes":{"remove":["beta"]}}"#)
  }

  /// The first releases stored a list and an object.
  @Test func whatEarlierReleasesStoredIsRead() throws {
    let text = #"{"tags":["beta","v.i.p"],"attributes":{"plan":"free"},"user":null}"#
    let fields = try JSONDecoder().decode(ReportFields.self, from: Data(text.utf8))
    #expect(
      fields.values == [
        ReportPlace(.tags, "beta"): true, ReportPlace(.tags, "v.i.p"): true,
        ReportPlace(.attributes, "plan"): "free", ReportPlace(.user): .null,
      ])
    let again = try JSONDecoder().decode(
      ReportFields.self, from: JSONEncoder().encode(fields))
    #expect(again == fields)
  }

  /// An app may change them often without a network: no report has more than the server takes.
  @Test func manyChangesComeInSeveralReports() throws {
    var conversation = Self.registered()
    for round in 0..<3 {
      let tags = (0..<60).map { PayloadValue.string("\(round)-\($0)") }
      conversation.state.apply(.fields([.tags: .array(tags)]))
    }
    var count = 0
    while let request = conversation.send() {
      let tags = try #require(request.body?["tag_changes"])
      let lists = ["add", "remove"].map { tags[$0]?.array?.count ?? 0 }
      #expect(lists.reduce(0, +) <= 60)
      conversation.answer(request, 200)
      count += 1
    }
    #expect(count == 4)
  }

  /// A backend may have given the person in between tags that nobody else is to have.
  @Test func aSignOutDuringTheReportOfAnotherPersonClearsOnceMore() throws {
    var conversation = Conversation(registered: 0xA1)
    conversation.state.apply(.signedIn("first", proof: nil))
    conversation.answer(200)
    conversation.state.apply(.signedIn("second", proof: nil))
    let sent = conversation.send()
    conversation.state.apply(.signedOut)
    conversation.answer(try #require(sent), 200)
    #expect(conversation.next == #"PATCH {"attributes":null,"tags":null,"user":null}"#)
    conversation.answer(200)
    #expect(conversation.next == "rest")
    #expect(conversation.state.wanted[.tags] == nil)
  }
}
