import Foundation
import PostilionClient
import Testing

@Suite struct NotificationTriggerTests {
  typealias Trigger = NotificationTrigger

  static let circle = Trigger.Region(latitude: 47.5, longitude: -8, radius: 200, onExit: false)
  static let place = #""type":"location","latitude":47.5,"longitude":-8,"radius":200"#

  static let cases: [(json: String, trigger: Trigger?)] = [
    (
      #"{"type":"time_interval","seconds":300,"repeats":false}"#,
      .timeInterval(seconds: 300, repeats: false)
    ),
    (#"{"type":"time_interval","seconds":1}"#, .timeInterval(seconds: 1, repeats: false)),
    (#"{"type":"time_interval","seconds":0.5}"#, .timeInterval(seconds: 0.5, repeats: false)),
    (
      #"{"type":"time_interval","seconds":90,"repeats":true}"#,
      .timeInterval(seconds: 90, repeats: true)
    ),
    (
      #"{"type":"time_interval","seconds":5,"repeats":true}"#,
      .timeInterval(seconds: 60, repeats: true)
    ),
    (#"{"type":"time_interval","seconds":0}"#, nil),
    (#"{"type":"time_interval","seconds":-5}"#, nil),
    (#"{"type":"time_interval","seconds":1e300}"#, nil),
    (#"{"type":"time_interval","seconds":"5"}"#, nil),
    (#"{"type":"time_interval"}"#, nil), (#"{"seconds":5}"#, nil), ("{}", nil), ("[]", nil),
    ("7", nil),
    (#"{"type":"moon","seconds":5}"#, nil),
    (
      #"{"type":"calendar","date":{"hour":9,"weekday":2},"repeats":true}"#,
      .calendar(DateComponents(hour: 9, weekday: 2), repeats: true)
    ),
    (
      #"""
      {"type":"calendar",
       "date":{"year":2026,"month":5,"day":2,"hour":19,"minute":32,"second":41}}
      """#,
      .calendar(
        DateComponents(year: 2026, month: 5, day: 2, hour: 19, minute: 32, second: 41),
        repeats: false)
    ),
    (
      #"{"type":"calendar","date":{"hour":9,"minute":null}}"#,
      .calendar(DateComponents(hour: 9), repeats: false)
    ),
    (#"{"type":"calendar","date":{"hour":24}}"#, nil),
    (#"{"type":"calendar","date":{"hour":"9"}}"#, nil),
    (#"{"type":"calendar","date":{"era":1}}"#, nil), (#"{"type":"calendar","date":{}}"#, nil),
    (#"{"type":"calendar","date":{"weekday":0}}"#, nil), (#"{"type":"calendar"}"#, nil),
    (#"{"type":"calendar","at":1777750361}"#, .moment(Date(timeIntervalSince1970: 1_777_750_361))),
    (
      #"{"type":"calendar","at":"2026-05-02T19:32:41Z"}"#,
      .moment(Date(timeIntervalSince1970: 1_777_750_361))
    ),
    (
      #"{"type":"calendar","at":"2026-05-02T21:32:41+02:00"}"#,
      .moment(Date(timeIntervalSince1970: 1_777_750_361))
    ),
    (#"{"type":"calendar","at":"soon"}"#, nil), (#"{"type":"calendar","at":1e300}"#, nil),
    (#"{"type":"calendar","at":true}"#, nil),
    (
      #"{\#(place),"on_entry":true,"on_exit":false,"repeats":true}"#,
      .location(circle, repeats: true)
    ),
    (#"{\#(place)}"#, .location(.init(latitude: 47.5, longitude: -8, radius: 200), repeats: false)),
    (#"{\#(place),"on_entry":false,"on_exit":false}"#, nil),
    (#"{"type":"location","latitude":91,"longitude":0,"radius":200}"#, nil),
    (#"{"type":"location","latitude":0,"longitude":181,"radius":200}"#, nil),
    (#"{"type":"location","latitude":0,"longitude":0,"radius":0}"#, nil),
    (#"{"type":"location","latitude":0,"longitude":0}"#, nil),
  ]

  @Test(arguments: cases) func triggersAreRead(json: String, trigger: Trigger?) {
    let payload = RemotePayload(json: Data(#"{"trigger":\#(json),"id":"a"}"#.utf8))
    #expect(payload?.trigger == trigger)
    #expect(payload?.id == "a")
  }

  @Test func aMomentHasTheComponentsOfATimeZone() throws {
    let zone = try #require(TimeZone(identifier: "Asia/Tokyo"))
    let date = Trigger.components(of: Date(timeIntervalSince1970: 1_777_750_361), in: zone)
    #expect(date == DateComponents(year: 2026, month: 5, day: 3, hour: 4, minute: 32, second: 41))
  }
}
