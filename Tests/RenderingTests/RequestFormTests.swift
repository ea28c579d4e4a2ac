import DeviceProfile
import FoundationEssentials
import Localization
import Testing

@testable import Rendering

@Suite struct RequestFormTests {
  private static let recipient = RequestForm.Addressee(
    index: 7, installation: UUID(), token: [0xAB, 0x01], environment: .sandbox, id: UUID())

  private func filled(_ form: RequestForm, _ words: [String]) -> String? {
    var own = RequestForm.Words.none
    for word in words {
      own.ranges.append(own.bytes.count..<own.bytes.count + word.utf8.count)
      own.bytes += word.utf8
    }
    var output: [UInt8] = []
    let isFilled = form.append(for: Self.recipient, own, to: &output)
    #expect(isFilled || output.isEmpty)
    return isFilled ? String(decoding: output, as: UTF8.self) : nil
  }

  /// The content of a message with gaps for `a`, `b` and the badge, if there is a third word, and
  /// what it says with words.
  private func contents(
    _ scene: Scene, _ words: [String]
  ) throws -> (open: RenderedContent, plain: RenderedContent) {
    let message = try Message(parsing: scene.message)
    let arguments = try Arguments(
      parsing: #"{"a": "\#(words[0])", "b": "\#(words[1])"}"#, for: message)
    let badge = words.count > 2 ? Int(words[2]) : nil
    func content(_ arguments: Arguments, _ badge: Badge?) -> RenderedContent {
      var message = message
      if let badge { message.badge = badge }
      let catalog = Catalog(developmentLanguage: "en", tables: Scene.shopTables)
      return Renderer(
        message: message, arguments: arguments, app: scene.app, options: scene.options,
        now: 1_700_000_000
      ).content(
        for: scene.device,
        catalogs: DeviceCatalogs(app: CatalogView(catalog, for: scene.device.languages)))
    }
    return (
      content(arguments.leavingGaps(for: ["a", "b"]), badge.map { _ in .gap(2) }),
      content(arguments, badge.map(Badge.number))
    )
  }

  /// So that the app makes a local notification.
  private static let wait = #""trigger": {"type": "time_interval", "seconds": 300}"#
  private static let parameters =
    #""parameters": {"a": {"type": "string"}, "b": {"type": "string"}}"#

  @Test(arguments: [
    #""alert": {"title": "{a}{b}", "body": {"key": "TWO", "args": ["a", "b"]}}"#,
    #""alert": "{a}", "collapse_id": "order-{b}", "thread_id": "{a}-{b}", "sound": "{b}""#,
    #""alert": "x", "data": {"{a}": ["{b}", {"c": "{a}/{b}"}], "n": 1}, "category": "{a}""#,
    #""alert": {"key": "PERCENT", "args": ["a"]}, \#(wait), "message_type": "{b}""#,
    #""alert": {"body": "{b} {a}"}, "localization": "server", "ttl": 60"#,
  ])
  func aFilledFormSaysWhatARenderingSays(members: String) throws {
    let scene = Scene("{\(members), \(Self.parameters)}")
    let form = RequestForm(try contents(scene, ["Ana", "A17"]).open, .json)
    for words in [["Ana", "A17"], ["Zoé", "B"], ["{b}", "~"], ["x", "1987654321"]] {
      let (open, plain) = try contents(scene, words)
      #expect(!open.dependsOnWords)
      #expect(filled(form, words) == filled(RequestForm(plain, .json), []))
    }
  }

  @Test(arguments: [
    #""alert": "{a}{b}", "badge": 1"#,
    #""alert": {"key": "TWO", "args": ["a", "b"]}, "sound": "default", "category": "{b}""#,
    #""data": {"{a}": "{b}"}, "localization": "server""#,
  ])
  func aFilledBadgeSaysWhatARenderingSays(members: String) throws {
    let scene = Scene("{\(members), \(Self.parameters)}")
    let form = RequestForm(try contents(scene, ["Ana", "A17", "3"]).open, .json)
    for words in [["Ana", "A17", "3"], ["Zoé", "B", "0"], ["{b}", "~", "2147483647"]] {
      let (open, plain) = try contents(scene, words)
      #expect(!open.dependsOnWords)
      let json = filled(form, words)
      #expect(json?.contains(#""badge":\#(words[2])"#) == true)
      #expect(json == filled(RequestForm(plain, .json), []))
    }
  }

  @Test(arguments: [
    (#""alert": {"key": "COUNT", "args": ["a"]}, "localization": "server""#, "a number"),
    (#""alert": "x", "id": "{a}", \#(wait)"#, "an id that is in the payload alone"),
  ])
  func whatDependsOnItsWordsIsNoForm(members: String, why: String) throws {
    let scene = Scene("{\(members), \(Self.parameters)}")
    #expect(try contents(scene, ["1", "2"]).open.dependsOnWords, "\(why)")
  }

  @Test func wordsThatAreTooLongAreNotFilledIn() throws {
    let scene = Scene(
      #"{"alert": "{a}", "collapse_id": "{b}", "localization": "server", \#(Self.parameters)}"#)
    let form = RequestForm(try contents(scene, ["Ana", "A17"]).open, .json)
    #expect(filled(form, ["Ana", "A17"]) != nil)
    #expect(filled(form, [String(repeating: "x", count: 4000), "A17"]) != nil)
    #expect(filled(form, [String(repeating: "x", count: 4096), "A17"]) == nil)
    #expect(filled(form, ["Ana", String(repeating: "x", count: 64)]) != nil)
    #expect(filled(form, ["Ana", String(repeating: "x", count: 65)]) == nil)
    #expect(filled(form, ["Ana", "a b"]) == nil)
  }

  /// A watch app of its own has a bundle id of its own.
  @Test(arguments: [nil, "com.example.shop.watch"] as [String?])
  func theFileOfASimulatorNamesTheTargetOfTheDevice(bundleID: String?) throws {
    var scene = Scene(#"{"alert": "x"}"#)
    scene.app.hasOtherBundles = true
    scene.device.bundleID = bundleID
    let file = String(decoding: try scene.render().simulatorFile(), as: UTF8.self)
    let target = bundleID ?? "com.example.shop"
    #expect(file == #"{"Simulator Target Bundle":"\#(target)","aps":{"alert":"x"}}"#)
  }
}
