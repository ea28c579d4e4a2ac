/// A JSON value with its place in the text, and all members of an object as they come.
///
/// For files that people edit: a fault has a line there, and a repeated member is a fault.
public struct JSONNode: Sendable, Hashable {
  public enum Content: Sendable, Hashable {
    /// Neither an array nor an object.
    case scalar(JSONValue)
    case array([JSONNode])
    /// An object; of members with one name the last counts.
    case object([Member])
  }

  public struct Member: Sendable, Hashable {
    public var name: String
    /// The offset of the name's quotation mark in the text, in bytes.
    public var offset: Int
    public var value: JSONNode
  }

  /// The offset of the first byte in the text.
  public var offset: Int
  public var content: Content

  /// Reads one JSON text in UTF-8, as strictly as ``JSONValue/init(parsing:)`` does.
  ///
  /// - Parameter maximumCount: how many values there may be: each takes up to 100 bytes, so that a
  ///   text of `[[1],[1],…` takes 25 times its size.
  public init(parsing text: [UInt8], maximumCount: Int) throws(JSONFault) {
    self = try JSONParser.parse(text, maximumCount: maximumCount)
  }
}

extension JSONNode: JSONForm {
  init(_ value: JSONValue, at offset: Int) {
    self.offset = offset
    content = .scalar(value)
  }

  init(elements: [JSONNode], at offset: Int) {
    self.offset = offset
    content = .array(elements)
  }

  init(members: [Member], at offset: Int) {
    self.offset = offset
    content = .object(members)
  }

  static var noMembers: [Member] { [] }

  static func add(
    _ value: JSONNode, name: String, at offset: Int, to members: inout [Member]
  ) -> Bool {
    members.append(Member(name: name, offset: offset, value: value))
    return true
  }
}
