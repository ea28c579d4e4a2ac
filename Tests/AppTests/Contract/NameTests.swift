import AppTesting
import Testing

@testable import App

/// The names in `openapi.yaml` follow the rules of CONTRIBUTING.md, "Names of the API".
@Suite struct NameTests {
  /// A member of a schema: its place (`Stats.breakers.opened_at`) and what is said of it.
  private struct Member {
    let place: String
    let name: Substring
    let schema: JSON
  }

  /// Names that follow no rule, and why.
  private static let exceptions: [String: String] = [
    "AuditEntry.at": "the one time of an entry",
    "Change.at": "the one time of an event",
    "TokenEvent.at": "the one time of an event",
    "ChangeHeartbeat.heartbeat": "the line is told from a change by this name",
    "LocalTimeSlice.utc": "the same moment as `local`, which has no zone",
    "IntervalTrigger.seconds": "the trigger has nothing else",
    "Message.ttl": "the field's own word, and messages are stored with it",
    "LiveActivityPush.stale_after_s": "messages are stored with it",
    "LiveActivityPush.dismiss_after_s": "messages are stored with it",
    "Audience.installation": "a `to` names things by their kind: `user`, `filter`, `channel`",
    "Recipient.to.installation": "a `to` names things by their kind: `user`, `filter`, `channel`",
    "SimulatorFile.Simulator Target Bundle": "`simctl` reads this name",
    "ChangePage": "a follower needs a place behind the last page, too: `has_more` tells the end",
  ]

  private static let members: [Member] = {
    let schemas = ContractDocument.shared.content["components"]["schemas"]
    var found: [Member] = []
    func look(_ schema: JSON, _ place: String) {
      guard schema != .absent else { return }
      for name in schema["properties"].names {
        let member = schema["properties"][name]
        found.append(Member(place: "\(place).\(name)", name: Substring(name), schema: member))
        look(member, "\(place).\(name)")
      }
      for part in ["items", "additionalProperties"] { look(schema[part], place) }
      for part in ["allOf", "anyOf", "oneOf"] {
        for element in schema[part].elements { look(element, place) }
      }
    }
    for name in schemas.names { look(schemas[name], name) }
    return found
  }()

  /// The members that a rule is for, and that break it.
  private func breaks(
    _ rule: String, least: Int, where isMeant: (Member) -> Bool, unless keeps: (Member) -> Bool
  ) -> Set<String> {
    let meant = Self.members.filter(isMeant)
    #expect(meant.count >= least, "\(rule): too few members to believe it")
    let broken = Set(meant.filter { !keeps($0) }.map(\.place))
    #expect(broken.subtracting(Self.exceptions.keys).sorted() == [], "\(rule)")
    return broken
  }

  @Test func membersFollowTheRules() {
    var broken = breaks("snake_case; a name with `-` is Apple's", least: 500) { _ in
      true
    } unless: { member in
      member.name.wholeMatch(of: /[a-z][a-z0-9]*([_-][a-z0-9]+)*(\[[a-z]+\])?/) != nil
    }
    broken.formUnion(
      breaks("a time ends with _at, the ends of a span with _since and _until", least: 30) {
        $0.schema["format"] == "date-time"
      } unless: { member in
        ["_at", "_since", "_until"].contains { member.name.hasSuffix($0) }
      })
    broken.formUnion(
      breaks("a UUID is an id", least: 10) {
        $0.schema["format"] == "uuid"
      } unless: { member in
        member.name == "id" || member.name.hasSuffix("_id") || member.name.hasSuffix("-id")
      })
    broken.formUnion(
      breaks("a length of time names its unit: _seconds, _days, _ms", least: 8) { member in
        member.name.contains(/(^|_)(s|secs?|seconds|minutes|hours|days|millis\w*|ms|ttl|age)$/)
      } unless: { member in
        ["_seconds", "_days", "_ms"].contains { member.name.hasSuffix($0) }
      })
    // An exception that nothing needs any more is taken off the list.
    let needed = broken.union(["ChangePage"])
    #expect(Set(Self.exceptions.keys).subtracting(needed).sorted() == [])
  }

  @Test func aPageHasItemsAndTheCursorOfTheNextOne() {
    let schemas = ContractDocument.shared.content["components"]["schemas"]
    let pages = schemas.names.filter { $0.hasSuffix("Page") && Self.exceptions[$0] == nil }
    #expect(pages.count > 10)
    for page in pages {
      #expect(schemas[page]["required"] == ["items", "next_cursor"], "\(page)")
      #expect(schemas[page]["properties"].names == ["items", "next_cursor"], "\(page)")
    }
  }

  /// What an operation does can be seen by its first word, and a method has few of them.
  @Test func operationsBeginWithTheWordOfTheirMethod() {
    let words: [String: [String]] = [
      "GET": ["get", "list", "summarize"], "PUT": ["put"], "PATCH": ["patch"],
      // A key stays in the list, a person is more than a row, a breaker is a state.
      "DELETE": ["delete", "revoke", "erase", "close"],
      "POST": [
        "change", "check", "create", "import", "match", "preview", "purge", "render", "replay",
        "report", "rotate", "slice", "test",
      ],
    ]
    for operation in Contract.source.operations {
      let word = String(operation.id.prefix { $0.isLowercase })
      #expect(words[operation.method]?.contains(word) == true, "\(operation.id)")
    }
  }

  @Test func parametersAreNamedAsMembers() {
    var count = 0
    for operation in ContractDocument.shared.operations {
      for given in operation.content["parameters"].elements {
        let parameter = ContractDocument.shared.resolved(given)
        guard parameter["in"] != "header", let name = parameter["name"].string else { continue }
        count += 1
        #expect(name.wholeMatch(of: /[a-z]+(_[a-z]+)*(\[[a-z]+(_[a-z]+)*\])?/) != nil, "\(name)")
      }
    }
    #expect(count > 100)
  }
}
