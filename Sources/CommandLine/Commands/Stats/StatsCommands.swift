internal import CommandLineGrammar
internal import JSON

/// The app in numbers, and what its strings lack.
enum StatsCommands {
  static let all = [stats, coverage]

  static let stats = ClientCommand(
    CommandSyntax(
      ["stats"], "show an app in numbers",
      options: [
        SharedOptions.app, DeviceCommands.filter,
        OptionSyntax("days", "DAYS", "how many days are listed", .number(1...366), standard: "7"),
      ],
      examples: [
        .init("postilion stats --app food", "Devices by what they have in common, and a week."),
        .init("postilion stats --app food --filter platform=macos", "Of some devices only."),
      ])
  ) { session throws(Exit) in
    let path = try session.filtered(.app(session.app(), "stats"))
    let days = session.invocation.value("days") ?? "7"
    let answer = try session.api().call("GET", path.with("days", days))
    if session.wantsJSON { return try session.show(answer) }
    for line in counts(answer.json) { try session.terminal.say(Printable.line(line)) }
    try session.terminal.say("")
    for line in dayLines(answer.json) { try session.terminal.say(line) }
  }

  /// `platform      ios 1200, macos 3`, without what there is none of.
  static func counts(_ json: JSONValue) -> [String] {
    var lines = ["devices       \(json["total"]?.cell ?? "-")"]
    func add(_ name: String, _ counts: [(String, JSONValue)]) {
      let words = counts.filter { $0.1 != .integer(0) }.map { "\($0.0) \($0.1.cell)" }
      let gap = String(repeating: " ", count: max(1, 14 - name.count))
      lines.append(name + gap + (words.isEmpty ? "-" : words.joined(separator: ", ")))
    }
    func members(_ value: JSONValue?) -> [(String, JSONValue)] {
      guard case .object(let members)? = value else { return [] }
      return members.sorted { $0.key < $1.key }.map { ($0.key, $0.value) }
    }
    for (kind, counts) in members(json["status"]) { add("\(kind) tokens", members(counts)) }
    add("platform", members(json["platform"]))
    add("environment", members(json["environment"]))
    for name in ["language", "app_version", "os_version"] {
      let top = (json[name]?["top"]?.elements ?? []).map {
        ($0["value"]?.cell ?? "-", $0["count"] ?? .null)
      }
      add(
        name.replacing("_", with: " "), top + [("others", json[name]?["other"] ?? .integer(0))])
    }
    return lines
  }

  /// A line for each day.
  static func dayLines(_ json: JSONValue) -> [String] {
    let names = ["registrations", "rotations", "invalidations", "failures"]
    var table = TextTable(
      [TableColumn("DAY", "day")] + names.map { TableColumn($0.uppercased(), $0) },
      isTerminal: false)
    var lines: [String] = []
    for (index, day) in (json[names[0]]?.elements ?? []).enumerated() {
      var row: JSONObject = ["day": day["day"] ?? .null]
      for name in names {
        let days = json[name]?.elements ?? []
        row[name] = days.indices.contains(index) ? days[index]["count"] : nil
      }
      lines += table.add(.object(row))
    }
    return lines + table.finish()
  }

  static let coverage = ClientCommand(
    CommandSyntax(
      ["coverage"], "show what the strings of a build lack, and how many devices miss it",
      arguments: [ArgumentSyntax("BUILD", "the build, as catalog list shows it")],
      options: [SharedOptions.app, DeviceCommands.filter],
      examples: [
        .init(
          "postilion coverage 417 --app food", "The languages with the most missed texts first.")
      ])
  ) { session throws(Exit) in
    let build = session.invocation.argument("BUILD")
    let path = try session.filtered(.app(session.app(), "catalogs", build, "coverage"))
    let answer = try session.api().call("GET", path)
    if session.wantsJSON { return try session.show(answer) }
    for line in languages(answer.json, session.terminal) { try session.terminal.say(line) }
  }

  static func languages(_ json: JSONValue, _ terminal: Terminal) -> [String] {
    var table = TextTable(
      [
        TableColumn("LANGUAGE", "language"), TableColumn("DEVICES", "devices"),
        TableColumn("KEYS", "keys"), TableColumn("MISSING", "missing"),
        TableColumn("SUCH AS") { item in
          (item["missing_keys"]?.elements ?? []).prefix(3).map { $0["key"]?.cell ?? "" }
            .joined(separator: ", ")
        },
      ], isTerminal: terminal.isOutputTerminal)
    var lines = (json["languages"]?.elements ?? []).flatMap { table.add($0) } + table.finish()
    let unserved = (json["unserved"]?.elements ?? []).map {
      "\($0["language"]?.cell ?? "") \($0["devices"]?.cell ?? "")"
    }
    if !unserved.isEmpty {
      let count = json["unserved_devices"]?.cell ?? ""
      lines += [
        "", "Devices with none of these languages: \(count) (\(unserved.joined(separator: ", ")))",
      ]
    }
    let messages = json["messages"]?.elements ?? []
    if !messages.isEmpty { lines += [""] + messages.map { $0["detail"]?.cell ?? "" } }
    for build in json["builds_without_catalog"]?.elements ?? [] {
      lines.append(
        "Build without strings: \(build["app_build"]?.cell ?? "") of version "
          + "\(build["app_version"]?.cell ?? ""), devices: \(build["devices"]?.cell ?? "")")
    }
    return lines.map(Printable.line)
  }
}
