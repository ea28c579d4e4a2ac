internal import ASCII
internal import HTTP
internal import JSON
internal import Registry

/// Recipients that are read together.
enum RecipientPiece: Sendable {
  /// Recipients of a JSON body.
  case values(ArraySlice<JSONValue>)
  /// Whole lines.
  case lines([UInt8])

  /// Reads the recipients. Values that are no recipients stay in their places.
  /// - Parameter first: The index of the first recipient.
  func read(_ plan: RenderPlan, first: Int) -> ReadRecipients {
    var read = ReadRecipients(nextIndex: first)
    switch self {
    case .values(let values):
      for value in values {
        read.add(Result { () throws(InputFailure) in try plan.read(value) })
      }
    case .lines(let bytes):
      var start = 0
      while start < bytes.count {
        let feed = bytes.withUnsafeBufferPointer { firstLineFeed(in: $0, start..<bytes.count) }
        let line = bytes[start..<(feed ?? bytes.count)]
        start = line.endIndex + 1
        if line.allSatisfy({ $0 == 0x20 || $0 == 0x09 || $0 == 0x0D }) {
          read.addNone()
        } else {
          read.add(Result { () throws(InputFailure) in try plan.read(line: Array(line)) })
        }
      }
    }
    return read
  }
}

/// Recipients that were read together.
struct ReadRecipients: Sendable {
  /// A recipient, or the reason why the value is none.
  typealias Entry = (index: Int, recipient: Result<AddressedRecipient, InputFailure>)

  /// The index of the next recipient.
  private(set) var nextIndex: Int
  private(set) var entries: [Entry] = []

  init(nextIndex: Int) { self.nextIndex = nextIndex }

  mutating func add(_ recipient: Result<AddressedRecipient, InputFailure>) {
    entries.append((nextIndex, recipient))
    nextIndex += 1
  }

  /// Counts an empty line, which has an index and nothing else.
  mutating func addNone() { nextIndex += 1 }
}

/// The source of recipients, a piece at a time. It belongs to the loop of its request.
final class RecipientInput: @unchecked Sendable {
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

  /// Whether the recipients are known to be few.
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

  /// The next recipients, if a whole piece of them has arrived.
  func nextArrived() async throws -> RecipientPiece? {
    guard let body else { return try await next() }
    try gather(body)
    guard cutter.count >= Limits.recipientPieceBytes else { return nil }
    return cutter.take(atMost: Limits.recipientsPerPiece).map(RecipientPiece.lines)
  }

  /// Takes the bytes that have arrived.
  private func gather(_ body: any BodyReader) throws {
    while cutter.count < Limits.recipientPieceBytes, let bytes = try body.nextArrived() {
      cutter.append(bytes)
    }
  }

  /// Whole lines, of the bytes that have arrived or else of the next bytes.
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
