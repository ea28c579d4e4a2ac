internal import ASCII
internal import HTTP
internal import JSON
internal import Registry

/// Recipients that are read together.
enum RecipientPiece: Sendable {
  /// Of a JSON body.
  case values(ArraySlice<JSONValue>)
  /// Whole lines.
  case lines([UInt8])

  /// Reads them, with those that are no recipients in their places.
  /// - Parameter first: The index of the first.
  func read(_ plan: RecipientPlan, first: Int) -> ReadRecipients {
    switch self {
    case .values(let values):
      var read = ReadRecipients(nextIndex: first)
      for value in values {
        read.add(.full(Result { () throws(InputFailure) in try plan.read(value) }))
      }
      return read
    case .lines(let bytes):
      var read = ReadRecipients(nextIndex: first, bytes: bytes)
      read.readLines(plan)
      return read
    }
  }
}

/// Recipients that were read together, with the bytes that they stood in.
struct ReadRecipients: Sendable {
  /// A recipient, or why it is none.
  enum Entry: Sendable {
    case quick(QuickLine)
    case full(Result<Recipient, InputFailure>)
  }

  /// The index of the next that is read.
  private(set) var nextIndex: Int
  let bytes: [UInt8]
  private(set) var entries: [(index: Int, entry: Entry)] = []
  /// Where the arguments of quick lines stand in the bytes.
  private(set) var arguments: [Range<Int>] = []

  init(nextIndex: Int, bytes: [UInt8] = []) {
    self.nextIndex = nextIndex
    self.bytes = bytes
  }

  mutating func add(_ entry: Entry) {
    entries.append((nextIndex, entry))
    nextIndex += 1
  }

  /// Reads the lines of the bytes; empty ones have an index and nothing else.
  mutating func readLines(_ plan: RecipientPlan) {
    // Between ASCII bytes of UTF-8 there is UTF-8.
    let quick = (try? UTF8Span(validating: bytes.span)) == nil ? nil : plan.quickReader
    var arguments: [Range<Int>] = []
    let all = bytes
    all.withUnsafeBufferPointer { bytes in
      var start = 0
      while start < bytes.count {
        let end = bytes[start...].firstIndex(of: UInt8(ascii: "\n")) ?? bytes.count
        defer { start = end + 1 }
        let line = start..<end
        if line.count <= Limits.recipientLineBytes,
          let quick = quick?.read(bytes, line, &arguments)
        {
          add(.quick(quick))
        } else if bytes[line].allSatisfy({ $0 == 0x20 || $0 == 0x09 || $0 == 0x0D }) {
          nextIndex += 1
        } else {
          add(
            .full(
              Result { () throws(InputFailure) in try plan.read(line: Array(bytes[line])[...]) }))
        }
      }
    }
    self.arguments = arguments
  }

  /// How a recipient is named; `nil` of one that is none.
  func address(_ entry: Entry) -> RecipientAddress? {
    switch entry {
    case .quick(let quick):
      switch quick.address {
      case .installation(let id): .installation(InstallationID(id))
      case .user(let range): .user(String(decoding: bytes[range], as: UTF8.self))
      }
    case .full(.success(let recipient)): recipient.address
    case .full(.failure): nil
    }
  }
}

/// Where recipients come from, a piece at a time. It belongs to the loop of its request.
final class RecipientSource: @unchecked Sendable {
  private var values: ArraySlice<JSONValue>
  private let body: (any BodyReader)?
  private var cutter = LineCutter(bound: Limits.recipientLineBytes)
  private var isAtEnd = false

  /// The recipients of a JSON body.
  init(_ values: [JSONValue]) {
    self.values = values[...]
    body = nil
  }

  /// The lines of a body.
  init(_ body: any BodyReader) {
    values = []
    self.body = body
  }

  /// Whether they are few, and known to be.
  var isFew: Bool { body == nil && values.count <= Limits.fewDevices }

  /// Whether the request's body is read while the answer is written.
  var readsRequest: Bool { body != nil }

  /// The first line, which is no recipient; `nil` when there is none.
  func firstLine() async throws -> [UInt8]? { try await lines(atMost: 1) }

  /// The next recipients; `nil` when there are no more.
  func next() async throws -> RecipientPiece? {
    if body != nil {
      return try await lines(atMost: Limits.recipientsPerPiece).map(RecipientPiece.lines)
    }
    guard !values.isEmpty else { return nil }
    defer { values = values.dropFirst(Limits.recipientsPerPiece) }
    return .values(values.prefix(Limits.recipientsPerPiece))
  }

  /// The next recipients if a whole piece of them is here.
  func nextArrived() async throws -> RecipientPiece? {
    guard let body else { return try await next() }
    try gather(body)
    guard cutter.count >= Limits.recipientPieceBytes else { return nil }
    return cutter.take(atMost: Limits.recipientsPerPiece).map(RecipientPiece.lines)
  }

  /// Takes what has arrived.
  private func gather(_ body: any BodyReader) throws {
    while cutter.count < Limits.recipientPieceBytes, let bytes = try body.nextArrived() {
      cutter.append(bytes)
    }
  }

  /// Whole lines: what has arrived, or else what comes next.
  private func lines(atMost maximum: Int) async throws -> [UInt8]? {
    guard let body else { return nil }
    while true {
      try gather(body)
      if let lines = cutter.take(atMost: maximum) { return lines }
      guard !isAtEnd, let bytes = try await body.next() else {
        isAtEnd = true
        return cutter.finish()
      }
      cutter.append(bytes)
    }
  }
}
