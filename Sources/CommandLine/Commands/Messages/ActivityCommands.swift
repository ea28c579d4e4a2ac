internal import CommandLineGrammar
internal import Glibc
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
    guard let file = session.invocation.optionalArgument("FILE") else {
      let stored = try api.call("GET", path).json["activity_types"]
      return try session.terminal.say((stored?[type] ?? .null).jsonText)
    }
    let description = try InputFile.json(file)
    for attempt in 1...CommandLimits.changeTries {
      let app = try api.call("GET", path)
      var types: JSONObject = [:]
      if case .object(let members)? = app.json["activity_types"] { types = members }
      types[type] = description
      do throws(Exit) {
        _ = try api.call(
          "PUT", path, .json(["activity_types": .object(types)]),
          fields: app.entityTag.map { [(name: "If-Match", value: $0)] } ?? [])
        break
      } catch {
        // Somebody else has changed the app meanwhile.
        guard error.code == ExitCode.cannotCreate, attempt < CommandLimits.changeTries else {
          throw error
        }
        usleep(UInt32(attempt) * CommandLimits.changePauseMicroseconds)
      }
    }
    session.terminal.tell("Stored the description of \(Printable.line(type)).")
  }
}
