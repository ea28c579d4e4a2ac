internal import Content
internal import Crypto
internal import DeviceProfile
internal import FoundationEssentials
internal import JSON
internal import Postgres
internal import Registry
internal import Rendering

/// Turns deliveries into lines, each a JSON value.
protocol DeliveryWriter {
  /// Takes the destination of a request, and its content. The line's identity stands for its
  /// content.
  /// - Parameter index: The place of the recipient in a list.
  /// - Returns: Whether the words fit into the line; nothing was written otherwise.
  mutating func add(
    _ line: RenderedLine, _ words: RequestForm.Words, _ destination: Destination, _ index: Int?,
    to lines: inout LineBuffer
  ) -> Bool
  /// Writes the lines that still wait.
  mutating func finish(to lines: inout LineBuffer)
}

extension DeliveryWriter {
  mutating func finish(to lines: inout LineBuffer) {}
}

/// Writes a line for each device.
struct RequestWriter: DeliveryWriter {
  private var ids: RandomIDs

  init(_ ids: RandomIDs) { self.ids = ids }

  mutating func add(
    _ line: RenderedLine, _ words: RequestForm.Words, _ destination: Destination, _ index: Int?,
    to lines: inout LineBuffer
  ) -> Bool {
    guard case .device(let row) = destination, let token = row.token, let form = line.request
    else { return false }
    let recipient = RequestForm.Addressee(
      index: index, installation: row.installationID, token: token.bytes,
      environment: row.environment, id: ids.next())
    return lines.addIfAny { form.append(for: recipient, words, to: &$0) }
  }
}

/// Writes a line for each channel.
struct BroadcastWriter: DeliveryWriter {
  private let payloadForm: PayloadForm
  private var ids: RandomIDs

  init(_ payloadForm: PayloadForm, _ ids: RandomIDs) {
    self.payloadForm = payloadForm
    self.ids = ids
  }

  mutating func add(
    _ line: RenderedLine, _ words: RequestForm.Words, _ destination: Destination, _ index: Int?,
    to lines: inout LineBuffer
  ) -> Bool {
    guard case .channel(let record) = destination else { return false }
    var writer = JSONWriter()
    line.content.writeBroadcast(
      to: record.channel, named: record.name, id: ids.next(), payloadForm, to: &writer)
    lines.add { $0 += writer.bytes }
    return true
  }
}

/// Writes one line for each distinct payload, with up to ``Limits/groupTokens`` of its tokens;
/// further tokens go into the next line. Groups that are not full wait, up to a bound.
struct GroupWriter: DeliveryWriter {
  private struct Group {
    let template: GroupTemplate
    /// The tokens as JSON strings of hex, with commas between them.
    var tokens: [UInt8] = []
    var count = 0
  }

  /// A line in an environment.
  private struct Key: Hashable {
    let line: RenderedLine
    let environment: Environment

    static func == (left: Key, right: Key) -> Bool {
      left.line === right.line && left.environment == right.environment
    }

    func hash(into hasher: inout Hasher) {
      hasher.combine(ObjectIdentifier(line))
      hasher.combine(environment)
    }
  }

  private var groups: [Group] = []
  private var indexes: [Key: Int] = [:]
  /// Contents that send the same bytes are one group.
  private var indexesByTemplate: [GroupTemplate: Int] = [:]
  /// Bytes of all tokens that wait.
  private var waitingBytes = 0
  private let template: @Sendable (RenderedContent, Environment) -> GroupTemplate

  init(_ template: @escaping @Sendable (RenderedContent, Environment) -> GroupTemplate) {
    self.template = template
  }

  mutating func add(
    _ line: RenderedLine, _ words: RequestForm.Words, _ destination: Destination, _ index: Int?,
    to lines: inout LineBuffer
  ) -> Bool {
    guard case .device(let row) = destination, let token = row.token else { return false }
    let key = Key(line: line, environment: row.environment)
    let index = indexes[key] ?? makeIndex(of: key)
    let bytesBefore = groups[index].tokens.count
    if groups[index].count > 0 { groups[index].tokens.append(UInt8(ascii: ",")) }
    groups[index].tokens.append(UInt8(ascii: "\""))
    Hex.append(token.bytes, to: &groups[index].tokens)
    groups[index].tokens.append(UInt8(ascii: "\""))
    groups[index].count += 1
    waitingBytes += groups[index].tokens.count - bytesBefore
    if groups[index].count == Limits.groupTokens { write(index, to: &lines) }
    if waitingBytes >= Limits.waitingTokenBytes,
      let fullest = groups.indices.max(by: { groups[$0].tokens.count < groups[$1].tokens.count })
    {
      write(fullest, to: &lines)
    }
    return true
  }

  mutating func finish(to lines: inout LineBuffer) {
    for index in groups.indices where groups[index].count > 0 { write(index, to: &lines) }
    self = GroupWriter(template)
  }

  private mutating func makeIndex(of key: Key) -> Int {
    let template = template(key.line.content, key.environment)
    let index = indexesByTemplate[template] ?? groups.count
    indexes[key] = index
    if index == groups.count {
      indexesByTemplate[template] = index
      groups.append(Group(template: template))
    }
    return index
  }

  private mutating func write(_ index: Int, to lines: inout LineBuffer) {
    let group = groups[index]
    lines.add { group.template.append(tokens: group.tokens, to: &$0) }
    waitingBytes -= group.tokens.count
    groups[index].count = 0
    // This also frees the memory: one payload after the other may have been the fullest.
    groups[index].tokens = []
  }
}

/// Writes a line for each distinct payload of a target.
struct SimulatorWriter: DeliveryWriter {
  private var written: Set<[UInt8]> = []

  mutating func add(
    _ line: RenderedLine, _ words: RequestForm.Words, _ destination: Destination, _ index: Int?,
    to lines: inout LineBuffer
  ) -> Bool {
    let file = line.content.simulatorFile()
    if written.insert(file).inserted { lines.add { $0 += file } }
    return true
  }

  mutating func finish(to lines: inout LineBuffer) { written = [] }
}

/// Version 4 UUIDs, whose random bytes are drawn many at a time.
struct RandomIDs {
  private static let batch = 64
  private let randomBytes: @Sendable (Int) -> [UInt8]
  private var drawn: [UInt8] = []
  private var used = 0

  init(_ randomBytes: @escaping @Sendable (Int) -> [UInt8]) { self.randomBytes = randomBytes }

  mutating func next() -> UUID {
    if used == drawn.count { (drawn, used) = (randomBytes(16 * Self.batch), 0) }
    defer { used += 16 }
    return UUID(randomBytes: Array(drawn[used..<used + 16]))
  }
}
