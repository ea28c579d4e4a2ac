import DeviceProfile
import JSON
import Localization
import Rendering
import Testing

@Suite struct TriggerTests {
  static func message(_ trigger: String) -> String {
    """
    {"alert": "x", "trigger": \(trigger), "parameters": {
       "when": {"type": "date", "default": "2026-12-31T23:30:00Z"},
       "past": {"type": "date", "skeleton": "jmm", "default": "2022-05-02T19:32:41Z"},
       "soon": {"type": "relative_date", "default": 0}}}
    """
  }

  @Test(arguments: [
    (
      #"{"type": "time_interval", "seconds": 300}"#,
      #"{"repeats":false,"seconds":300,"type":"time_interval"}"#
    ),
    (
      #"{"type": "time_interval", "seconds": 60, "repeats": true}"#,
      #"{"repeats":true,"seconds":60,"type":"time_interval"}"#
    ),
    (
      #"{"type": "calendar", "date": {"hour": 7, "weekday": 2}, "repeats": true}"#,
      #"{"date":{"hour":7,"weekday":2},"repeats":true,"type":"calendar"}"#
    ),
    (
      #"{"type": "calendar", "date": {"month": 2, "day": 29}, "repeats": true}"#,
      #"{"date":{"day":29,"month":2},"repeats":true,"type":"calendar"}"#
    ),
    (
      #"{"type": "calendar", "date": {"year": 2028, "month": 2, "day": 29}}"#,
      #"{"date":{"day":29,"month":2,"year":2028},"repeats":false,"type":"calendar"}"#
    ),
    (
      #"{"type": "calendar", "at": "when"}"#,
      #"{"date":{"day":1,"hour":8,"minute":30,"month":1,"second":0,"year":2027},"#
        + #""repeats":false,"type":"calendar"}"#
    ),
    (
      #"{"type": "location", "latitude": 37.33182, "longitude": -122.03118, "radius": 100}"#,
      #"{"latitude":37.33182,"longitude":-122.03118,"on_entry":true,"on_exit":true,"#
        + #""radius":100,"repeats":false,"type":"location"}"#
    ),
    (
      #"{"type": "location", "latitude": 0, "longitude": 180, "radius": 1, "on_exit": false,"#
        + #" "repeats": true}"#,
      #"{"latitude":0,"longitude":180,"on_entry":true,"on_exit":false,"#
        + #""radius":1,"repeats":true,"type":"location"}"#
    ),
  ])
  func aTriggerGoesIntoTheEnvelopeInTheWordsOfTheMessage(trigger: String, expected: String) throws {
    var scene = Scene(Self.message(trigger))
    scene.device.capabilities = [Device.localNotificationCapability]
    scene.device.timeZone = "Asia/Tokyo"
    scene.options.localization = .server
    let content = try scene.render()
    #expect(
      content.payloadText
        == #"{"aps":{"content-available":1},"payload":{"aps":{"alert":"x"},"trigger":"#
        + expected + "}}")
    #expect(content.mode == .local)
    #expect(content.codes == [])
  }

  @Test func aTriggerThatIsOverOrOfAnUnknownTimeZoneIsTold() throws {
    var scene = Scene(Self.message(#"{"type": "calendar", "at": "past"}"#))
    scene.options.explain = true
    let content = try scene.render()
    #expect(content.codes == ["trigger_in_past", "time_zone_unknown", "local_not_declared"])
    #expect(content.payloadText.contains(#""hour":19,"minute":32"#))
    #expect(content.explanation?.mode == .messageTrigger)
  }

  @Test(
    arguments: [
      ("1", [" wrong_type"]), ("{}", ["/type missing_field"]),
      (#"{"type": "push", "seconds": 1}"#, ["/type unknown_value"]),
      (#"{"type": "time_interval"}"#, ["/seconds missing_field"]),
      (#"{"type": "time_interval", "seconds": 0}"#, ["/seconds out_of_range"]),
      (#"{"type": "time_interval", "seconds": 31536001}"#, ["/seconds out_of_range"]),
      (#"{"type": "time_interval", "seconds": 59, "repeats": true}"#, ["/seconds out_of_range"]),
      (
        #"{"type": "time_interval", "seconds": "5", "repeats": 1, "date": {}}"#,
        ["/seconds wrong_type", "/repeats wrong_type", "/date unknown_field"]
      ),
      (#"{"type": "calendar"}"#, [" missing_field"]),
      (#"{"type": "calendar", "date": {"hour": 1}, "at": "when"}"#, [" too_many"]),
      (#"{"type": "calendar", "date": {}}"#, ["/date missing_field"]),
      (
        #"{"type": "calendar", "date": {"year": 1969, "month": 13, "day": 0, "hour": 24}}"#,
        [
          "/date/year out_of_range", "/date/month out_of_range", "/date/day out_of_range",
          "/date/hour out_of_range",
        ]
      ),
      (
        #"{"type": "calendar", "date": {"minute": 60, "second": -1, "weekday": 8, "era": 1}}"#,
        [
          "/date/minute out_of_range", "/date/second out_of_range", "/date/weekday out_of_range",
          "/date/era unknown_field",
        ]
      ),
      (#"{"type": "calendar", "date": {"month": 4, "day": 31}}"#, ["/date/day out_of_range"]),
      (#"{"type": "calendar", "date": {"month": 2, "day": 30}}"#, ["/date/day out_of_range"]),
      (
        #"{"type": "calendar", "date": {"month": 2, "day": 29, "year": 2027}}"#,
        ["/date/day out_of_range"]
      ),
      (#"{"type": "calendar", "at": "nobody"}"#, ["/at unknown_parameter"]),
      (#"{"type": "calendar", "at": "soon"}"#, ["/at wrong_type"]),
      (#"{"type": "calendar", "at": "when", "repeats": true}"#, ["/repeats unknown_field"]),
      (
        #"{"type": "location"}"#,
        ["/latitude missing_field", "/longitude missing_field", "/radius missing_field"]
      ),
      (
        #"{"type": "location", "latitude": 91, "longitude": -181, "radius": 0}"#,
        ["/latitude out_of_range", "/longitude out_of_range", "/radius out_of_range"]
      ),
      (
        #"{"type": "location", "latitude": 1, "longitude": 1, "radius": 1, "on_entry": false,"#
          + #" "on_exit": false}"#,
        ["/on_exit unknown_value"]
      ),
    ] as [(String, [String])])
  func aTriggerIsRefusedWithThePlaceAndKindOfEveryFault(trigger: String, expected: [String]) throws
  {
    let failure = #expect(throws: InputFailure.self) {
      try Message(parsing: Self.message(trigger))
    }
    #expect(
      failure?.problems.map { "\($0.pointer) \($0.code)" } == expected.map { "/trigger" + $0 })
  }
}
