public import Localization

/// The type of a message's parameter.
public enum ParameterType: String, Sendable, Hashable, CaseIterable {
  /// Text, put in as it is.
  case string
  /// A whole number; the server writes it as the device's locale does.
  case integer
}

/// A value that a message is given each time it is sent.
public struct Parameter: Sendable, Hashable {
  /// Its type.
  public var type: ParameterType
  /// What stands in when no argument is given; nil makes the argument required.
  public var defaultValue: ArgumentValue?

  /// A parameter.
  public init(type: ParameterType, defaultValue: ArgumentValue? = nil) {
    self.type = type
    self.defaultValue = defaultValue
  }
}
