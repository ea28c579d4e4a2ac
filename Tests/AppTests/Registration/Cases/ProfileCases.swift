import DeviceProfile
import JSON
import Postgres
import Rendering

@testable import App
@testable import Registry

extension RegistrationCase {
  /// What an app says about the device, the person and itself.
  static let profiles: [Self] = [
    Self(
      name: "the person changes the language", report: #"{"languages": ["en-GB", "fr-CA"]}"#,
      outcome: .updated, check: { $0.languages == ["en-GB", "fr-CA"] && $0.userID == "u42" }),
    Self(
      name: "the app was updated", report: #"{"app_version": "3.3.0"}"#, outcome: .updated,
      check: { $0.appVersion == "3.3.0" && $0.languages == ["fr-CA"] }),
    Self(
      name: "log out by null", report: #"{"user": null}"#, outcome: .updated,
      check: { $0.userID == nil && $0.credentials[.apns] != nil }),
    Self(
      name: "log out by a null id", report: #"{"user": {"id": null}}"#, outcome: .updated,
      check: { $0.userID == nil }),
    Self(
      name: "another person logs in", report: #"{"user": {"id": "u43"}}"#, outcome: .updated,
      check: { $0.userID == "u43" }),
    Self(
      name: "notifications were switched off",
      report: #"{"authorization": {"status": "denied", "alert": false}}"#, outcome: .updated,
      check: { $0.authorization?.json == #"{"alert":false,"status":"denied"}"# }),
    Self(
      name: "the same permissions, switches in another order",
      stored: device {
        $0.authorization = Authorization(json: #"{"alert":true,"status":"authorized"}"#)
      },
      report: #"{"authorization": {"status": "authorized", "alert": true}}"#, outcome: .seen),
    Self(
      name: "tags cleared", report: #"{"tags": null}"#, outcome: .updated,
      check: { $0.tags.isEmpty && $0.attributes != nil }),
    Self(
      name: "tags change by name",
      report: #"{"tag_changes": {"add": ["vip", 7], "remove": ["none"]}}"#,
      outcome: .updated, check: { $0.tags == ["beta", "vip"] }),
    Self(
      name: "tags that are so already", report: #"{"tag_changes": {"add": ["beta"]}}"#,
      outcome: .seen),
    Self(
      name: "attributes are replaced, not merged", report: #"{"attributes": {"seats": 4}}"#,
      outcome: .updated, check: { $0.attributes?.json == #"{"seats":4}"# }),
    Self(
      name: "a language chosen by the backend survives the app's reports",
      stored: device { $0.languageOverride = "de" }, report: #"{"languages": ["en"]}"#,
      outcome: .updated, check: { $0.languageOverride == "de" }),
    Self(
      name: "every field is told",
      report: """
        {"languages": ["de-AT"], "locale": "de_AT", "time_zone": "Europe/Vienna",
         "app_version": "4.0", "app_build": "500", "os_version": "18.0", "device_model": "iPad8,1",
         "localization": "server", "capabilities": ["loc-key"],
         "authorization": {"status": "provisional"}, "background_refresh": "restricted",
         "user": {"id": "u7"}, "tags": [], "attributes": {}, "bundle_id": "com.example.watch",
         "frequent_pushes": true, "live_activities_allowed": false}
        """,
      outcome: .updated,
      check: {
        $0.languages == ["de-AT"] && $0.locale == "de_AT" && $0.timeZone == "Europe/Vienna"
          && $0.appVersion == "4.0" && $0.appBuild == "500" && $0.osVersion == "18.0"
          && $0.deviceModel == "iPad8,1" && $0.localization == .server
          && $0.capabilities == ["loc-key"]
          && $0.authorization?.json == #"{"status":"provisional"}"#
          && $0.backgroundRefresh == .restricted && $0.userID == "u7"
          && $0.tags.isEmpty && $0.attributes?.json == "{}"
          && $0.bundleID == "com.example.watch" && $0.frequentPushes == true
          && $0.liveActivitiesAllowed == false
      }),
    Self(
      name: "every field that can be cleared is cleared, and the tokens stay",
      stored: device {
        $0.backgroundRefresh = .denied
        ($0.bundleID, $0.frequentPushes, $0.liveActivitiesAllowed) = ("a.b", true, true)
      },
      report: """
        {"languages": null, "locale": null, "time_zone": null, "app_version": null,
         "app_build": null, "os_version": null, "device_model": null, "localization": null,
         "capabilities": null, "authorization": null, "background_refresh": null, "user": null,
         "tags": null, "attributes": null, "bundle_id": null, "frequent_pushes": null,
         "live_activities_allowed": null, "reported_at": null}
        """,
      outcome: .updated,
      check: {
        $0.languages.isEmpty && $0.appVersion == nil && $0.userID == nil && $0.tags.isEmpty
          && $0.attributes == nil && $0.localization == .auto && $0.backgroundRefresh == nil
          && $0.bundleID == nil && $0.frequentPushes == nil && $0.liveActivitiesAllowed == nil
          && $0.credentials == device.credentials && $0.reportedAt == device.reportedAt
      }),
    Self(
      name: "null where nothing was", stored: device { $0.userID = nil },
      report: #"{"user": null, "locale": null, "localization": null, "capabilities": null}"#,
      outcome: .seen),
    Self(
      name: "a profile that changes together with the token it repeats",
      report: #"{"locale": "fr_CA", "credentials": {"apns": \#(json("a1"))}}"#, outcome: .updated,
      check: {
        $0.credentials[.apns]?.presentedAt == time(60)
          && $0.credentials[.apns]?.registeredAt == start
          && $0.credentials[.voip]?.presentedAt == start
      }),
    Self(
      name: "a profile that changes without a token", report: #"{"locale": "fr_CA"}"#,
      outcome: .updated, check: { $0.credentials == device.credentials }),
  ]

  /// Reports with a time, in any order.
  static let times: [Self] = [
    Self(
      name: "a report from the offline queue, older than the stored one",
      report: """
        {"credentials": {"apns": \(json("a9"))}, "languages": ["de"],
         "reported_at": "2026-04-24T03:04:00Z"}
        """,
      outcome: .stale),
    Self(
      name: "an old report of an unchanged device",
      report: #"{"reported_at": "2020-01-01T00:00:00Z"}"#,
      outcome: .stale),
    Self(
      name: "a report of the same instant is applied",
      report: #"{"languages": ["de"], "reported_at": "2026-04-24T03:05:00Z"}"#, outcome: .updated,
      check: { $0.languages == ["de"] }),
    Self(
      name: "a newer report",
      report: #"{"languages": ["de"], "reported_at": "2026-04-24T03:07:00Z"}"#,
      outcome: .updated, check: { $0.reportedAt?.rfc3339 == "2026-04-24T03:07:00.000Z" }),
    Self(
      name: "a clock ahead does not shut out later reports",
      report: #"{"languages": ["de"], "reported_at": "2030-01-01T00:00:00Z"}"#, outcome: .updated,
      check: { $0.reportedAt == Timestamp(microseconds: start.microseconds + 60_000_000) }),
    Self(
      name: "a report without a time is applied and moves nothing",
      report: #"{"languages": ["de"]}"#, outcome: .updated,
      check: { $0.reportedAt == device.reportedAt && $0.languages == ["de"] }),
    Self(
      name: "a report with a time where none was stored",
      stored: device { $0.reportedAt = nil },
      report: #"{"languages": ["de"], "reported_at": "2020-01-01T00:00:00Z"}"#, outcome: .updated,
      check: { $0.reportedAt?.rfc3339 == "2020-01-01T00:00:00.000Z" }),
    Self(
      name: "an older report after a day is not even a sign of life",
      report: #"{"reported_at": "2026-04-24T03:04:00Z"}"#, after: day, outcome: .stale),
    Self(
      name: "an older report of the backend changes nothing either", source: .backend,
      report: #"{"tags": ["vip"], "reported_at": "2026-04-24T03:04:00Z"}"#, outcome: .stale),
    Self(
      name: "after a clock ahead was set right, reports are applied",
      stored: device { $0.reportedAt = start },
      report: #"{"languages": ["de"], "reported_at": "2026-04-24T03:07:00Z"}"#,
      outcome: .updated, check: { $0.languages == ["de"] }),
  ]
}
