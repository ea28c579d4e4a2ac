/// A value of a YAML document (YAML 1.2, as far as ``YAMLReader`` reads it). Members keep the order
/// in which they are written, in which a person should read them, too.
public indirect enum YAMLValue: Sendable, Hashable {
  /// `null`, or nothing behind a key.
  case null
  /// `true` or `false`.
  case bool(Bool)
  /// A number, as it is written.
  case number(String)
  /// A text.
  case string(String)
  /// A list.
  case list([YAMLValue])
  /// Names with values; a name is there once.
  case map([Member])

  /// A name with its value.
  public struct Member: Sendable, Hashable {
    /// The name.
    public let name: String
    /// The value.
    public let value: YAMLValue
  }
}

extension YAMLValue {
  /// The value of a member; `nil` when there is none, or this is no map.
  subscript(_ name: String) -> YAMLValue? { members.first { $0.name == name }?.value }

  /// The members of a map; none of anything else.
  var members: [Member] { if case .map(let members) = self { members } else { [] } }

  /// The elements of a list; none of anything else.
  var elements: [YAMLValue] { if case .list(let elements) = self { elements } else { [] } }

  /// A text, or a number as it is written.
  var text: String? {
    switch self {
    case .string(let text), .number(let text): text
    case .null, .bool, .list, .map: nil
    }
  }
}

/// A place where a document is not what ``YAMLReader`` reads.
public struct YAMLFault: Error, Sendable, Hashable {
  /// The line, from 1.
  public let line: Int
  /// What is expected there.
  public let expected: String
}
