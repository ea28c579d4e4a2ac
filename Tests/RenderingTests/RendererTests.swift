import APNs
import DeviceProfile
import FoundationEssentials
import JSON
import Localization
import Rendering
import Testing

@Suite struct RendererTests {
  static let order = """
    {"alert": {"title": {"key": "TITLE"}, "body": {"key": "FOOD_PICKUP_TIME", "args": ["when"]}},
     "parameters": {"when": {"type": "string"}, "order": {"type": "string", "default": "A17"}},
     "thread_id": "orders", "collapse_id": "order-{order}", "ttl": 3600,
     "data": {"order": "{order}", "list": ["{{order}", "no{order}"], "n": 1}}
    """

  @Test func aRequestIsTheContractsJSON() throws {
    var scene = Scene(Self.order)
    scene.arguments = #"{"when": "17 h"}"#
    scene.options.localization = .server
    let installation = try #require(UUID(uuidString: "0E2F4A6C-0000-4000-8000-000000000001"))
    let id = try #require(UUID(uuidString: "8B4F1E0A-5A4E-4F53-9E8D-0C6B5D3E2F10"))
    let recipient = RequestForm.Addressee(
      installation: installation, token: [0x74, 0x0f, 0x47, 0x07, 0xbe, 0xbc, 0xf7, 0x4f],
      environment: .production, id: id)
    var request: [UInt8] = []
    #expect(RequestForm(try scene.render(), .json).append(for: recipient, to: &request))
    let expected =
      #"{"installation_id":"0e2f4a6c-0000-4000-8000-000000000001","token":"740f4707bebcf74f","#
      + #""environment":"production","path":"/3/device/740f4707bebcf74f","#
      + #""headers":{"apns-collapse-id":"order-A17","apns-expiration":"1700003600","#
      + #""apns-id":"8b4f1e0a-5a4e-4f53-9e8d-0c6b5d3e2f10","apns-priority":"10","#
      + #""apns-push-type":"alert","apns-topic":"com.example.shop"},"#
      + #""payload":{"aps":{"alert":{"body":"À prendre à 17 h","title":"Boutique"},"#
      + #""thread-id":"orders"},"list":["{order}","noA17"],"n":1,"order":"A17"},"#
      + #""payload_bytes":134,"mode":"server","language":"fr","problems":[]}"#
    #expect(String(decoding: request, as: UTF8.self) == expected)
  }

  @Test func aDeviceThatHasTheKeysGetsThemAndTheTextInCase() throws {
    var scene = Scene(Self.order)
    scene.arguments = #"{"when": "17 h"}"#
    let request = try scene.render()
    #expect(request.mode == .client)
    #expect(request.language == "fr")
    #expect(
      request.payloadText.hasPrefix(
        #"{"aps":{"alert":{"body":"À prendre à 17 h","loc-args":["17 h"],"#
          + #""loc-key":"FOOD_PICKUP_TIME","title":"Boutique","title-loc-key":"TITLE"}"#))
  }

  @Test(arguments: [
    (#"{"key": "PERCENT", "args": ["what"]}"#, #""body":"100%% de tout 50%%","#),
    (#"{"key": "PLAIN"}"#, #""body":"Bonjour","loc-key":"PLAIN""#),
  ])
  func theFallbackSurvivesTheDevicesFormatter(body: String, expected: String) throws {
    var scene = Scene(
      #"{"alert": {"body": \#(body)}, "parameters": {"what": {"type": "string"}}}"#)
    scene.arguments = #"{"what": "tout 50%"}"#
    let request = try scene.render()
    #expect(request.mode == .client)
    #expect(request.payloadText.contains(expected))
  }

  @Test func aRawKeyIsNeverShown() throws {
    var scene = Scene(#"{"alert": {"title": {"key": "TITLE"}, "body": {"key": "NOWHERE"}}}"#)
    var request = try scene.render()
    #expect(request.payloadText == #"{"aps":{"alert":{"title":"Boutique"}}}"#)
    #expect(request.codes == ["missing_key"])

    scene.message = #"{"alert": {"body": {"key": "NOWHERE"}}, "sound": "default"}"#
    request = try scene.render()
    #expect(request.payloadText == #"{"aps":{"sound":"default"}}"#)
    #expect(request.codes == ["missing_key", "nothing_to_show"])
  }

  @Test(
    arguments: [
      ("greeting", "{}", #","type":"greeting"}"#), (nil, "{}", "}"),
      ("greeting", #"{"type": "own"}"#, #","type":"own"}"#),
    ] as [(String?, String, String)])
  func theMessagesNameIsWhereTheAppLooksForIt(name: String?, data: String, expected: String) throws
  {
    var scene = Scene(#"{"alert": "x", "data": \#(data)}"#)
    scene.name = name
    scene.app.messageTypeKey = "type"
    #expect(try scene.render().payloadText == #"{"aps":{"alert":"x"}"# + expected)
  }

  @Test func whatComesOutEmptyIsLeftOut() throws {
    var scene = Scene(
      """
      {"alert": {"title": "{x}", "body": "b"}, "thread_id": "{x}", "collapse_id": "{x}",
       "parameters": {"x": {"type": "string"}}}
      """)
    scene.arguments = #"{"x": ""}"#
    let request = try scene.render()
    #expect(request.payloadText == #"{"aps":{"alert":{"body":"b"}}}"#)
    #expect(request.headers.collapseID == nil)
    #expect(request.codes == ["empty_text"])
  }

  @Test func theServersTextIsTakenWhenTheBuildHasNone() throws {
    var scene = Scene(#"{"alert": {"body": {"key": "ONLY_SERVER"}}}"#)
    scene.serverTables = [Scene.table("fr", ["ONLY_SERVER": "Du serveur"])]
    let request = try scene.render()
    #expect(request.payloadText == #"{"aps":{"alert":{"body":"Du serveur"}}}"#)
    #expect(request.codes == ["other_catalog_used"])
  }

  @Test func theDevelopmentLanguageIsTheFallbackAndIsTold() throws {
    let request = try Scene(#"{"alert": {"body": {"key": "ONLY_EN"}}}"#).render()
    #expect(request.payloadText == #"{"aps":{"alert":{"body":"English only"}}}"#)
    #expect(request.language == "en")
    #expect(request.codes.contains("development_language_used"))
  }

  @Test(arguments: [
    (#"{"body": {"key": "PLAIN"}}"#, "fr", "Bonjour", ["fallback_language_used"]),
    (
      #"{"body": {"text": {"de": "Hallo", "en": "Hi"}}}"#, "de", "Hallo",
      ["fallback_language_used"]
    ),
    (#"{"body": {"text": {"ja": "もし", "de": "Hallo", "en": "Hi"}}}"#, "de", "もし", []),
    (#"{"body": {"text": {"ru": "Да", "en": "Hi"}}}"#, "de", "Hi", []),
    (
      #"{"body": {"key": "ONLY_EN"}}"#, "fr", "English only",
      ["key_not_in_localization", "development_language_used"]
    ),
  ])
  func theFallbackLanguageIsTakenWhenThereIsNoneOfTheDevices(
    alert: String, fallback: String, text: String, codes: [String]
  ) throws {
    var scene = Scene(#"{"alert": \#(alert), "fallback_language": "\#(fallback)"}"#)
    scene.device.languages = tags("ja")
    let request = try scene.render()
    #expect(request.payloadText == #"{"aps":{"alert":{"body":"\#(text)"}}}"#)
    #expect(request.codes == codes)
  }

  @Test func whyKeysThatWereDemandedCannotBeHadIsTold() throws {
    var scene = Scene(Self.order)
    scene.arguments = #"{"when": "17 h"}"#
    scene.options.localization = .client
    scene.device.osVersion = nil
    let request = try scene.render()
    #expect(request.mode == .server)
    #expect(request.codes == ["os_unknown"])
  }

  @Test(arguments: [true, false])
  func bareKeysAreSentUncheckedOnlyOnExpressDemand(literalFallback: Bool) throws {
    var scene = Scene(
      #"{"alert": {"body": {"key": "K"}}, "literal_fallback": \#(literalFallback)}"#)
    scene.options.localization = .client
    scene.tables = nil
    let request = try scene.render()
    #expect(request.mode == (literalFallback ? .server : .client))
    #expect(request.payloadText.contains("loc-key") == !literalFallback)
    #expect(request.codes.contains("unverified_keys") == !literalFallback)
  }

  @Test(arguments: [("fr-CA", "fr_CA"), ("fr", "en_CA"), ("fr", "fr_CH"), ("hi", "en_IN")])
  func numbersAreWrittenAsTheDevicesRegionDoes(language: String, locale: String) throws {
    var scene = Scene(
      """
      {"alert": {"body": {"key": "COUNT", "args": ["n"]}}, "thread_id": "{n}",
       "parameters": {"n": {"type": "integer"}}}
      """)
    scene.arguments = #"{"n": 1234567}"#
    scene.device.languages = tags(language)
    scene.device.locale = locale
    let request = try scene.render()
    #expect(request.mode == .server)
    let number = ArgumentValue.integer(1_234_567).text(
      locale: language == "hi" ? "en_IN" : "fr_" + locale.suffix(2))
    #expect(request.payloadText.contains(number))
    #expect(request.payloadText.contains(#""thread-id":"1234567""#))
  }

  @Test(
    arguments: [
      (#"{"alert": "x"}"#, "alert", "10", []), (#"{"badge": 0}"#, "alert", "10", []),
      (#"{"alert": "x", "priority": 5}"#, "alert", "5", []),
      (#"{"alert": "x", "content_available": true}"#, "alert", "5", ["priority_changed"]),
      (
        #"{"alert": "x", "content_available": true, "priority": 10}"#, "alert", "5",
        ["priority_changed"]
      ),
      (#"{"alert": "x", "content_available": true, "priority": 5}"#, "alert", "5", []),
      (#"{"alert": "x", "content_available": true, "priority": 1}"#, "alert", "1", []),
      (#"{"data": {"a": 1}}"#, "background", "5", []),
      (#"{"push_type": "background"}"#, "background", "5", []),
    ] as [(String, String, String, [String])])
  func aRequestHasTheKindAndPriorityThatAppleWants(
    message: String, pushType: String, priority: String, codes: [String]
  ) throws {
    let request = try Scene(message).render()
    let fields = Dictionary(
      request.headers.fields.map { ($0.name, $0.value) }, uniquingKeysWith: { first, _ in first })
    #expect(fields["apns-push-type"] == pushType)
    #expect(fields["apns-priority"] == priority)
    #expect(request.codes == codes)
    #expect(
      (pushType == "background")
        == (request.payloadText.contains("content-available")
          && !request.payloadText.contains("alert")))
  }

  @Test func aPriorityThatWouldBeRefusedIsChanged() throws {
    let request = try Scene(#"{"data": {"a": 1}, "priority": 10}"#).render()
    #expect(request.headers.priority == 5)
    #expect(request.codes == ["priority_changed"])
  }

  @Test(arguments: ["time-sensitive", "critical"])
  func whatShallComeAtOnceHearsThatItMayNot(level: String) throws {
    let request = try Scene(
      #"{"alert": "x", "content_available": 1, "interruption_level": "\#(level)"}"#
    ).render()
    #expect(request.headers.priority == 5)
    let detail = try #require(request.problems.first { $0.code == "priority_changed" }?.detail)
    #expect(detail.contains("5 instead of 10") && detail.contains(level))
  }

  @Test(
    arguments: [
      (["fr-CA"], "fr", "Salut"), (["de-AT", "fr"], "de", "Hallo"), (["ja"], "en", "Hi"),
      ([], "en", "Hi"),
    ] as [([String], String, String)])
  func aLiteralTextIsPickedByTheDevicesLanguages(
    languages: [String], language: String, text: String
  ) throws {
    var scene = Scene(#"{"alert": {"text": {"en": "Hi", "fr": "Salut", "de": "Hallo"}}}"#)
    scene.device.languages = languages.compactMap { LanguageTag($0) }
    let request = try scene.render()
    #expect(request.payloadText == #"{"aps":{"alert":"\#(text)"}}"#)
    #expect(request.language == language)
  }

  @Test func namesInLiteralTextsAreFilled() throws {
    var scene = Scene(
      """
      {"alert": "{{x} {name}: {n}",
       "parameters": {"name": {"type": "string"}, "n": {"type": "integer"}}}
      """
    )
    scene.arguments = #"{"name": "A", "n": 12345}"#
    scene.device.locale = "de_DE"
    #expect(try scene.render().payloadText == #"{"aps":{"alert":"{x} A: 12.345"}}"#)
  }
}
