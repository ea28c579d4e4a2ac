@testable import App
@testable import Registry

extension RegistrationCase {
  /// The language that the backend chose for a person comes and goes with them.
  static let languages: [Self] = [
    Self(
      name: "the first launch of someone who chose a language elsewhere", stored: nil, chosen: "fr",
      report: #"{"platform": "ios", "environment": "production", "user": {"id": "u42"}}"#,
      outcome: .created, check: { $0.languageOverride == "fr" }),
    Self(
      name: "the first launch of no one has no one's language", stored: nil,
      report: #"{"platform": "ios", "environment": "production"}"#, outcome: .created,
      check: { $0.languageOverride == nil }),
    Self(
      name: "another person logs in, who chose a language",
      stored: device { $0.languageOverride = "de" }, chosen: "fr",
      report: #"{"user": {"id": "u43"}}"#, outcome: .updated,
      check: { $0.userID == "u43" && $0.languageOverride == "fr" }),
    Self(
      name: "another person logs in, who chose none",
      stored: device { $0.languageOverride = "de" }, report: #"{"user": {"id": "u43"}}"#,
      outcome: .updated, check: { $0.languageOverride == nil }),
    Self(
      name: "someone logs in on a device of no one", stored: device { $0.userID = nil },
      chosen: "fr", report: #"{"user": {"id": "u42"}}"#, outcome: .updated,
      check: { $0.languageOverride == "fr" }),
    Self(
      name: "logged out, the device speaks its own language again",
      stored: device { $0.languageOverride = "de" }, report: #"{"user": null}"#,
      outcome: .updated, check: { $0.userID == nil && $0.languageOverride == nil }),
    Self(
      name: "the same person again, as at every launch",
      stored: device { $0.languageOverride = "de" }, report: #"{"user": {"id": "u42"}}"#,
      outcome: .seen),
    Self(
      name: "a login that the offline queue kept too long", chosen: "fr",
      report: #"{"user": {"id": "u43"}, "reported_at": "2026-04-24T03:04:00Z"}"#,
      outcome: .stale),
  ]
}
