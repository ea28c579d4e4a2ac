internal import ASCII

/// Why and where a text is not read.
public struct JSONFault: Error, Hashable {
  public enum Reason: Error, Hashable {
    /// It holds nothing but white space.
    case empty
    /// It begins with U+FEFF, which RFC 8259 (section 8.1) keeps out of JSON that travels.
    case byteOrderMark
    /// It is no UTF-8.
    case notUTF8
    /// Something else should stand here.
    case expected(Expectation)
    /// It nests deeper than ``JSONValue/maximumDepth``.
    case tooDeep
    /// It holds more values than asked for.
    case tooMany
    /// A name of an object that it has already.
    case duplicateMember
  }

  /// What should stand at a place.
  public enum Expectation: String, Sendable, CaseIterable {
    case value = "a value"
    case literal = "true, false or null"
    case name = "a member's name in quotation marks"
    case colon = "a colon after the member's name"
    case commaOrBrace = "a comma or }"
    case commaOrBracket = "a comma or ]"
    case end = "nothing more after the value"
    case digit = "a digit"
    case oneZero = "no digit after a leading 0"
    case finiteNumber = "a number that fits a 64-bit floating-point number"
    case quotationMark = "the quotation mark that ends the string"
    case escapedControl = "an escape such as \\n in the place of a control character"
    case escape = "one of \" \\ / b f n r t u after a backslash"
    case hexDigit = "four hexadecimal digits after \\u"
    case surrogate = "both halves of a surrogate pair, or neither"
  }

  /// The approximate place, in bytes.
  public var offset: Int
  public var reason: Reason

  /// One sentence for the author of the text.
  public func detail(in text: [UInt8]) -> String {
    switch reason {
    case .empty: "There is no JSON here, the text is empty."
    case .byteOrderMark: "JSON is sent without a byte order mark: leave the bytes EF BB BF out."
    case .notUTF8: "Send JSON in UTF-8: these bytes are not valid UTF-8."
    case .expected(let expectation):
      "Expected \(expectation.rawValue), not \(Self.quote(text[min(offset, text.count)...]))."
    case .tooDeep: "Arrays and objects are nested more than \(JSONValue.maximumDepth) levels deep."
    case .tooMany: "There are more values than are taken."
    case .duplicateMember: "The object has a member of this name already; send it once."
    }
  }

  /// The character that a text begins with, as a sentence shows it.
  private static func quote(_ text: ArraySlice<UInt8>) -> String {
    let scalars = String(decoding: text.prefix(4), as: UTF8.self).unicodeScalars
    guard let scalar = scalars.first else { return "the end of the text" }
    let isPlain = scalar.properties.generalCategory != .control && scalar != "`"
    let hex = String(scalar.value, radix: 16, uppercase: true)
    return isPlain && scalar != " "
      ? "`\(scalar)`" : "U+" + String(repeating: "0", count: max(0, 4 - hex.count)) + hex
  }

  /// The faults of a text that ``JSONValue/init(parsing:)`` does not read, at least one: the place
  /// where it stops being JSON, or else all members that repeat a name.
  public static func problems(in text: [UInt8]) -> [InputProblem] {
    do throws(JSONFault) {
      let found = try JSONParser<RepeatedMembers>.parse(text).places
      var position: TextPosition?
      return found.map { pointer, offset in
        let fault = JSONFault(offset: offset, reason: .duplicateMember)
        position = TextPosition(of: offset, in: text, behind: position)
        return fault.problem(.duplicateMember, at: pointer, in: text, position)
      }
    } catch {
      let position = TextPosition(of: error.offset, in: text)
      return [error.problem(.malformedJSON, at: "", in: text, position)]
    }
  }

  private func problem(
    _ code: InputFault, at pointer: String, in text: [UInt8], _ position: TextPosition?
  ) -> InputProblem {
    var problem = code.problem(at: pointer, detail(in: text))
    problem.position = position
    return problem
  }
}

/// The members that repeat a name of their object, up to ``InputLimits/problems``. The parser makes
/// this of a text in which only such members are looked for.
///
/// Names are compared behind their escapes, by their bytes: two spellings of é are two names.
private struct RepeatedMembers: JSONForm {
  /// Members, and steps to others: pointers are made of them at the end, once for each member.
  private enum Place {
    case member(name: String, offset: Int)
    case below(step: String, [Place])
  }

  struct Members {
    fileprivate var names: Set<Spelling> = []
    fileprivate var value = RepeatedMembers()
  }

  private var list: [Place] = []
  /// How many members the list has, with those below.
  private var count = 0

  private init() {}

  init(_ value: JSONValue, at offset: Int) {}

  init(elements: [Self], at offset: Int) {
    for (index, element) in elements.enumerated() where element.count > 0 {
      add(element, below: String(index))
    }
  }

  init(members: Members, at offset: Int) { self = members.value }

  static var noMembers: Members { Members() }

  static func add(_ value: Self, name: String, at offset: Int, to members: inout Members) -> Bool {
    let isNew = members.names.insert(Spelling(name)).inserted
    if !isNew, members.value.count < InputLimits.problems {
      members.value.list.append(.member(name: escapedPointer(name), offset: offset))
      members.value.count += 1
    }
    if value.count > 0 { members.value.add(value, below: escapedPointer(name)) }
    return true
  }

  private mutating func add(_ value: Self, below step: String) {
    guard count < InputLimits.problems else { return }
    list.append(.below(step: step, value.list))
    count += value.count
  }

  /// The places in order.
  var places: [(pointer: String, offset: Int)] {
    var found: [(pointer: String, offset: Int)] = []
    var path: [String] = []
    Self.find(list, below: &path, &found)
    return found
  }

  private static func find(
    _ list: [Place], below path: inout [String], _ found: inout [(pointer: String, offset: Int)]
  ) {
    for place in list where found.count < InputLimits.problems {
      switch place {
      case .member(let name, let offset): found.append((pointer(to: name, below: path), offset))
      case .below(let step, let list):
        path.append(step)
        find(list, below: &path, &found)
        path.removeLast()
      }
    }
  }

  /// The end of the path is told, which may have 512 long steps.
  private static func pointer(to name: String, below path: [String]) -> String {
    var steps = [name]
    var bytes = 1 + name.utf8.count
    for step in path.reversed() where bytes <= InputLimits.pointerBytes {
      steps.append(step)
      bytes += 1 + step.utf8.count
    }
    return "/" + steps.reversed().joined(separator: "/")
  }
}
