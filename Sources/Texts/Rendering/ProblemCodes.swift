import ASCII
import Localization

extension RenderProblem {
  /// The problems that rendering itself finds; texts, the choice of the mode and Apple's rules have
  /// more.
  enum Code: String, CaseIterable {
    /// The catalog that was asked for lacks the key; the other has it.
    case otherCatalogUsed = "other_catalog_used"
    /// The device's build has no catalog; that of the nearest build has the text.
    case nearestCatalogUsed = "nearest_catalog_used"
    /// The text of a key is the key itself, and the key is no words. Example: a string catalog has
    /// no other text for it.
    case keyShown = "key_shown"
    /// None of the device's languages is there, and the message's fallback language is used.
    case fallbackLanguageUsed = "fallback_language_used"
    /// A local notification was asked for, and the app did not say that it makes them.
    case localNotDeclared = "local_not_declared"
    /// The moment at which a local notification is to be shown is over.
    case triggerInPast = "trigger_in_past"
    /// The message is to be shown at some time, and a VoIP notification cannot wait.
    case triggerIgnored = "trigger_ignored"
    /// A VoIP notification does not say which call rings.
    case voipWithoutCallID = "voip_without_call_id"
    /// The person did not allow critical alerts: an ordinary one stands in.
    case criticalSoundNotAllowed = "critical_sound_not_allowed"
    /// The device lacks an attribute that is an argument, and the default stands in.
    case attributeMissing = "attribute_missing"
    /// An attribute that is an argument has another type than its parameter, or is out of bounds.
    case attributeUnusable = "attribute_unusable"
    /// A date is written in UTC, as the device's time zone is not known.
    case timeZoneUnknown = "time_zone_unknown"
    /// Apple allows the priority only for other kinds of notification, or none was asked for and it
    /// is not the usual one.
    case priorityChanged = "priority_changed"
    /// An id is no visible ASCII, or too long for a collapse id, and its digest stands in.
    case collapseIDEncoded = "collapse_id_encoded"
    /// A sound that is not critical has a volume, which does nothing.
    case volumeIgnored = "volume_ignored"
    /// The app makes the notification, and no service extension of it runs.
    case mutableContentIgnored = "mutable_content_ignored"
    /// A text was cut, as the payload had more bytes than APNs takes.
    case textTruncated = "text_truncated"
    /// So many Live Activities of the device began within an hour that it may start no more.
    case activityStartsFrequent = "activity_starts_frequent"
    /// There is no text, badge or sound.
    case nothingToShow = "nothing_to_show"
  }

  /// The code of a text that comes from the catalog of another build.
  public static let nearestCatalogUsed = Code.nearestCatalogUsed.rawValue

  init(_ code: Code, detail: String, part: AlertPart? = nil) {
    self.init(code: code.rawValue, detail: detail, part: part)
  }

  /// A device that lacks the value of a parameter gets nothing.
  init(missingParameter name: String) {
    self.init(code: LocalizationProblem.Code.missingArgument.rawValue, detail: name)
  }

  /// Every code that a rendered request may tell: a closed list, for metrics.
  public static let codes: [String] =
    LocalizationProblem.Code.allCases.map(\.rawValue)
    + Code.allCases.map(\.rawValue) + payloadCodes + modeCodes

  /// The codes of `PayloadValidator` that a message can earn; the others are about payloads that a
  /// message cannot make.
  private static let payloadCodes = [
    "payload_too_large", "mutable_content_without_alert", "voip_expiration_long",
  ]

  /// Why the demanded `client` cannot be had, or could not be checked. A reason that is also a
  /// problem of texts is in the list already.
  private static let modeCodes = (ModeReason.obstacles + [.unverifiedKeys]).map(\.rawValue)
    .filter { LocalizationProblem.Code(spelled: $0) == nil }
}
