import APNs
import JSON
import Testing

@Suite struct DeviceTests {
  /// What is sent, and what a device makes of it: both the content of `aps`.
  static let rows = [
    // Empty strings are none.
    (#""alert":"","badge":1"#, #""badge":1"#),
    (
      #""alert":{"body":"b","launch-image":"","subtitle":"","title":""},"category":"","#
        + #""filter-criteria":"","sound":"","target-content-id":"","thread-id":"""#,
      #""alert":{"body":"b"}"#
    ),
    (
      #""alert":{"action":"","action-loc-key":"","body":"b","loc-key":"","subtitle-loc-key":"","#
        + #""summary-arg":"","title-loc-key":""}"#,
      #""alert":{"body":"b"}"#
    ),
    (#""alert":{"body":""},"badge":1"#, #""badge":1"#),
    // Wrong types are none, and so are names that Apple does not have.
    (
      #""alert":"x","badge":"1","custom":1,"interruption-level":"urgent","sound":7"#,
      #""alert":"x""#
    ),
    (#""alert":{"body":"b","loc-key":1,"odd":1,"title":null}"#, #""alert":{"body":"b"}"#),
    (#""alert":["x"],"badge":1"#, #""badge":1"#),
    // Arguments need their key, and keep their places.
    (#""alert":{"body":"b","loc-args":["a"],"title-loc-args":["a"]}"#, #""alert":{"body":"b"}"#),
    (
      #""alert":{"body":"b","subtitle-loc-args":["a"],"subtitle-loc-key":""}"#,
      #""alert":{"body":"b"}"#
    ),
    (#""alert":{"loc-args":"a","loc-key":"K"}"#, #""alert":{"loc-key":"K"}"#),
    (
      #""alert":{"loc-args":["a",7,82.5,true,null,[],{}],"loc-key":"K"}"#,
      #""alert":{"loc-args":["a","7","82.5","","","",""],"loc-key":"K"}"#
    ),
    (
      #""alert":{"loc-args":[],"loc-key":"K","title-loc-args":[1],"title-loc-key":"T"}"#,
      #""alert":{"loc-args":[],"loc-key":"K","title-loc-args":["1"],"title-loc-key":"T"}"#
    ),
    // Flags.
    (#""content-available":1,"mutable-content":0"#, #""content-available":1,"mutable-content":0"#),
    (
      #""content-available":7,"mutable-content":0.5"#, #""content-available":1,"mutable-content":1"#
    ),
    (#""badge":1,"content-available":-1,"mutable-content":-0.5"#, #""badge":1"#),
    (
      #""content-available":"no","mutable-content":false"#,
      #""content-available":1,"mutable-content":1"#
    ),
    (#""badge":1,"content-available":null"#, #""badge":1"#),
    // Numbers.
    (#""alert":"x","badge":-1"#, #""alert":"x""#),
    (#""badge":0,"relevance-score":1.5"#, #""badge":0,"relevance-score":1"#),
    (#""badge":0,"relevance-score":-1"#, #""badge":0,"relevance-score":0"#),
    (#""event":"update","relevance-score":75"#, #""event":"update","relevance-score":75"#),
    // Sounds.
    (
      #""sound":{"critical":2,"name":"","pitch":1,"volume":1.5}"#,
      #""sound":{"critical":1,"volume":1}"#
    ),
    (#""sound":{"critical":"yes","name":"a"}"#, #""sound":{"critical":1,"name":"a"}"#),
    (#""badge":0,"sound":{"critical":-1}"#, #""badge":0"#),
    (
      #""interruption-level":"critical","sound":"a""#,
      #""interruption-level":"critical","sound":{"critical":1,"name":"a"}"#
    ),
    (
      #""interruption-level":"critical","sound":{"critical":0,"name":"a"}"#,
      #""interruption-level":"critical","sound":{"critical":1,"name":"a"}"#
    ),
    (
      #""badge":0,"interruption-level":"critical","sound":"""#,
      #""badge":0,"interruption-level":"critical""#
    ),
    // Texts as objects are for Live Activities.
    (
      #""alert":{"body":{"loc-key":"K"},"sound":"s","title":"t"}"#, #""alert":{"title":"t"}"#
    ),
    (
      #""alert":{"body":{"loc-key":"K"},"sound":"s","title":"t"},"event":"update""#,
      #""alert":{"body":{"loc-key":"K"},"sound":"s","title":"t"},"event":"update""#
    ),
    (
      #""alert":{"body":{"loc-key":"","loc-args":["a"]},"title":{"loc-key":"K","x":1}},"#
        + #""event":"update""#,
      #""alert":{"title":{"loc-key":"K"}},"event":"update""#
    ),
    (
      #""alert":{"body":"b","loc-key":"K","subtitle":"s"},"badge":1,"event":"update","sound":"s""#,
      #""alert":{"body":"b"},"event":"update""#
    ),
  ]

  @Test(arguments: rows)
  func aDeviceDropsWhatItDoesNotLike(sent: String, seen: String) throws {
    let payload = try #require(Payload(json: Array("{\"aps\":{\(sent)},\"x\":\"\"}".utf8)))
    let cleaned = payload.asSeenByDevice()
    #expect(String(decoding: cleaned.encoded(), as: UTF8.self) == "{\"aps\":{\(seen)},\"x\":\"\"}")
    #expect(cleaned.asSeenByDevice() == cleaned)
  }

  @Test func aDeviceShowsNothingWhenNothingIsLeft() throws {
    let sent = #"{"aps":{"alert":{"title":""},"badge":-1,"odd":1},"x":1}"#
    let payload = try #require(Payload(json: Array(sent.utf8)))
    #expect(payload.asSeenByDevice() == Payload(data: ["x": .integer(1)]))
  }
}
