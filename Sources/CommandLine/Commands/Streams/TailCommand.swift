internal import ASCII
internal import CommandLineGrammar
internal import Glibc
internal import JSON

/// `postilion tail`: what happens now.
enum TailCommand {
  static let command = ClientCommand(
    CommandSyntax(
      ["tail"], "show what happens: calls of admins, failures, refused tokens",
      details: [
        "Asks every few seconds, until it is ended. With --json there is a line for each entry, as "
          + "the lists of the API have it, with the word audit, failure or breaker in front."
      ],
      options: [
        SharedOptions.app,
        OptionSyntax("since", "TIME", "what happened from this time on", standard: "now"),
        OptionSyntax("every", "SECONDS", "how often it asks", .number(1...3600), standard: "2"),
        OptionSyntax(switch: "once", "ask once and end"),
      ],
      examples: [
        .init("postilion tail --app food", "From now on."),
        .init(
          "postilion tail --app food --since 2026-11-22T00:00:00Z --once", "Since midnight."),
      ])
  ) { session throws(Exit) in
    var tail = Tail(since: session.invocation.value("since") ?? now())
    while true {
      for line in try tail.next(session) { try session.terminal.say(line) }
      if session.invocation.has("once") { return }
      sleep(UInt32(session.invocation.number("every") ?? 2))
    }
  }

  /// The time of day in UTC, as the API takes it.
  private static func now() -> String {
    var now = timespec()
    clock_gettime(CLOCK_REALTIME, &now)
    return RFC3339.text(microseconds: Int64(now.tv_sec) * 1_000_000 + Int64(now.tv_nsec) / 1000)
  }
}

/// What was shown already, by which the next look knows what is new.
struct Tail {
  private let since: String
  private var seen: [String: Set<String>] = [:]
  private var breakers: [String: String] = [:]

  /// Calls of this command are on record, too; by this they are known and left out.
  private static let requestID = "postilion-tail"

  init(since time: String) { since = time }

  /// What is new, oldest first.
  mutating func next(_ session: Session) throws(Exit) -> [String] {
    var lines: [(time: String, text: String)] = []
    for (list, member) in [("audit", "at"), ("failures", "received_at")] {
      // In this order what comes between the two calls is in the second.
      let newest = try items(list, session)
      for item in fresh(newest, list, try first(list, session)) {
        lines.append((item[member]?.text ?? "", text(item, list, session.wantsJSON)))
      }
    }
    for item in changed(try items("feedback/breakers", session)) {
      let time = item["last_refused_at"]?.text ?? ""
      lines.append((time, text(item, "breaker", session.wantsJSON)))
    }
    return lines.sorted { $0.time < $1.time }.map(\.text)
  }

  /// The newest entries of a list, as far as those that were seen or, at the first look, since a
  /// time.
  private func items(
    _ list: String, _ session: Session, since: String? = nil
  ) throws(Exit) -> [JSONValue] {
    var path = APIPath.app(try session.app())
    for segment in list.split(separator: "/") { path.add(String(segment)) }
    if !list.contains("/") {
      path = path.with("limit", String(CommandLimits.tailEntries)).with("since", since)
    }
    var items: [JSONValue] = []
    var cursor: String?
    for _ in 0..<CommandLimits.tailPages {
      let answer = try session.api().call(
        "GET", path.with("cursor", cursor), fields: [("X-Request-Id", Self.requestID)])
      let page = answer.json["items"]?.elements ?? []
      items += page
      cursor = answer.json["next_cursor"]?.text
      guard cursor != nil, since != nil || goesOn(behind: page, list) else { break }
    }
    return items
  }

  /// Whether there may be news behind a page: nothing of it was seen at the look before.
  func goesOn(behind page: [JSONValue], _ list: String) -> Bool {
    seen[list].map { before in !page.contains { before.contains(Self.id($0)) } } ?? false
  }

  /// At the first look what happened since the wished time; `nil` later.
  private func first(_ list: String, _ session: Session) throws(Exit) -> [JSONValue]? {
    seen[list] == nil ? try items(list, session, since: since) : nil
  }

  private static func id(_ item: JSONValue) -> String { item["id"]?.cell ?? "" }

  /// Those that were not there the last time, but for calls of this command. `first` are those of
  /// the first look.
  mutating func fresh(
    _ items: [JSONValue], _ list: String, _ first: [JSONValue]? = nil
  ) -> [JSONValue] {
    let before = seen[list]
    seen[list] = Set((items + (first ?? [])).map(Self.id))
    let fresh = first ?? items.filter { before?.contains(Self.id($0)) != true }
    return fresh.filter { $0["request_id"]?.text != Self.requestID }
  }

  /// The breakers whose state is another one than before.
  mutating func changed(_ items: [JSONValue]) -> [JSONValue] {
    items.filter { item in
      let name = item["environment"]?.cell ?? ""
      let state = item["state"]?.cell ?? ""
      // A closed one that was never seen open is no news.
      let before = breakers.updateValue(state, forKey: name) ?? "closed"
      return before != state
    }
  }

  private func text(_ item: JSONValue, _ list: String, _ isJSON: Bool) -> String {
    let word = ["audit": "audit", "failures": "failure"][list] ?? list
    if isJSON {
      var writer = JSONWriter()
      writer.object { writer in
        writer.key(word)
        writer.value(item)
      }
      return writer.text
    }
    let cells =
      switch list {
      case "audit": ["at", "operation", "target", "status", "key_label"].map { item[$0]?.cell }
      case "failures":
        [
          item["received_at"]?.cell, item["kind"]?.cell, item["error"]?["domain"]?.cell,
          item["error"]?["code"]?.cell, item["error"]?["message"]?.cell,
        ]
      default:
        [item["last_refused_at"]?.cell, item["environment"]?.cell, item["state"]?.cell]
      }
    let words = cells.map { $0 ?? "-" }
    return Printable.line(([words[0], word] + words.dropFirst()).joined(separator: "  "))
  }
}
