internal import CommandLineGrammar
internal import JSON

/// What an app says of types of its Live Activities.
enum ActivityCommands {
  static let all = [describe]

  private static let describe = ClientCommand(
    CommandSyntax(
      ["activity", "describe"], "say how the state of a type of Live Activities is decoded",
      details: [
        "The file has `dates`, `content_state` and `attributes`. `ActivityDescription` of "
          + "PostilionClientTesting writes it, or you do. Without a file you see what is stored."
      ],
      arguments: [
        ArgumentSyntax("TYPE", "the name of the attributes type"),
        ArgumentSyntax(
          "FILE", "the description as JSON; - is standard input", .file, isOptional: true),
      ],
      options: [SharedOptions.app],
      examples: [
        .init(
          "postilion activity describe Delivery Delivery.json --app food",
          "From now on a state that no phone could decode is refused.")
      ])
  ) { session throws(Exit) in
    let type = session.invocation.argument("TYPE")
    let (api, path) = (try session.api(), APIPath.app(try session.app()))
    let stored = try api.call("GET", path).json["activity_types"]
    guard let file = session.invocation.optionalArgument("FILE") else {
      return try session.terminal.say((stored?[type] ?? .null).jsonText)
    }
    let description = try InputFile.json(file)
    var types: JSONObject = [:]
    if case .object(let members)? = stored { types = members }
    types[type] = description
    _ = try api.call("PUT", path, .json(["activity_types": .object(types)]))
    session.terminal.tell("Stored the description of \(Printable.line(type)).")
  }
}
