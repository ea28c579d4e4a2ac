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
  /// The `.apn` file of each distinct payload, for `xcrun simctl push`.
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
  /// - Parameter batch: How many ids it draws at a time.
  func writer(for app: AppRecord, _ shared: Shared, batch: Int = 256) -> any DeliveryWriter {
    switch self {
    case .requests(let form):
      RequestWriter(form, ids: RandomIDs(shared.randomBytes, batch: batch))
    case .groups(let form): GroupWriter { GroupTemplate.group($0, $1, form) }
    case .gorush: GroupWriter(GroupTemplate.gorush)
    case .simulator: SimulatorWriter(bundleID: app.bundleID.text)
    }
  }
}

/// A device that gets something.
struct Delivery {
  var installationID: UUID
  var token: [UInt8]
  var environment: Environment

  /// That of a row with a token.
  init?(_ row: AudienceRow) {
    guard let token = row.token else { return nil }
    installationID = row.installationID
    self.token = token.bytes
    environment = row.environment
  }
}

/// Turns deliveries into lines, each a JSON value.
protocol DeliveryWriter {
  /// Takes a delivery of a content, known by its number in the job.
  mutating func add(
    _ delivery: Delivery, _ number: Int, _ content: RenderedContent, to lines: inout LineBuffer)
  /// Writes what is left.
  mutating func finish(to lines: inout LineBuffer)
}

/// A line for each device.
struct RequestWriter: DeliveryWriter {
  private let form: PayloadForm
  private var templates: [RequestTemplate?] = []
  private var requests: RequestLines

  init(_ form: PayloadForm, ids: RandomIDs) {
    self.form = form
    requests = RequestLines(ids: ids)
  }

  mutating func add(
    _ delivery: Delivery, _ number: Int, _ content: RenderedContent, to lines: inout LineBuffer
  ) {
    while templates.count <= number { templates.append(nil) }
    let template = templates[number] ?? RequestTemplate(content, form)
    templates[number] = template
    requests.add(delivery, index: nil, template, to: &lines)
  }

  mutating func finish(to lines: inout LineBuffer) { templates = [] }
}

/// Fills templates: each line a request with an id of its own.
struct RequestLines: Sendable {
  /// Where the ids come from.
  var ids: RandomIDs
  // Kept for their memory.
  private var installation: [UInt8] = []
  private var token: [UInt8] = []
  private var id: [UInt8] = []

  init(ids: RandomIDs) { self.ids = ids }

  /// Adds the line of a device.
  /// - Parameter index: The place of its recipient, if there are any.
  mutating func add(
    _ delivery: Delivery, index: Int?, _ template: RequestTemplate, to lines: inout LineBuffer
  ) {
    installation.removeAll(keepingCapacity: true)
    delivery.installationID.append(to: &installation)
    token.removeAll(keepingCapacity: true)
    Hex.append(delivery.token, to: &token)
    id.removeAll(keepingCapacity: true)
    ids.next().append(to: &id)
    lines.add { bytes in
      template.append(
        index: index, installationID: installation, token: token,
        environment: delivery.environment, id: id, to: &bytes)
    }
  }
}

/// A line for each distinct payload and every ``Limits/groupTokens`` of its tokens. What is not yet
/// full waits, within a bound.
struct GroupWriter: DeliveryWriter {
  private struct Group {
    let template: GroupTemplate
    /// Their hexadecimal JSON strings with commas between.
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
  /// Contents that differ in nothing that is sent are one group.
  private var indexesByTemplate: [GroupTemplate: Int] = [:]
  /// Bytes of all tokens that wait.
  private var waitingBytes = 0
  private let template: @Sendable (RenderedContent, Environment) -> GroupTemplate

  init(_ template: @escaping @Sendable (RenderedContent, Environment) -> GroupTemplate) {
    self.template = template
  }

  mutating func add(
    _ delivery: Delivery, _ number: Int, _ content: RenderedContent, to lines: inout LineBuffer
  ) {
    let key = Key(number: number, environment: delivery.environment)
    let index = indexes[key] ?? makeIndex(of: key, content)
    let bytesBefore = groups[index].tokens.count
    if groups[index].count > 0 { groups[index].tokens.append(UInt8(ascii: ",")) }
    groups[index].tokens.append(UInt8(ascii: "\""))
    Hex.append(delivery.token, to: &groups[index].tokens)
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
    _ delivery: Delivery, _ number: Int, _ content: RenderedContent, to lines: inout LineBuffer
  ) {
    guard written.insert(content.payload).inserted else { return }
    lines.add { $0 += content.simulatorFile(bundleID: bundleID) }
  }

  mutating func finish(to lines: inout LineBuffer) { written = [] }
}

/// Lines that wait to be written, with what goes between them.
struct LineBuffer {
  private(set) var bytes: [UInt8] = []
  /// `\n` behind each line, or a comma before each but the first.
  let isArray: Bool
  private var isFirst = true

  init(isArray: Bool) { self.isArray = isArray }

  mutating func add(_ write: (inout [UInt8]) -> Void) {
    if isArray, !isFirst { bytes.append(UInt8(ascii: ",")) }
    isFirst = false
    write(&bytes)
    if !isArray { bytes.append(UInt8(ascii: "\n")) }
  }

  /// Adds a line if `write` says that it wrote one.
  mutating func addIfAny(_ write: (inout [UInt8]) -> Bool) {
    let count = bytes.count
    if isArray, !isFirst { bytes.append(UInt8(ascii: ",")) }
    guard write(&bytes) else {
      bytes.removeLast(bytes.count - count)
      return
    }
    isFirst = false
    if !isArray { bytes.append(UInt8(ascii: "\n")) }
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
