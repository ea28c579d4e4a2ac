internal import Crypto
internal import DeviceProfile
internal import FoundationEssentials
internal import JSON
internal import Postgres
internal import Registry
internal import Rendering

/// The forms in which rendered requests are answered.
enum RenderShape: Sendable, Hashable {
  /// One finished request per device.
  case requests(PayloadForm)
  /// Each distinct payload with the tokens that get it.
  case groups(PayloadForm)
  /// Bodies of gorush's `/api/push`, each a payload with the tokens that get it.
  case gorush
  /// The `.apns` file of each distinct payload, for `xcrun simctl push`.
  case simulator

  /// The names of the shapes in JSON.
  fileprivate enum Name: String, CaseIterable {
    case requests, groups, gorush, simulator
  }
}

extension FieldReader {
  /// The fields `shape` and `payload_form`.
  func renderShape() -> RenderShape {
    let name = word("shape", of: RenderShape.Name.self).value ?? .requests
    let form: PayloadForm = word("payload_form").value ?? .json
    switch name {
    case .requests: return .requests(form)
    case .groups: return .groups(form)
    case .gorush, .simulator:
      if form != .json {
        refuse(
          .unknownValue, at: "payload_form",
          "The shape `\(name.rawValue)` has a file of its own form; only `json` goes with it.")
      }
      return name == .gorush ? .gorush : .simulator
    }
  }
}

extension RenderShape {
  /// How its lines carry payloads.
  var payloadForm: PayloadForm {
    switch self {
    case .requests(let form), .groups(let form): form
    case .gorush, .simulator: .json
    }
  }

  /// What writes it.
  func writer(for app: AppRecord) -> any DeliveryWriter {
    switch self {
    case .requests(let form): RequestWriter(form)
    case .groups(let form): GroupWriter { GroupTemplate.group($0, $1, form) }
    case .gorush: GroupWriter(GroupTemplate.gorush)
    case .simulator: SimulatorWriter(bundleID: app.bundleID.text)
    }
  }
}

/// Turns deliveries into lines, each a JSON value.
protocol DeliveryWriter {
  /// Takes one recipient and what it gets. The number stands for the content.
  mutating func add(
    _ recipient: RequestForm.Recipient, _ number: Int, _ content: RenderedContent,
    to lines: inout LineBuffer)
  /// Writes what still waits.
  mutating func finish(to lines: inout LineBuffer)
}

/// A line for each device.
struct RequestWriter: DeliveryWriter {
  private let payloadForm: PayloadForm
  private var forms: [RequestForm?] = []

  init(_ payloadForm: PayloadForm) { self.payloadForm = payloadForm }

  mutating func add(
    _ recipient: RequestForm.Recipient, _ number: Int, _ content: RenderedContent,
    to lines: inout LineBuffer
  ) {
    while forms.count <= number { forms.append(nil) }
    let form = forms[number] ?? RequestForm(content, payloadForm)
    forms[number] = form
    lines.addIfAny { form.append(for: recipient, to: &$0) }
  }

  mutating func finish(to lines: inout LineBuffer) { forms = [] }
}

/// Gives each request an id.
struct RequestIDs: Sendable {
  private var ids: RandomIDs

  init(_ ids: RandomIDs) { self.ids = ids }

  /// A device that gets something, with an id for its request; `nil` without a token.
  /// - Parameter index: The place of its recipient, if there are any.
  mutating func recipient(_ row: AudienceRow, _ index: Int? = nil) -> RequestForm.Recipient? {
    row.token.map { token in
      RequestForm.Recipient(
        index: index, installation: row.installationID, token: token.bytes,
        environment: row.environment, id: ids.next())
    }
  }
}

/// One line for each distinct payload, with up to ``Limits/groupTokens`` of its tokens; then the
/// next. Groups that are not full wait, up to a bound.
struct GroupWriter: DeliveryWriter {
  private struct Group {
    let template: GroupTemplate
    /// The tokens as JSON strings of hex, with commas between them.
    var tokens: [UInt8] = []
    var count = 0
  }

  /// A content in an environment.
  private struct Key: Hashable {
    let number: Int
    let environment: Environment
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
    _ recipient: RequestForm.Recipient, _ number: Int, _ content: RenderedContent,
    to lines: inout LineBuffer
  ) {
    let key = Key(number: number, environment: recipient.environment)
    let index = indexes[key] ?? makeIndex(of: key, content)
    let bytesBefore = groups[index].tokens.count
    if groups[index].count > 0 { groups[index].tokens.append(UInt8(ascii: ",")) }
    groups[index].tokens.append(UInt8(ascii: "\""))
    Hex.append(recipient.token, to: &groups[index].tokens)
    groups[index].tokens.append(UInt8(ascii: "\""))
    groups[index].count += 1
    waitingBytes += groups[index].tokens.count - bytesBefore
    if groups[index].count == Limits.groupTokens { write(index, to: &lines) }
    if waitingBytes >= Limits.waitingTokenBytes,
      let fullest = groups.indices.max(by: { groups[$0].tokens.count < groups[$1].tokens.count })
    {
      write(fullest, to: &lines)
    }
  }

  mutating func finish(to lines: inout LineBuffer) {
    for index in groups.indices where groups[index].count > 0 { write(index, to: &lines) }
    self = GroupWriter(template)
  }

  private mutating func makeIndex(of key: Key, _ content: RenderedContent) -> Int {
    let template = template(content, key.environment)
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
    // Its memory too: one payload after the other may have been the fullest.
    groups[index].tokens = []
  }
}

/// A line for each distinct payload.
struct SimulatorWriter: DeliveryWriter {
  let bundleID: String
  private var written: Set<[UInt8]> = []

  init(bundleID: String) { self.bundleID = bundleID }

  mutating func add(
    _ recipient: RequestForm.Recipient, _ number: Int, _ content: RenderedContent,
    to lines: inout LineBuffer
  ) {
    guard written.insert(content.payload).inserted else { return }
    lines.add { $0 += content.simulatorFile(bundleID: bundleID) }
  }

  mutating func finish(to lines: inout LineBuffer) { written = [] }
}

/// Lines that wait to be written, with what goes between them.
struct LineBuffer {
  private(set) var bytes: [UInt8] = []
  /// `\n` after each line, or a comma before each but the first.
  let isArray: Bool
  private var isFirst = true

  init(isArray: Bool) { self.isArray = isArray }

  mutating func add(_ write: (inout [UInt8]) -> Void) {
    if isArray, !isFirst { bytes.append(UInt8(ascii: ",")) }
    isFirst = false
    write(&bytes)
    if !isArray { bytes.append(UInt8(ascii: "\n")) }
  }

  /// Adds a line if `write` says that it wrote one, and tells so.
  @discardableResult
  mutating func addIfAny(_ write: (inout [UInt8]) -> Bool) -> Bool {
    let count = bytes.count
    if isArray, !isFirst { bytes.append(UInt8(ascii: ",")) }
    guard write(&bytes) else {
      bytes.removeLast(bytes.count - count)
      return false
    }
    isFirst = false
    if !isArray { bytes.append(UInt8(ascii: "\n")) }
    return true
  }

  /// Takes what waits.
  mutating func take() -> [UInt8] {
    defer { bytes.removeAll(keepingCapacity: true) }
    return bytes
  }
}

/// Version 4 UUIDs, whose random bytes are drawn many at a time.
struct RandomIDs {
  private let randomBytes: @Sendable (Int) -> [UInt8]
  private let batch: Int
  private var drawn: ArraySlice<UInt8> = []

  /// - Parameter batch: For how many the bytes are drawn at a time.
  init(_ randomBytes: @escaping @Sendable (Int) -> [UInt8], batch: Int) {
    self.randomBytes = randomBytes
    self.batch = batch
  }

  /// The next.
  mutating func next() -> UUID {
    if drawn.isEmpty { drawn = randomBytes(16 * batch)[...] }
    defer { drawn = drawn.dropFirst(16) }
    return UUID(randomBytes: Array(drawn.prefix(16)))
  }
}
