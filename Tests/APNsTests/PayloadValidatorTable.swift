import APNs
import Testing

/// Notifications and what is wrong with them.
enum PayloadValidatorTable {
  struct Row: Sendable, CustomTestStringConvertible {
    var pushType: PushType
    var json: String
    var codes: [String]
    /// What its sender changed of the header fields that the bundle id and the push type make.
    var change: @Sendable (inout RequestHeaders) -> Void
    var testDescription: String { "\(pushType) \(codes.joined(separator: " ")) \(json.prefix(70))" }

    init(
      _ pushType: PushType, _ json: String, _ codes: [String] = [],
      change: @escaping @Sendable (inout RequestHeaders) -> Void = { _ in }
    ) {
      self.pushType = pushType
      self.json = json
      self.codes = codes
      self.change = change
    }
  }

  static let rows = requests + alerts + localizations + members + backgrounds + others + activities

  private static let shown = #"{"aps":{"alert":"x"}}"#

  private static let wakes = #"{"aps":{"alert":"x","content-available":1}}"#

  /// Of header fields.
  private static let requests = [
    Row(.alert, shown),
    Row(.alert, shown) { $0.priority = 1 },
    Row(.alert, shown, ["priority_not_allowed"]) { $0.priority = 7 },
    Row(.background, #"{"aps":{"content-available":1}}"#, ["background_priority"]) {
      $0.priority = 10
    },
    Row(.background, #"{"aps":{"content-available":1}}"#, ["background_priority"]) {
      $0.priority = 1
    },
    Row(.voip, "{}", ["priority_not_allowed"]) { $0.priority = 5 },
    Row(.pushtotalk, "{}", ["priority_not_allowed"]) { $0.priority = 5 },
    Row(.alert, shown) { $0.collapseID = String(repeating: "a", count: 64) },
    Row(.alert, shown, ["collapse_id_too_long"]) {
      $0.collapseID = String(repeating: "a", count: 65)
    },
    Row(.alert, shown, ["collapse_id_too_long", "collapse_id_not_ascii"]) {
      $0.collapseID = String(repeating: "é", count: 33)
    },
    Row(.alert, shown, ["collapse_id_not_ascii"]) { $0.collapseID = "a\r\nb: c" },
    Row(.alert, shown, ["collapse_id_not_ascii"]) { $0.collapseID = "a b" },
    Row(.alert, shown) { $0.expiration = 1_702_592_000 },
    Row(.alert, shown, ["expiration_too_late"]) { $0.expiration = 1_702_592_001 },
    Row(.alert, wakes, ["priority_not_allowed"]) { $0.priority = 10 },
    Row(.alert, wakes) { $0.priority = 5 },
    Row(.alert, wakes) { $0.priority = 1 },
    Row(.voip, "{}", ["topic_without_suffix"]) { $0.topic = "com.example.app" },
    Row(.voip, "{}", ["topic_without_suffix"]) { $0.topic = "com.example.app.voip-ptt" },
    Row(.alert, shown, ["topic_wrong"]) { $0.topic = "com.example.app.voip" },
    Row(.alert, shown, ["topic_wrong"]) { $0.topic = "com.example.apq" },
    Row(.alert, shown, ["topic_wrong"]) { $0.topic = "" },
    Row(.complication, "{}", ["topic_wrong"]) { $0.topic = "com.example.app.voip.complication" },
    Row(.mdm, #"{"mdm":"x"}"#, ["topic_wrong"]),
    Row(.mdm, #"{"mdm":"x"}"#) { $0.topic = "com.apple.mgmt.External.1" },
  ]

  /// Of notifications that people see.
  private static let alerts = [
    Row(.alert, #"{"aps":{"badge":0}}"#),
    Row(.alert, #"{"aps":{"sound":"default"},"a":1}"#),
    Row(.alert, #"{"aps":{"alert":{"subtitle":"x"},"content-available":1,"mutable-content":1}}"#) {
      $0.priority = 5
    },
    Row(.alert, #"{"aps":{}}"#, ["nothing_to_show"]),
    Row(.alert, #"{"a":1}"#, ["nothing_to_show"]),
    Row(.alert, #"{"aps":{"alert":{}}}"#, ["nothing_to_show"]),
    Row(.alert, #"{"aps":{"alert":""}}"#, ["nothing_to_show"]),
    Row(.alert, #"{"aps":7}"#, ["reserved_aps_in_data", "nothing_to_show"]),
    Row(.alert, #"{"aps":{"alert":"","badge":1}}"#, ["alert_empty"]),
    Row(.alert, #"{"aps":{"alert":{"launch-image":"i"},"sound":"s"}}"#, ["alert_empty"]),
    Row(.alert, #"{"aps":{"alert":{"body":""},"badge":1}}"#, ["alert_empty"]),
    Row(.alert, #"{"aps":{"badge":1,"mutable-content":1}}"#, ["mutable_content_without_alert"]),
    Row(.alert, #"{"aps":{"alert":{"loc-key":"K"},"mutable-content":1}}"#),
  ]

  /// Of texts that a device looks up.
  private static let localizations = [
    Row(.alert, #"{"aps":{"alert":{"loc-key":"K","loc-args":["Ann","","5"]}}}"#),
    Row(.alert, #"{"aps":{"alert":{"title-loc-key":"❌ %@ · 失败","title-loc-args":["a"]}}}"#),
    Row(
      .alert, #"{"aps":{"alert":{"loc-args":["Ann"]}}}"#,
      ["nothing_to_show", "loc_args_without_key"]),
    Row(
      .alert, #"{"aps":{"alert":{"title-loc-args":["a"],"loc-args":["b"],"body":"x"}}}"#,
      ["loc_args_without_key", "loc_args_without_key"]),
    Row(
      .alert, #"{"aps":{"alert":{"subtitle-loc-args":[],"body":"x"}}}"#, ["loc_args_without_key"]),
    Row(.alert, #"{"aps":{"alert":{"loc-key":"","body":"x"}}}"#, ["loc_key_empty"]),
    Row(
      .alert, #"{"aps":{"alert":{"title-loc-key":"","title-loc-args":["a"],"body":"x"}}}"#,
      ["loc_key_empty"]),
    Row(.alert, #"{"aps":{"alert":{"loc-key":"K","loc-args":[1]}}}"#, ["loc_args_not_strings"]),
    Row(.alert, #"{"aps":{"alert":{"loc-key":"K","loc-args":"a"}}}"#, ["loc_args_not_strings"]),
    Row(.alert, #"{"aps":{"alert":{"body":"x","loc-args":null,"action-loc-key":null}}}"#),
    Row(.alert, #"{"aps":{"alert":{"body":"x","action-loc-key":"VIEW"}}}"#),
    Row(
      .alert, #"{"aps":{"alert":{"body":"x","body-loc-key":"K","title":5}}}"#,
      ["alert_member_ignored", "alert_member_ignored"]),
    Row(
      .alert, #"{"aps":{"alert":{"body":{"loc-key":"K"},"sound":"s","title":"x"}}}"#,
      ["alert_member_ignored", "alert_member_ignored"]),
    Row(
      .alert, #"{"aps":{"alert":{"body":"x","action":"a","summary-arg":"s"},"url-args":[]}}"#,
      ["legacy_key", "legacy_key", "legacy_key"]),
    Row(.alert, #"{"aps":{"alert":{"body":"x","summary-arg-count":2}}}"#, ["legacy_key"]),
  ]

  /// Of other members of `aps`.
  private static let members = [
    Row(.alert, #"{"aps":{"badge":-1}}"#, ["badge_negative"]),
    Row(.alert, #"{"aps":{"alert":"x","badge":"3"}}"#, ["aps_member_ignored"]),
    Row(.alert, #"{"aps":{"alert":"x","custom":1}}"#, ["aps_member_ignored"]),
    Row(.alert, #"{"aps":{"alert":"x","content-changed":true}}"#, ["aps_member_ignored"]),
    Row(.alert, #"{"aps":{"alert":"x","relevance-score":1}}"#),
    Row(
      .alert, #"{"aps":{"alert":"x","relevance-score":1.5}}"#, ["relevance_score_out_of_range"]),
    Row(.alert, #"{"aps":{"alert":"x","interruption-level":"critical"}}"#),
    Row(
      .alert, #"{"aps":{"alert":"x","interruption-level":"time-senstive"}}"#,
      ["interruption_level_unknown"]),
    Row(.alert, #"{"aps":{"alert":"x","interruption-level":1}}"#, ["interruption_level_unknown"]),
    Row(.alert, #"{"aps":{"alert":"x","mutable-content":0}}"#),
    Row(.alert, #"{"aps":{"alert":"x","mutable-content":2}}"#, ["flag_not_0_or_1"]),
    Row(.alert, #"{"aps":{"alert":"x","content-available":-1}}"#, ["flag_not_0_or_1"]),
    Row(.alert, #"{"aps":{"alert":"x","content-available":true}}"#, ["flag_not_0_or_1"]),
    Row(.alert, #"{"aps":{"alert":"x","timestamp":1}}"#, ["activity_key_ignored"]),
    Row(.alert, #"{"aps":{"sound":{"critical":1,"name":"a.caf","volume":1}}}"#),
    Row(.alert, #"{"aps":{"sound":{"critical":2,"name":"a"}}}"#, ["critical_sound_shape"]),
    Row(.alert, #"{"aps":{"sound":{"critical":true,"name":"a"}}}"#, ["critical_sound_shape"]),
    Row(.alert, #"{"aps":{"sound":{"critical":1}}}"#, ["critical_sound_shape"]),
    Row(.alert, #"{"aps":{"sound":{"critical":1,"name":""}}}"#, ["critical_sound_shape"]),
    Row(.alert, #"{"aps":{"sound":{}}}"#, ["critical_sound_shape"]),
    Row(.alert, #"{"aps":{"sound":{"name":"a","volume":"1"}}}"#, ["critical_sound_shape"]),
    Row(.alert, #"{"aps":{"sound":""}}"#, ["nothing_to_show"]),
    Row(
      .alert, #"{"aps":{"sound":{"critical":1,"name":"a","volume":2}}}"#, ["critical_sound_shape"]),
  ]

  /// Of notifications that nobody sees.
  private static let backgrounds = [
    Row(.background, #"{"aps":{"content-available":1},"x":1}"#),
    Row(
      .background, #"{"aps":{"content-available":1,"mutable-content":1}}"#,
      ["mutable_content_without_alert"]),
    Row(.background, #"{"aps":{"content-available":1},"payload":{"aps":{"alert":"x"},"id":1}}"#),
    Row(
      .background, #"{"aps":{"alert":"x","badge":1,"sound":"s"}}"#,
      [
        "background_with_alert", "background_with_badge", "background_with_sound",
        "background_without_content_available",
      ]),
    Row(
      .background, #"{"aps":{"content-available":0}}"#, ["background_without_content_available"]),
    Row(.background, #"{"x":1}"#, ["background_without_content_available"]),
    Row(
      .background, #"{"aps":{"content-available":"1"}}"#,
      ["background_without_content_available", "flag_not_0_or_1"]),
  ]

  /// Of kinds whose `aps` is the app's or the extension's.
  private static let others = [
    Row(.voip, #"{"aps":{"alert":"hello world"},"id":1}"#),
    Row(.voip, #"{"call":{"id":"c"}}"#) { $0.expiration = 1_700_000_030 },
    Row(.voip, "{}", ["voip_expiration_long"]) { $0.expiration = 1_700_000_031 },
    Row(.voip, "{}", ["voip_expiration_long"]) { $0.expiration = nil },
    Row(.voip, "{}", ["voip_with_collapse_id"]) { $0.collapseID = "call" },
    Row(.voip, #"{"aps":{"alert":{"title-loc-key":"K"}}}"#, ["voip_with_loc_key"]),
    Row(.fileprovider, #"{"container-identifier":"c","domain":"d"}"#),
    Row(.fileprovider, #"{"aps":{}}"#, ["file_provider_without_container"]),
    Row(.complication, #"{"aps":{"odd":1},"x":1}"#),
    Row(.location, #"{"aps":{}}"#),
    Row(.pushtotalk, #"{"aps":{},"speaker":"Ann"}"#),
    Row(.widgets, #"{"aps":{"content-changed":true}}"#),
    Row(.widgets, #"{"aps":{}}"#, ["reload_without_content_changed"]),
    Row(.widgets, #"{"aps":{"content-changed":1}}"#, ["reload_without_content_changed"]),
    Row(.controls, #"{"aps":{"content-changed":true}}"#),
    Row(.controls, #"{"aps":{"content-changed":false}}"#, ["reload_without_content_changed"]),
    Row(.controls, #"{"x":1}"#, ["reload_without_content_changed"]),
    Row(.nowplaying, #"{"aps":{"event":"start","timestamp":1,"attributes":{"id":"s"}}}"#),
    Row(.nowplaying, #"{"aps":{"event":"end","timestamp":1,"attributes":{"id":"s"}}}"#),
    Row(
      .nowplaying, "{}",
      ["nowplaying_without_event", "nowplaying_without_timestamp", "nowplaying_without_id"]),
    Row(
      .nowplaying, #"{"aps":{"event":"play","timestamp":"1","attributes":{"id":"s"}}}"#,
      ["nowplaying_without_event", "nowplaying_without_timestamp"]),
    Row(
      .nowplaying, #"{"aps":{"event":"end","timestamp":1,"attributes":{"id":""}}}"#,
      ["nowplaying_without_id"]),
    Row(
      .nowplaying, #"{"aps":{"event":"update","timestamp":1,"attributes":{"id":7}}}"#,
      ["nowplaying_without_id"]),
    Row(
      .nowplaying, #"{"aps":{"event":"update","timestamp":1,"id":"s"}}"#,
      ["nowplaying_without_id"]),
  ]

  /// Of Live Activities.
  private static let activities = [
    Row(
      .liveactivity,
      #"{"aps":{"timestamp":1,"event":"update","content-state":{},"relevance-score":75,"#
        + #""stale-date":2,"alert":{"title":{"loc-key":"T","loc-args":["a"]},"#
        + #""body":{"loc-key":"B"},"sound":"s.aiff"}}}"#),
    Row(
      .liveactivity,
      #"{"aps":{"timestamp":1,"event":"start","content-state":{"eta":4},"attributes-type":"Ride","#
        + #""attributes":{},"alert":{"title":"T","body":"B"},"input-push-token":1}}"#),
    Row(
      .liveactivity,
      #"{"aps":{"timestamp":1,"event":"end","content-state":{},"dismissal-date":2}}"#),
    Row(.liveactivity, #"{"aps":{"timestamp":1,"event":"end"}}"#),
    Row(
      .liveactivity, #"{"aps":{"timestamp":1,"event":"update"}}"#,
      ["activity_without_content_state"]),
    Row(
      .liveactivity, #"{"x":1}"#,
      ["activity_without_timestamp", "activity_without_event", "activity_without_content_state"]),
    Row(
      .liveactivity, #"{"aps":{"timestamp":1,"event":"begin","content-state":{}}}"#,
      ["activity_event_unknown"]),
    Row(
      .liveactivity,
      #"{"aps":{"timestamp":1,"event":"start","content-state":{},"alert":{"title":{}}}}"#,
      [
        "activity_start_without_attributes_type", "activity_start_without_attributes",
        "activity_start_without_alert",
      ]),
    Row(
      .liveactivity,
      #"{"aps":{"timestamp":1,"event":"update","content-state":{},"attributes":{},"#
        + #""attributes-type":"Ride","input-push-channel":"c","dismissal-date":2}}"#,
      Array(repeating: "activity_key_ignored", count: 4)),
    Row(
      .liveactivity,
      #"{"aps":{"timestamp":1,"event":"update","content-state":{},"alert":{}}}"#, ["alert_empty"]),
    Row(
      .liveactivity,
      #"{"aps":{"timestamp":1,"event":"update","content-state":{},"badge":1,"sound":"s","#
        + #""alert":{"title":"T","subtitle":"S","loc-key":"K","launch-image":"i","x":1}}}"#,
      Array(repeating: "aps_member_ignored", count: 2)
        + Array(repeating: "alert_member_ignored", count: 4)),
    Row(
      .liveactivity,
      #"{"aps":{"timestamp":1,"event":"start","content-state":{},"attributes-type":"Ride","#
        + #""attributes":{},"alert":{"subtitle":"S"}}}"#,
      ["activity_start_without_alert", "alert_member_ignored"]),
    Row(
      .liveactivity,
      #"{"aps":{"timestamp":1,"event":"start","content-state":{},"attributes-type":"Ride","#
        + #""attributes":{},"alert":"x"}}"#, ["activity_start_without_alert"]),
    Row(
      .liveactivity,
      #"{"aps":{"timestamp":1,"event":"update","content-state":{},"alert":{"loc-key":"K"}}}"#,
      ["alert_empty", "alert_member_ignored"]),
    Row(
      .liveactivity,
      #"{"aps":{"timestamp":"1","event":"update","content-state":{}}}"#,
      ["activity_without_timestamp", "aps_member_ignored"]),
    Row(
      .liveactivity,
      #"{"aps":{"timestamp":1,"event":"update","content-state":{},"#
        + #""alert":{"title":{"loc-args":["a"]},"body":{"loc-key":"","loc-args":[1],"x":1}}}}"#,
      [
        "alert_empty", "loc_args_without_key", "loc_key_empty", "loc_args_not_strings",
        "alert_member_ignored",
      ]),
  ]
}
