internal import CommandLineGrammar
internal import JSON

/// `postilion render`: the finished requests for APNs, as they are made.
enum RenderCommand {
  static let command = ClientCommand(
    CommandSyntax(
      ["render"], "make the requests for APNs, for a device or any audience",
      details: [
        "Nothing is sent. For many devices there is a line for each request, and a last line with "
          + "the summary. If the summary is missing, some requests are missing, too, and the exit "
          + "code is not 0. An audience needs a sender key; a single device also takes an admin "
          + "key."
      ],
      arguments: [MessageCommands.message],
      options: [
        SharedOptions.app, MessageCommands.argument,
        OptionSyntax("device", "ID", "for one device"),
        OptionSyntax("user", "USER", "for the devices of a person"),
        OptionSyntax(
          "filter", "NAME=TEXT",
          "for the devices for which all of these hold; NAME:=JSON for what is no text; may be "
            + "given several times",
          isRepeated: true),
        OptionSyntax(
          "shape", "WORD", "what a line is",
          .words(["requests", "groups", "gorush", "simulator"]), standard: "requests"),
        OptionSyntax(
          "credential", "WORD", "the kind of token", .words(["apns", "voip"]), standard: "apns"),
      ],
      examples: [
        .init(
          "postilion render food_ready --app food --argument name=Zoé --user u42",
          "The requests for a person's devices."),
        .init(
          "postilion render news.json --app food --filter tag=beta --shape gorush > requests",
          "A message of a file for an audience, as gorush takes it."),
      ])
  ) { session throws(Exit) in
    var members = try MessageCommands.members(session)
    members["to"] = try audience(session)
    members["shape"] = session.invocation.value("shape").map { .string($0) }
    members["credential"] = session.invocation.value("credential").map { .string($0) }
    let path = APIPath.app(try session.app(), "render")
    if session.invocation.value("device") != nil {
      let answer = try session.api().call("POST", path, .json(members))
      return try session.terminal.write(answer.body + [UInt8(ascii: "\n")])
    }
    let progress = Progress(session.terminal, .lines, total: nil)
    defer { progress.finish() }
    var last: [UInt8] = []
    try session.api().lines("POST", path, .json(members)) { line throws(Exit) in
      last = Array(line)
      progress.advance(by: 1)
      try session.terminal.write(last + [UInt8(ascii: "\n")])
    }
    let end = JSONValue(parsing: last)
    if let error = end?["error"] { throw Problem(error).exit }
    guard end?["summary"] != nil else {
      throw Exit(ExitCode.unavailable, "The answer broke off: the lines are not all.")
    }
  }

  private static func audience(_ session: Session) throws(Exit) -> JSONValue {
    let invocation = session.invocation
    let filter = try Assignments.json(invocation.values("filter"), option: "--filter")
    var audiences: [JSONValue] = []
    if let id = invocation.value("device") {
      audiences.append(.object(["installation": .string(id)]))
    }
    if let user = invocation.value("user") { audiences.append(.object(["user": .string(user)])) }
    if !filter.isEmpty { audiences.append(.object(["filter": .object(filter)])) }
    guard audiences.count == 1 else {
      throw Exit(ExitCode.usage, "render needs one of --device, --user and --filter.")
    }
    return audiences[0]
  }
}
