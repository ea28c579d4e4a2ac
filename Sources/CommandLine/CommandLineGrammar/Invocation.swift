/// A command with what was given to it; everything has been checked against its syntax.
public struct Invocation: Sendable, Hashable {
  /// The command.
  public let command: CommandSyntax
  private var arguments: [String: String] = [:]
  private var options: [String: [String]] = [:]
  /// The options that the command line itself has.
  private var given: Set<String> = []

  init(_ command: CommandSyntax) { self.command = command }

  /// An argument that may be left out.
  public func optionalArgument(_ name: String) -> String? {
    precondition(command.arguments.contains { $0.name == name }, "\(command.name) has \(name)")
    return arguments[name]
  }

  /// An argument that is there.
  public func argument(_ name: String) -> String {
    guard let value = optionalArgument(name) else { preconditionFailure("\(name) was checked") }
    return value
  }

  /// The values of an option, in the order given.
  public func values(_ name: String) -> [String] {
    precondition(command.options.contains { $0.name == name }, "\(command.name) has --\(name)")
    return options[name] ?? []
  }

  /// The value of an option; of several the last.
  public func value(_ name: String) -> String? { values(name).last }

  /// The value of an option whose kind is a number.
  public func number(_ name: String) -> Int? { value(name).flatMap { Int($0) } }

  /// Whether a switch is there.
  public func has(_ name: String) -> Bool { !values(name).isEmpty }

  /// Whether the command line itself has an option, rather than the environment.
  public func isGiven(_ name: String) -> Bool { given.contains(name) }

  /// An environment in which the options that were given have replaced their variables. A variable
  /// that is empty is left out, as in a compose file's `KEY=`.
  public func variables(over environment: [String: String]) -> [String: String] {
    var variables = environment.filter { !$0.value.isEmpty }
    for option in command.options where isGiven(option.name) {
      if let variable = option.variable { variables[variable] = value(option.name) }
    }
    return variables
  }

  mutating func set(_ argument: ArgumentSyntax, _ value: String) {
    arguments[argument.name] = value
  }

  mutating func add(_ option: OptionSyntax, _ value: String, isGiven: Bool = true) {
    if isGiven { given.insert(option.name) }
    options[option.name, default: []].append(value)
  }

  func isMissing(_ option: OptionSyntax) -> Bool { options[option.name] == nil }
}

/// Why a command line is none: one line, with what to do.
public struct UsageFault: Error, Sendable, Equatable, CustomStringConvertible {
  /// The line.
  public let description: String

  /// A fault.
  public init(_ description: String) { self.description = description }
}
