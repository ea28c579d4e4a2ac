extension JSONValue {
  /// Arrays and objects within each other at most; deeper is an attack on the stack.
  public static let maximumDepth = 512

  /// Reads one JSON text (RFC 8259) in UTF-8, strictly; `nil` when it is none.
  ///
  /// No trailing comma, no other encoding, no lone surrogate, no name twice in an object. A number
  /// keeps all its digits; one that is beyond a `double`, such as `1e400`, is refused. Where it
  /// goes wrong, ``JSONFault/problems(in:)`` says.
  ///
  /// Foundation's readers are not used: they take a typical registration 20 µs and this 4, and the
  /// difference was a fifth of all that the service spends on a request. They also take trailing
  /// commas and UTF-16, and round whole numbers.
  public init?(parsing text: [UInt8]) {
    // One look at the whole text: its parts between ASCII bytes are UTF-8 then too.
    guard (try? UTF8Span(validating: text.span)) != nil else { return nil }
    let value = text.withUnsafeBufferPointer { bytes in
      var parser = JSONParser<JSONValue>(bytes)
      return try? parser.document()
    }
    guard let value else { return nil }
    self = value
  }
}

extension JSONValue: JSONForm {
  init(_ value: JSONValue, at offset: Int) { self = value }
  init(elements: [JSONValue], at offset: Int) { self = .array(elements) }
  init(members: JSONObject, at offset: Int) { self = .object(members) }

  // With room for a few, as to grow from nothing is to move the first ones again and again.
  static var noMembers: JSONObject { JSONObject(minimumCapacity: 6) }

  static func add(
    _ value: JSONValue, name: String, at offset: Int, to members: inout JSONObject
  ) -> Bool {
    members.add(value, name: name)
  }
}
