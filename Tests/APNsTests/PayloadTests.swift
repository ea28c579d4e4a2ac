import APNs
import JSON
import Testing

@Suite struct PayloadTests {
  /// Payloads of Apple's documentation and of well-known senders, as we write them.
  static let payloads = [
    #"{"aps":{"alert":"Breaking News!","sound":"default"},"link_url":"https://example.com"}"#,
    #"{"aps":{"alert":{"body":"Hello, friend","title":"Greeting"},"badge":5}}"#,
    #"{"aps":{"alert":{"action-loc-key":"PLAY","loc-args":["Jenna"],"loc-key":"GAME"}}}"#,
    #"{"aps":{"alert":{"action-loc-key":null,"body":"One button"}}}"#,
    #"{"aps":{"content-available":1},"payload":{"aps":{"alert":"hello world"},"id":1}}"#,
    #"{"aps":{"alert":"x","sound":{"critical":1,"name":"default","volume":0.5}}}"#,
    #"{"aps":{"alert":{"loc-args":[1,"2"],"loc-key":"ODD"},"badge":"3"}}"#,
    #"{"aps":{"alert":"x","interruption-level":"urgent","relevance-score":0.25}}"#,
    #"{"aps":{"alert":{"title":"Save"}},"coords":{"latitude":37.33182,"longitude":-122.03118}}"#,
    #"{"aps":{},"big":9007199254740993,"deep":[[],{},[true,false,null]],"url":"a/b é 漢 😀"}"#,
    #"{"id":1}"#,
    #"{"aps":"not an object"}"#,
    #"{"aps":{"alert":{"body":{"loc-args":["Ann"],"loc-key":"B"},"sound":"s.aiff","#
      + #""title":{"loc-key":"T"}},"attributes":{},"attributes-type":"Ride","#
      + #""content-state":{"eta":4},"event":"start"}}"#,
    #"{"aps":{"content-changed":true,"relevance-score":9007199254740993}}"#,
    #"{"container-identifier":"c","domain":"d"}"#,
  ]

  @Test(arguments: payloads)
  func aPayloadComesBackAsItWasSent(json: String) throws {
    let payload = try #require(Payload(json: Array(json.utf8)))
    #expect(String(decoding: payload.encoded(), as: UTF8.self) == json)
  }

  @Test func onlyWhatJSONWantsEscapedIsEscaped() {
    let payload = Payload(data: ["t": .string("\"\\/\n\r\t\u{1}\u{7f}é")])
    let json = String(decoding: payload.encoded(), as: UTF8.self)
    #expect(json == #"{"t":"\"\\/\n\r\t\u0001"# + "\u{7f}é\"}")
  }

  @Test func theAppsDataNeverReplacesApplesPart() {
    var aps = APS()
    aps.alert = .text("x")
    let payload = Payload(aps: aps, data: ["aps": .integer(1), "Z": .null, "a": .bool(true)])
    let json = String(decoding: payload.encoded(), as: UTF8.self)
    #expect(json == #"{"Z":null,"a":true,"aps":{"alert":"x"}}"#)
  }

  @Test(arguments: ["", "[]", "{", "1", "{\"a\":}"])
  func onlyWhatIsNoJSONObjectIsRefused(json: String) {
    #expect(Payload(json: Array(json.utf8)) == nil)
  }
}
