import Foundation
import Testing

@testable import PostilionClient

/// What earlier releases have stored, and what is damaged.
@Suite struct StoredStateTests {
  private static let installation = "5F0C2B1E-7A54-4E52-9C43-6E2D1B6F7A10"
  private static let fields = """
    {"platform":"ios","app_build":"412","user":{"id":"u42"},"credentials.apns":{"token":"a1b2"}}
    """
  private static let moreFields = """
    {"platform":"ios","app_build":"412","user":{"id":"u42"},"credentials.apns":{"token":"a1b2"},\
    "bundle_id":"com.example.food.watch","frequent_pushes":true,"live_activities_allowed":false,\
    "credentials.widgets":{"token":"c1","widgets":[{"kind":"Orders"}]},\
    "credentials.live_activity_start.Delivery":{"token":"c2"},\
    "credentials.live_activities.A7.C1":{"token":"c3","type":"Delivery"},\
    "credentials.controls.Lights":{"porch":{"token":"c4"}},\
    "credentials.nowplaying.S1":null,"credentials.of_a_later_release":{"token":"c5"}}
    """
  private static let failure = """
    {"id":"0A4C9D42-41B5-4B38-8D5C-2E8C3E3B5B11","kind":"apns","domain":"NSCocoaErrorDomain",\
    "code":3000,"message":"no entitlement","occurredAt":800000000.5}
    """

  /// The members that all releases have stored.
  private static let first = """
    "installation":"\(installation)","wanted":\(fields),"systemLanguages":["fr-CA","en-CA"],\
    "chosenLanguage":"fr-CA","proof":"a.b.c","unproven":"u41","hasBegun":true,"isOptedIn":false,\
    "confirmed":\(fields),"mayExist":true,"confirmedAt":800000000,"lastReportTime":800000100.25,\
    "clockLead":1.5,"sentAt":800000200,"recheckAt":800000300,"refused":\(fields),\
    "refusedAt":800000400,"failures":[\(failure)]
    """
  private static let place = #""place":"https:\/\/push.example.com food""#
  private static let prior = #""priorReportTime":800000050"#

  /// A stored form of a state, whose person has opted out.
  struct Form: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let text: String
    var hasPlace = true
    var hasWish = true
    var hasMoreFields = false
  }

  /// Every form that a release has stored. They are read for ever: a change of the state adds a
  /// form and takes none away.
  static let forms = [
    Form(
      testDescription: "of the first release",
      text: """
        {\(first),"retry":{"failures":3,"notBefore":800000500,"isServersWish":true}}
        """, hasPlace: false, hasWish: false),
    Form(
      testDescription: "with the server",
      text: """
        {\(first),\(place),"retry":{"failures":3,"notBefore":800000500,"isServersWish":false}}
        """, hasWish: false),
    Form(
      testDescription: "with the time of the report before",
      text: """
        {\(first),\(place),\(prior),\
        "retry":{"failures":3,"notBefore":800000500,"wishedUntil":800000450}}
        """),
    Form(
      testDescription: "with the choice, the last report and the last problem",
      text: """
        {\(first),\(place),\(prior),"hasChosen":true,"reportedAt":800000350,\
        "lastProblem":{"code":"overloaded","date":800000360},\
        "retry":{"failures":3,"notBefore":800000500,"wishedUntil":800000450}}
        """),
    Form(
      testDescription: "with tokens of all kinds",
      text: """
        {\(first),\(place),\(prior),"hasChosen":true,"reportedAt":800000350,\
        "lastProblem":{"code":"overloaded","date":800000360},\
        "retry":{"failures":3,"notBefore":800000500,"wishedUntil":800000450}}
        """.replacingOccurrences(of: fields, with: moreFields), hasMoreFields: true),
    Form(
      testDescription: "with the time of the installation",
      text: """
        {\(first),\(place),\(prior),"hasChosen":true,"reportedAt":800000350,\
        "createdAt":"2026-05-02T19:32:41.250Z",\
        "lastProblem":{"code":"overloaded","date":800000360},\
        "retry":{"failures":3,"notBefore":800000500,"wishedUntil":800000450}}
        """.replacingOccurrences(of: fields, with: moreFields), hasMoreFields: true),
    Form(
      testDescription: "with what the server left out",
      text: """
        {\(first),\(place),\(prior),"hasChosen":true,"reportedAt":800000350,\
        "createdAt":"2026-05-02T19:32:41.250Z","leftOut":{"app_version":"4.0.0-beta.1"},\
        "lastProblem":{"code":"overloaded","date":800000360},\
        "retry":{"failures":3,"notBefore":800000500,"wishedUntil":800000450}}
        """.replacingOccurrences(of: fields, with: moreFields), hasMoreFields: true),
  ]

  private static let moreValues: [ReportPlace: PayloadValue] = [
    ReportPlace(.bundleID): "com.example.food.watch", ReportPlace(.frequentPushes): true,
    ReportPlace(.liveActivitiesAllowed): false,
    ReportPlace(.widgets): ["token": "c1", "widgets": [["kind": "Orders"]]],
    ReportPlace(.liveActivityStart, "Delivery"): ["token": "c2"],
    ReportPlace(.liveActivities, "A7.C1"): ["token": "c3", "type": "Delivery"],
    ReportPlace(.controls, "Lights"): ["porch": ["token": "c4"]],
    ReportPlace(.nowPlaying, "S1"): .null,
  ]

  private static func read(_ text: String) throws -> RegistrationState {
    try JSONDecoder().decode(RegistrationState.self, from: Data(text.utf8))
  }

  private static func date(_ seconds: TimeInterval) -> Date {
    Date(timeIntervalSinceReferenceDate: seconds)
  }

  @Test(arguments: forms) func everyStoredFormIsRead(_ form: Form) throws {
    let state = try Self.read(form.text)
    var fields: ReportFields = [
      .platform: "ios", .appBuild: "412", .user: ["id": "u42"], .apns: ["token": "a1b2"],
    ]
    if form.hasMoreFields {
      fields.values.merge(Self.moreValues) { $1 }
    }
    #expect(state.installation?.uuidString == Self.installation)
    #expect(state.place == (form.hasPlace ? "https://push.example.com food" : nil))
    #expect(state.wanted == fields)
    #expect(state.systemLanguages == ["fr-CA", "en-CA"])
    #expect(state.chosenLanguage == "fr-CA")
    #expect(state.proof == "a.b.c")
    #expect(state.unproven == "u41")
    #expect(state.hasBegun)
    #expect(state.choice == .optedOut)
    #expect(state.confirmed == fields)
    #expect(state.mayExist)
    #expect(state.confirmedAt == Self.date(800_000_000))
    #expect(state.lastReportTime == Self.date(800_000_100.25))
    #expect(state.clockLead == 1.5)
    #expect(state.sentAt == Self.date(800_000_200))
    #expect(state.recheckAt == Self.date(800_000_300))
    #expect(state.refused == fields)
    #expect(state.refusedAt == Self.date(800_000_400))
    #expect(state.failures.map(\.code) == [3000])
    #expect(state.failures.first?.occurredAt == Self.date(800_000_000.5))
    #expect(state.retry.failures == 3)
    #expect(state.retry.notBefore == Self.date(800_000_500))
    #expect(state.retry.wishedUntil == (form.hasWish ? Self.date(800_000_450) : nil))
  }

  /// The members of the newest form.
  private static func members() throws -> [String: PayloadValue] {
    let text = try #require(forms.last).text
    return try JSONDecoder().decode([String: PayloadValue].self, from: Data(text.utf8))
  }

  private static func stored(_ state: RegistrationState) throws -> [String: PayloadValue] {
    try JSONDecoder().decode([String: PayloadValue].self, from: JSONEncoder().encode(state))
  }

  /// The newest form has all that a state has: who adds a member adds it to a new form.
  @Test func theNewestFormIsWhole() throws {
    let text = try #require(Self.forms.last).text
    #expect(try Set(Self.stored(Self.read(text)).keys) == Set(Self.members().keys))
  }

  /// Without a member, or with one that is damaged, all others are as they were.
  @Test(arguments: [nil, "damaged", [7], ["a": ["b": 1]]] as [PayloadValue?])
  func aMemberThatCannotBeReadTakesNoOtherAlong(_ damage: PayloadValue?) throws {
    let whole = try Self.stored(Self.read(try #require(Self.forms.last).text))
    for name in try Self.members().keys {
      var members = try Self.members()
      members[name] = damage
      let text = String(decoding: try JSONEncoder().encode(members), as: UTF8.self)
      var left = try Self.stored(Self.read(text))
      var others = whole
      for changed in name == "isOptedIn" ? [name, "hasChosen"] : [name] {
        left[changed] = nil
        others[changed] = nil
      }
      #expect(left == others, "\(name)")
    }
  }

  @Test func aFailureThatCannotBeReadTakesNoOtherAlong() throws {
    let text = try #require(Self.forms.last).text.replacingOccurrences(
      of: #""failures":[{"#, with: #""failures":[{"kind":"of a later release"},7,{"#)
    #expect(try Self.read(text).failures.map(\.code) == [3000])
  }

  /// Damaged, it may be that there is an installation: better it is removed once too often.
  @Test func anOptOutRemovesThoughTheStateIsDamaged() throws {
    let text = try #require(Self.forms.last).text.replacingOccurrences(
      of: #""mayExist":true"#, with: #""mayExist":"?""#)
    let state = try Self.read(text)
    guard case .send(let request) = state.next(at: Self.date(900_000_000), interval: 60) else {
      Issue.record("nothing is sent")
      return
    }
    #expect(request.purpose == .removal)
  }
}
