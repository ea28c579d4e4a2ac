internal import CommandLineGrammar
internal import JSON

/// A command while it runs: what it was given, the service that it calls, and what it says.
final class Session {
  let invocation: Invocation
  let terminal: Terminal
  private let surroundings: Surroundings
  private var known: (destination: Destination, api: API)?

  init(_ invocation: Invocation, _ surroundings: Surroundings) {
    self.invocation = invocation
    self.surroundings = surroundings
    var terminal = surroundings.terminal
    if invocation.command.options.contains(where: { $0.name == "no-color" }),
      invocation.has("no-color")
    {
      terminal.allowsColour = false
    }
    self.terminal = terminal
  }

  private func connection() throws(Exit) -> (destination: Destination, api: API) {
    if let known { return known }
    if invocation.isGiven("url"), invocation.isGiven("profile") {
      throw Exit(ExitCode.usage, "--url and --profile both say where the service is: give one.")
    }
    let destination = try Destination(
      try wishes(), try surroundings.profiles(), file: surroundings.profilesFile ?? "no home")
    let known = (destination, API(destination, version: surroundings.version))
    self.known = known
    return known
  }

  private func wishes() throws(Exit) -> Destination.Wishes {
    var wishes = Destination.Wishes()
    wishes.url = invocation.value("url")
    // An address on the command line is nearer than a profile of the environment.
    wishes.profile = invocation.isGiven("url") ? nil : invocation.value("profile")
    let names = invocation.command.options.map(\.name)
    let app = names.contains("app") ? invocation.value("app") : nil
    wishes.app = app ?? present(surroundings.environment["POSTILION_APP"])
    if let file = invocation.value("key-file") {
      let bytes = try InputFile.bytes(file, limit: CommandLimits.smallFileBytes)
      let words = String(decoding: bytes, as: UTF8.self).split(whereSeparator: \.isWhitespace)
      guard let key = words.first else { throw Exit(ExitCode.data, "\(file) holds no key.") }
      wishes.givenKey = String(key)
    }
    wishes.authorities = invocation.value("ca-file")
    wishes.key = present(surroundings.environment["POSTILION_KEY"])
    return wishes
  }

  private func present(_ text: String?) -> String? { text.flatMap { $0.isEmpty ? nil : $0 } }

  /// The service.
  func api() throws(Exit) -> API { try connection().api }

  /// The app that the command is about.
  func app(or alternative: String = "") throws(Exit) -> String {
    guard let app = try connection().destination.app else {
      throw Exit(
        ExitCode.usage,
        "\(invocation.command.name) needs an app: --app NAME, POSTILION_APP or a profile"
          + "\(alternative).")
    }
    return app
  }

  /// A path with what `--filter` gives as parameters of its query.
  func filtered(_ path: APIPath) throws(Exit) -> APIPath {
    var path = path
    for word in invocation.values("filter") {
      let (name, text) = try Assignments.split(word, option: "--filter")
      path = path.with(name, text)
    }
    return path
  }

  /// Whether the service's own JSON is wanted.
  var wantsJSON: Bool { invocation.has("json") }

  /// Shows one thing: the answer as it came, or as lines.
  func show(_ answer: API.Answer) throws(Exit) {
    if wantsJSON { return try terminal.write(answer.body + [UInt8(ascii: "\n")]) }
    let node: JSONNode
    do throws(JSONFault) {
      node = try JSONNode(parsing: answer.body, maximumCount: CommandLimits.shownValues)
    } catch {
      throw Exit(ExitCode.unavailable, "The answer is no JSON: is this a service of Postilion?")
    }
    for line in Outline(node).lines { try terminal.say(line) }
  }

  /// Deletes, or with `--dry-run` shows what would go.
  /// - Parameter told: What is said when it is done; without it the answer is shown.
  func delete(_ path: APIPath, _ told: String? = nil) throws(Exit) {
    let isDry = invocation.has("dry-run")
    let answer = try api().call("DELETE", path.with("dry_run", isDry ? "true" : nil))
    guard let told, !isDry else { return try show(answer) }
    terminal.tell(told)
  }

  /// Shows a whole list: a table, or `{"items": […], "next_cursor": null}` as the service would
  /// answer it if a page had no end. Items are written as they come.
  func list(_ path: APIPath, _ columns: [TableColumn]) throws(Exit) {
    let isJSON = wantsJSON
    var table = TextTable(columns, isTerminal: terminal.isOutputTerminal)
    var count = 0
    try api().lines("GET", path) { line throws(Exit) in
      let item = JSONValue(parsing: Array(line))
      guard let item else {
        throw Exit(ExitCode.unavailable, "The answer is no JSON: is this a service of Postilion?")
      }
      // The last line of a stream that broke off; entries of some lists have such a member, too.
      if case .object(let members) = item, members.count == 1, let error = members["error"] {
        throw Problem(error).exit
      }
      if isJSON {
        try terminal.write(Array((count == 0 ? #"{"items":["# : ",").utf8) + line)
      } else {
        for line in table.add(item) { try terminal.say(line) }
      }
      count += 1
    }
    if isJSON {
      try terminal.say((count == 0 ? #"{"items":["# : "") + #"],"next_cursor":null}"#)
    } else if count == 0 {
      terminal.tell("There are none.")
    } else {
      for line in table.finish() { try terminal.say(line) }
    }
  }
}
