extension Grammar {
  /// What a command line asks for.
  public enum Request: Sendable, Hashable {
    /// The help of a command, or of those that begin with these words.
    case help([String])
    /// The release.
    case version
    /// To run a command.
    case run(Invocation)
    /// What can follow these words.
    case complete([String])
  }

  /// Reads a command line.
  ///
  ///     catalog push . --app food --build=417    the command, an argument, two options
  ///     catalog push --app food -- --odd         what follows `--` is an argument
  ///     catalog --help, help catalog             the help of all that begin with `catalog`
  ///
  /// Options stand anywhere after the words of the command. Of a variable that is set and not empty
  /// its option gets the value, unless it is given.
  /// - Parameter arguments: What follows the program's name.
  public func read(
    _ arguments: [String], environment: [String: String] = [:]
  ) throws(UsageFault) -> Request {
    if arguments.first == "help" { return .help(try known(Array(arguments.dropFirst()))) }
    if arguments.first == Self.completing { return .complete(Array(arguments.dropFirst())) }
    let (path, rest) = path(of: arguments[...])
    if let command = command(path) { return try read(command, rest, environment) }
    switch rest.first {
    case "--help", "-h": return .help(path)
    case "--version": return .version
    case nil: throw UsageFault("\(spelled(path)) needs one of: \(list(after: path)).")
    case let word?: throw unknown(word, after: path)
    }
  }

  /// The words of a command at the beginning of a line, and what follows them.
  func path(of line: ArraySlice<String>) -> (path: [String], rest: ArraySlice<String>) {
    var path: [String] = []
    for word in line {
      guard words(after: path).contains(where: { $0.word == word }) else { break }
      path.append(word)
    }
    return (path, line.dropFirst(path.count))
  }

  private func known(_ path: [String]) throws(UsageFault) -> [String] {
    for (count, word) in path.enumerated() {
      let before = Array(path.prefix(count))
      guard words(after: before).contains(where: { $0.word == word }) else {
        throw unknown(word, after: before)
      }
    }
    return path
  }

  private func spelled(_ path: [String]) -> String { ([program] + path).joined(separator: " ") }

  private func list(after path: [String]) -> String {
    words(after: path).map(\.word).joined(separator: ", ")
  }

  private func unknown(_ word: String, after path: [String]) -> UsageFault {
    if word.hasPrefix("-") {
      return UsageFault("Options such as \(word) follow a command: \(spelled(path)) --help.")
    }
    return fault(
      "\(spelled(path)) knows no \"\(word)\"", word, words(after: path).map(\.word), path)
  }

  /// With the nearest of the names that there are, when there is one that may be meant.
  private func fault(
    _ what: String, _ name: String, _ names: [String], _ path: [String]
  ) -> UsageFault {
    let nearest = nearestName(to: name, among: names)
    let isNear = editDistance(name, nearest) <= max(2, name.count / 2)
    let hint = isNear && !nearest.isEmpty ? "; the nearest is \(nearest)" : ""
    return UsageFault("\(what)\(hint). \(spelled(path)) --help lists all.")
  }

  private func read(
    _ command: CommandSyntax, _ words: ArraySlice<String>, _ environment: [String: String]
  ) throws(UsageFault) -> Request {
    var reading = Reading(command)
    for word in words {
      if let request = try take(word, &reading) { return request }
    }
    if let option = reading.waiting {
      throw UsageFault("\(option.flag) needs a value: \(option.usage), \(option.meaning).")
    }
    if let place = reading.places.first(where: { !$0.isOptional }) {
      throw UsageFault(
        "\(spelled(command.path)) needs \(place.name), \(place.meaning): "
          + "\(program) \(command.usage).")
    }
    try complete(&reading.invocation, environment)
    return .run(reading.invocation)
  }

  /// Reads the next word of a command.
  /// - Returns: What the word asks for in place of the command.
  func take(_ word: String, _ reading: inout Reading) throws(UsageFault) -> Request? {
    let command = reading.invocation.command
    if let option = reading.waiting {
      reading.waiting = nil
      try add(word, option, &reading.invocation)
    } else if reading.isOver || !word.hasPrefix("-") || word == "-" {
      guard let place = reading.places.popFirst() else {
        // It is not repeated: it may be the address of a database, with its password.
        throw UsageFault(
          "\(spelled(command.path)) has no place for one more word: \(program) \(command.usage).")
      }
      try check(word, place.kind, place.name, command)
      reading.invocation.set(place, word)
    } else {
      switch word {
      case "--": reading.isOver = true
      case "--help", "-h": return .help(command.path)
      case "--version": return .version
      default: try take(option: word, &reading)
      }
    }
    return nil
  }

  private func take(option word: String, _ reading: inout Reading) throws(UsageFault) {
    let command = reading.invocation.command
    let parts = word.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
    let flag = parts.first.map(String.init) ?? ""
    if let reason = command.refusals[flag] {
      throw UsageFault("\(flag) is no option, as \(reason).")
    }
    guard let option = command.options.first(where: { $0.flag == flag }) else {
      throw fault(
        "\(spelled(command.path)) knows no \(flag)", flag, command.options.map(\.flag),
        command.path)
    }
    if option.value == nil {
      guard parts.count == 1 else { throw UsageFault("\(flag) is a switch and takes no value.") }
      reading.invocation.add(option, "")
    } else if parts.count == 2 {
      try add(String(parts[1]), option, &reading.invocation)
    } else {
      reading.waiting = option
    }
  }

  private func add(
    _ value: String, _ option: OptionSyntax, _ invocation: inout Invocation
  ) throws(UsageFault) {
    guard option.isRepeated || invocation.isMissing(option) else {
      throw UsageFault("\(option.flag) is there twice.")
    }
    try check(value, option.kind, option.flag, invocation.command)
    invocation.add(option, value)
  }

  private func check(
    _ value: String, _ kind: ValueKind, _ name: String, _ command: CommandSyntax
  ) throws(UsageFault) {
    switch kind {
    case .words(let words) where !words.contains(value):
      throw fault(
        "\(name) is \(words.joined(separator: ", ")), not \"\(value)\"", value, words,
        command.path)
    case .number(let range) where Int(value).map(range.contains) != true:
      throw UsageFault(
        "\(name) is a number from \(range.lowerBound) to \(range.upperBound), not \"\(value)\".")
    default: return
    }
  }

  /// The variables, and what is still missing then.
  private func complete(
    _ invocation: inout Invocation, _ environment: [String: String]
  ) throws(UsageFault) {
    for option in invocation.command.options where invocation.isMissing(option) {
      if let variable = option.variable, let value = environment[variable], !value.isEmpty {
        try check(value, option.kind, variable, invocation.command)
        invocation.add(option, value, isGiven: false)
      } else if option.isRequired {
        let variable = option.variable.map { " or \($0)" } ?? ""
        throw UsageFault(
          "\(spelled(invocation.command.path)) needs \(option.usage)\(variable): "
            + "\(option.meaning).")
      }
    }
  }
}

/// A line of a command, as far as it is read.
struct Reading {
  var invocation: Invocation
  /// What the next words may be that are no options.
  var places: ArraySlice<ArgumentSyntax>
  /// The option whose value is the next word.
  var waiting: OptionSyntax?
  /// Whether `--` was there: what follows it is no option.
  var isOver = false

  init(_ command: CommandSyntax) {
    invocation = Invocation(command)
    places = command.arguments[...]
  }
}
