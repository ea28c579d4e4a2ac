import ASCII
import DeviceProfile
import JSON
import Localization
import Rendering
import TestSupport
import Testing

@Suite struct TruncationTests {
  private static func text(_ count: Int, _ letter: String = "x") -> String {
    String(repeating: letter, count: count)
  }

  @Test(arguments: [
    (10, 10, 4096, ["body"]), (10, 4096, 4096, ["body", "subtitle"]),
    (4096, 4096, 4096, ["body", "subtitle", "title"]), (4096, 3, 3, ["title"]),
    (10, 4096, 1, ["subtitle"]), (10, 10, 10, []),
  ])
  func theBodyIsCutFirstThenTheSubtitleThenTheTitle(
    title: Int, subtitle: Int, body: Int, cut: [String]
  ) throws {
    let content = try Scene(
      """
      {"alert": {"title": "{t}", "subtitle": "{s}", "body": "{b}"}, "parameters": {
         "t": {"type": "string", "default": "\(Self.text(title))"},
         "s": {"type": "string", "default": "\(Self.text(subtitle))"},
         "b": {"type": "string", "default": "\(Self.text(body))"}}}
      """
    ).render()
    #expect(content.problems.map { $0.part?.rawValue } == cut)
    #expect(content.codes == cut.map { _ in "text_truncated" })
    #expect(content.refusal == nil)
    #expect(cut.isEmpty || content.payload.count == 4096)
    for part in cut.dropLast() {
      #expect(content.payloadText.contains(#""\#(part)":"…""#))
    }
  }

  /// A key whose text has 10 bytes beside its argument.
  private static func keyed(_ more: String = "") -> String {
    """
    {"alert": {"body": {"key": "FOOD_PICKUP_TIME", "args": ["s"]}},
     "parameters": {"s": {"type": "string"}} \(more)}
    """
  }

  @Test(arguments: [
    (1900, "", Mode.client, ModeReason.clientPossible, []),
    (2100, "", .client, .clientPossible, ["text_truncated"]),
    (4010, "", .client, .clientPossible, ["text_truncated"]),
    (4050, "", .server, .argumentsTooLong, []),
    (4096, "", .server, .argumentsTooLong, ["text_truncated"]),
    (2100, #", "truncation": "reject""#, .server, .argumentsTooLong, []),
    (4096, #", "truncation": "reject""#, .server, .argumentsTooLong, ["payload_too_large"]),
    (2100, #", "literal_fallback": false"#, .client, .clientPossible, []),
    (4050, #", "literal_fallback": false"#, .server, .argumentsTooLong, []),
  ])
  func aPayloadWithKeysLosesTheTextInCaseAndThenBecomesAText(
    count: Int, more: String, mode: Mode, reason: ModeReason, codes: [String]
  ) throws {
    var scene = Scene(Self.keyed(more))
    scene.arguments = #"{"s": "\#(Self.text(count))"}"#
    scene.options.explain = true
    let content = try scene.render()
    #expect(content.mode == mode)
    #expect(content.explanation?.mode == reason)
    #expect(content.explanation?.tests.last?.test == .argumentsTooLong)
    #expect(content.codes == codes)
    #expect((content.refusal != nil) == codes.contains("payload_too_large"))
    #expect((content.payload.count <= 4096) == (content.refusal == nil))
  }

  @Test func whyKeysThatWereDemandedDoNotFitIsTold() throws {
    var scene = Scene(Self.keyed())
    scene.arguments = #"{"s": "\#(Self.text(4090))"}"#
    scene.options.localization = .client
    #expect(try scene.render().codes == ["text_truncated", "arguments_too_long"])
  }

  @Test func bareKeysThatDoNotFitAreNotSentWhenNobodyHasATextInstead() throws {
    var scene = Scene(Self.keyed(#", "literal_fallback": false, "localization": "client""#))
    scene.arguments = #"{"s": "\#(Self.text(4090))"}"#
    scene.tables = nil
    let content = try scene.render()
    #expect(content.mode == .client)
    #expect(content.refusal?.cause == .payloadTooLarge)
    scene.serverTables = Scene.shopTables
    #expect(try scene.render().mode == .server)
    // A title alone is not what was to be said.
    scene.message = scene.message.replacing(
      #""alert": {"#, with: #""alert": {"subtitle": {"key": "NOWHERE"}, "#)
    #expect(try scene.render().refusal?.cause == .payloadTooLarge)
  }

  @Test(arguments: 0..<8)
  func theDevicesPercentSignsStayInPairs(shift: Int) throws {
    var scene = Scene(Self.keyed())
    scene.arguments = #"{"s": "\#(Self.text(shift))\#(Self.text(1900, "%"))"}"#
    let content = try scene.render()
    #expect(content.codes == ["text_truncated"])
    #expect((4095...4096).contains(content.payload.count))
    guard case .object(let payload)? = JSONValue(parsing: content.payload),
      case .object(let aps)? = payload["aps"], case .object(let alert)? = aps["alert"],
      case .string(let body)? = alert["body"]
    else {
      Issue.record("no body")
      return
    }
    let shown = LocArgsFormatter.format(body, arguments: ["x"])
    #expect(shown.hasPrefix("À prendre à \(Self.text(shift))%%"))
    #expect(shown.hasSuffix("%…"))
  }

  @Test(arguments: [
    #"{"alert": "xxxx", "data": {"d": "\#(text(4090))"}}"#,
    #"{"badge": 1, "data": {"d": "\#(text(4090))"}}"#,
    #"{"alert": "\#(text(4090))", "truncation": "reject"}"#,
  ])
  func whatCannotOrMustNotBeCutEnoughIsNotSent(message: String) throws {
    let content = try Scene(message).render()
    #expect(content.refusal?.cause == .payloadTooLarge)
    #expect(content.codes.contains("payload_too_large"))
  }

  @Test(arguments: [
    (LocalizationRequest.auto, false, 4096), (.local, false, 4096), (.auto, true, 5120),
  ])
  func eachModeHasItsBoundEverythingAroundTheTextCounted(
    localization: LocalizationRequest, isVoIP: Bool, maximum: Int
  ) throws {
    var scene = Scene(
      """
      {"alert": "{s}{s}", "parameters": {"s": {"type": "string"}}, "id": 1, "call": {"id": "1"},
       "data": {"type": "t", "quoted": "\\"é\\n"}}
      """)
    scene.app.messageTypeKey = "type"
    scene.arguments = #"{"s": "\#(Self.text(3000))"}"#
    scene.options = RenderOptions(localization: localization, isVoIP: isVoIP)
    scene.device.capabilities.insert(Device.localNotificationCapability)
    scene.device.localization = .server
    let content = try scene.render()
    #expect(content.codes == ["text_truncated"])
    #expect(content.payload.count == maximum)
    #expect(content.payloadText.contains(#""alert":"xxx"#) && content.payloadText.contains("x…\""))
  }

  @Test func noMoreOfAnArgumentIsFilledInThanCouldEverFit() throws {
    var count = 0
    let text = Template(Self.text(1365, "{a}")).filled { _ in
      count += 1
      return Self.text(4096)
    }
    #expect(count == 2 && text == Self.text(8192))
    let parameters = #""parameters": {"a": {"type": "string", "default": "\#(Self.text(4096))"}}"#
    let cut = try Scene(#"{"alert": "\#(Self.text(1365, "{a}"))", \#(parameters)}"#).render()
    #expect(cut.problems.map(\.detail) == ["8192 bytes cut to 4076"])
    #expect(cut.payload.count == 4096)
    let data = (0..<800).map { _ in #""{a}""# }.joined(separator: ",")
    let refused = try Scene(#"{"data": {"d": [\#(data)]}, \#(parameters)}"#).render()
    #expect(refused.refusal?.cause == .payloadTooLarge)
    #expect((8192..<12000).contains(refused.payload.count))
  }

  @Test func anArgumentIsLookedUpOnceHoweverOftenATextNamesIt() throws {
    let content = try Scene(
      """
      {"alert": "x\(Self.text(100, "{k}"))", "parameters": {
         "k": {"type": "string", "default": {"loc-key": "NOWHERE"}}}}
      """
    ).render()
    #expect(content.payloadText == #"{"aps":{"alert":"x"}}"#)
    #expect(content.codes == ["missing_key"])
  }

  /// How a payload of the fuzz comes to its text.
  private enum Way: CaseIterable {
    case server, string, client, local, voip
  }

  @Test func aPayloadIsCutToTheLastByteWhateverTheText() throws {
    var random = SplitMix64(seed: 2)
    for _ in 0..<300 {
      for way in Way.allCases { try check(way, &random) }
    }
  }

  private func check(_ way: Way, _ random: inout SplitMix64) throws {
    let text = RandomText.make(pieces: 1...60, &random)
    let budget = Int.random(in: 0...text.utf8.count + 40, using: &random)
    let maximum = way == .voip ? 5120 : 4096
    let alert =
      switch way {
      case .string: #""{s}""#
      case .client: #"{"body": {"key": "NUMBER", "args": ["n"]}}"#
      default: #"{"body": "{s}"}"#
      }
    var scene = Scene(
      """
      {"alert": \(alert), "data": {"d": "\(Self.text(maximum - budget - 80))"},
       "parameters": {"s": {"type": "string"}, "n": {"type": "string", "default": "x"}}}
      """)
    var tables = Scene.shopTables
    tables[1].entries["NUMBER"] = .text(LocArgsFormatter.escapedLiteral(text) + "%@")
    scene.tables = tables
    var writer = JSONWriter()
    writer.object { $0.member("s", text) }
    scene.arguments = writer.text
    scene.options = RenderOptions(
      localization: way == .local ? .local : .auto, isVoIP: way == .voip)
    let content = try scene.render()
    guard let body = body(content, way) else {
      Issue.record("no body in \(content.payloadText)")
      return
    }
    let whole = way == .client ? text + "x" : text
    let fit = TextFit(doublesPercent: way == .client)
    let available = fit.bytes(of: body) + maximum - content.payload.count
    #expect((content.refusal == nil) == (content.payload.count <= maximum))
    if content.refusal == nil {
      #expect(
        RandomText.isLongest(body, of: whole, within: available, fit),
        "\(whole.debugDescription) became \(body.debugDescription)")
    } else {
      #expect(body == TextFit.ellipsis || whole.utf8.count <= TextFit.ellipsisBytes)
    }
  }

  /// The body as a device shows it when it has not the key.
  private func body(_ content: RenderedContent, _ way: Way) -> String? {
    guard case .object(var payload)? = JSONValue(parsing: content.payload) else { return nil }
    if content.mode == .local {
      guard case .object(let inner)? = payload["payload"] else { return nil }
      payload = inner
    }
    guard case .object(let aps)? = payload["aps"] else { return nil }
    if case .string(let text)? = aps["alert"] { return text }
    guard case .object(let alert)? = aps["alert"], case .string(let text)? = alert["body"] else {
      return nil
    }
    return content.mode == .client ? LocArgsFormatter.format(text, arguments: ["x"]) : text
  }
}
