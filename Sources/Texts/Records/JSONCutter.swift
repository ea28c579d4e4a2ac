internal import JSON

/// Cuts records out of JSON of any size: one on each line, or the elements of one array, which may
/// be the body or a member of an object (`{"results": […]}`).
///
///     {"a":1}⏎{"b":2}           two records
///     [{"a":1}, {"b":2}]        two records
///     {"results":[{"a":1}]}     one record, when results is the envelope's name
///
/// Several of them may stand behind each other, as pages of an answer do in one file.
///
/// It follows quotation marks and brackets and leaves the rest to the JSON reader, so a fault
/// within a record costs that record alone. Lines are independent of each other; in an array,
/// brackets that do not match end the reading, as nobody can tell where the next record begins.
package struct JSONCutter: RecordCutting {
  private enum Mode {
    /// Before the first byte that counts: → `object`, `elements` or `lines`.
    case start
    /// Within the first object: → `lines` at its end, `elements` when it is an envelope.
    case object
    /// Among the elements of an array this deep: → `start` at its end, `rest` when it is in an
    /// envelope, `over` after a fault.
    case elements(depth: Int)
    /// Behind the records of an envelope: → `start` at its end, `over` after a fault.
    case rest
    /// Behind a fault: nothing more is read.
    case over
    /// A record on each line.
    case lines
  }

  private let envelope: [UInt8]
  private var mode = Mode.start
  private var input: [UInt8] = []
  private var position = 0
  private var line = 1

  private var record: [UInt8] = []
  private var recordLine = 1
  private var hasRecord = false
  private var isTooLarge = false

  /// The open brackets, outermost first.
  private var brackets: [UInt8] = []
  private var isInString = false
  private var isEscaped = false
  /// The last byte that is neither blank nor within a string.
  private var last: UInt8 = 0
  /// The last string right within the first object: perhaps a member's name.
  private var name: [UInt8] = []

  /// - Parameter envelope: The name of the member that holds the records of an object.
  package init(envelope: String?) { self.envelope = Array((envelope ?? "").utf8) }

  package mutating func append(_ bytes: [UInt8]) {
    input = bytes
    position = 0
  }

  package mutating func next() -> RecordPiece? {
    while position < input.count {
      switch mode {
      case .start: start()
      case .lines: if let piece = nextLine() { return piece }
      case .object, .elements, .rest: if let piece = step() { return piece }
      case .over: position = input.count
      }
    }
    return nil
  }

  package mutating func finish() -> RecordPiece? {
    switch mode {
    case .start, .over: return nil
    case .lines: return hasRecord ? emit() : nil
    case .object, .elements, .rest:
      mode = .over
      return unreadable("The body ends within its JSON.")
    }
  }

  // MARK: Lines

  private mutating func start() {
    let byte = input[position]
    if byte == UInt8(ascii: "\n") { line += 1 }
    if isBlank(byte) || [0xEF, 0xBB, 0xBF].contains(byte) {
      position += 1
    } else if byte == UInt8(ascii: "[") {
      brackets = [byte]
      last = byte
      position += 1
      mode = .elements(depth: 1)
    } else {
      recordLine = line
      mode = byte == UInt8(ascii: "{") ? .object : .lines
    }
  }

  private mutating func nextLine() -> RecordPiece? {
    let end = input[position...].firstIndex(of: UInt8(ascii: "\n"))
    let content = input[position..<(end ?? input.count)]
    if !hasRecord { recordLine = line }
    if hasRecord || !content.allSatisfy(isBlank) { add(content) }
    position = end.map { $0 + 1 } ?? input.count
    guard end != nil else { return nil }
    line += 1
    return hasRecord ? emit() : nil
  }

  // MARK: Structure

  /// Takes one byte of an object or array.
  private mutating func step() -> RecordPiece? {
    let byte = input[position]
    position += 1
    if byte == UInt8(ascii: "\n") { line += 1 }
    if isInString { return stepInString(byte) }
    if isBlank(byte) {
      if hasRecord { add(CollectionOfOne(byte)) }
      return nil
    }
    defer { last = byte }
    if case .elements(let depth) = mode, brackets.count == depth {
      if byte == UInt8(ascii: ",") { return hasRecord ? emit() : nil }
      if byte == UInt8(ascii: "]") {
        brackets.removeLast()
        mode = brackets.isEmpty ? .start : .rest
        return hasRecord ? emit() : nil
      }
      if !hasRecord { recordLine = line }
    }
    add(CollectionOfOne(byte))
    switch byte {
    case UInt8(ascii: "\""):
      isInString = true
      if brackets.count == 1 { name = [] }
    case UInt8(ascii: "{"), UInt8(ascii: "["): return open(byte)
    case UInt8(ascii: "}"), UInt8(ascii: "]"): return close(byte)
    default: break
    }
    return nil
  }

  private mutating func stepInString(_ byte: UInt8) -> RecordPiece? {
    add(CollectionOfOne(byte))
    if byte == UInt8(ascii: "\n") { return lost() }
    if isEscaped {
      isEscaped = false
    } else if byte == UInt8(ascii: "\\") {
      isEscaped = true
    } else if byte == UInt8(ascii: "\"") {
      isInString = false
    } else if brackets.count == 1, name.count <= envelope.count {
      name.append(byte)
    }
    return nil
  }

  private mutating func open(_ byte: UInt8) -> RecordPiece? {
    let isExpected = brackets.isEmpty || [0x5B, 0x2C, 0x3A].contains(last)
    guard isExpected, brackets.count <= JSONValue.maximumDepth else { return lost() }
    brackets.append(byte)
    if case .object = mode, brackets.count == 2, byte == UInt8(ascii: "["),
      last == UInt8(ascii: ":"), !envelope.isEmpty, name == envelope
    {
      mode = .elements(depth: 2)
      drop()
    }
    return nil
  }

  private mutating func close(_ byte: UInt8) -> RecordPiece? {
    // "{" and "}", "[" and "]" are two apart.
    guard let opening = brackets.last, opening + 2 == byte else { return lost() }
    brackets.removeLast()
    guard brackets.isEmpty else { return nil }
    if case .rest = mode {
      mode = .start
      return nil
    }
    mode = .lines
    return emit()
  }

  /// The brackets do not match. Within the first object of a body of lines the next line may be
  /// sound; an array is lost from here on.
  private mutating func lost() -> RecordPiece? {
    guard case .object = mode else {
      mode = .over
      return unreadable("Brackets or quotation marks do not match from here on.")
    }
    mode = .lines
    isInString = false
    isEscaped = false
    // Without a line feed the rest of this line belongs to the record that is lost.
    guard let newline = record.lastIndex(of: UInt8(ascii: "\n")) else { return nil }
    let rest = Array(record[(newline + 1)...])
    record.removeLast(rest.count + 1)
    let piece = emit()
    recordLine = line
    if !rest.allSatisfy(isBlank) { add(rest) }
    return piece
  }

  private mutating func unreadable(_ detail: String) -> RecordPiece {
    let line = hasRecord ? recordLine : line
    drop()
    return RecordPiece(line: line, content: .fault(InputFailure(.unreadableRest, detail)))
  }

  // MARK: Record

  private mutating func add(_ bytes: some Collection<UInt8>) {
    if case .rest = mode { return }
    hasRecord = true
    guard !isTooLarge else { return }
    if record.count + bytes.count > RecordLimits.recordBytes {
      isTooLarge = true
      record = []
    } else {
      record += bytes
    }
  }

  private mutating func drop() {
    record = []
    hasRecord = false
    isTooLarge = false
  }

  private mutating func emit() -> RecordPiece {
    defer { drop() }
    return isTooLarge
      ? .tooLarge(line: recordLine) : RecordPiece(line: recordLine, content: .json(record))
  }

  private func isBlank(_ byte: UInt8) -> Bool {
    byte == 0x20 || byte == 0x0A || byte == 0x0D || byte == 0x09
  }
}
