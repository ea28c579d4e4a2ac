/// A reason why APNs would refuse a notification, or a device show less than was meant; or merely
/// something about it that has no effect.
public struct PayloadProblem: Sendable, Hashable {
  /// The kinds of problem; the raw values are stable and part of the API.
  public enum Code: String, Sendable, CaseIterable {
    /// More bytes than APNs takes for the push type.
    case payloadTooLarge = "payload_too_large"
    /// `apns-collapse-id` has more than 64 bytes.
    case collapseIDTooLong = "collapse_id_too_long"
    /// `apns-collapse-id` is not visible ASCII, which not every sender takes.
    case collapseIDNotASCII = "collapse_id_not_ascii"
    /// APNs does not take the priority for the push type, or for an alert with `content-available`.
    case priorityNotAllowed = "priority_not_allowed"
    /// `apns-topic` lacks the suffix that the push type adds to the bundle id.
    case topicWithoutSuffix = "topic_without_suffix"
    /// `apns-topic` is not the topic that the app has for the push type.
    case topicWrong = "topic_wrong"
    /// The app's data has a member `aps`, or `aps` is no object.
    case reservedAPSInData = "reserved_aps_in_data"
    /// An alert notification has no text, badge or sound.
    case nothingToShow = "nothing_to_show"
    /// `alert` has no text; a device drops it and shows the rest.
    case alertEmpty = "alert_empty"
    /// `mutable-content` without a text, so that the extension never runs.
    case mutableContentWithoutAlert = "mutable_content_without_alert"
    /// A background notification with another priority than 5.
    case backgroundPriority = "background_priority"
    /// A background notification with `alert`.
    case backgroundWithAlert = "background_with_alert"
    /// A background notification with `badge`.
    case backgroundWithBadge = "background_with_badge"
    /// A background notification with `sound`.
    case backgroundWithSound = "background_with_sound"
    /// A background notification without `content-available` 1.
    case backgroundWithoutContentAvailable = "background_without_content_available"
    /// A File Provider notification does not say what changed.
    case fileProviderWithoutContainer = "file_provider_without_container"
    /// A push that reloads widgets or controls without `content-changed` true.
    case reloadWithoutContentChanged = "reload_without_content_changed"
    /// A push for what a remote session plays without `event`, or with another than Apple's three.
    case nowPlayingWithoutEvent = "nowplaying_without_event"
    /// A push for what a remote session plays without `timestamp`.
    case nowPlayingWithoutTimestamp = "nowplaying_without_timestamp"
    /// A push for what a remote session plays without the `id` of the session in `attributes`.
    case nowPlayingWithoutID = "nowplaying_without_id"
    /// A Live Activity without `timestamp`.
    case activityWithoutTimestamp = "activity_without_timestamp"
    /// A Live Activity without `event`.
    case activityWithoutEvent = "activity_without_event"
    /// A Live Activity without `content-state`.
    case activityWithoutContentState = "activity_without_content_state"
    /// `event` is not one of Apple's three.
    case activityEventUnknown = "activity_event_unknown"
    /// A Live Activity starts without `attributes-type`.
    case activityStartWithoutAttributesType = "activity_start_without_attributes_type"
    /// A Live Activity starts without `attributes`.
    case activityStartWithoutAttributes = "activity_start_without_attributes"
    /// A Live Activity starts without an alert.
    case activityStartWithoutAlert = "activity_start_without_alert"
    /// A member of `aps` is not Apple's, not of its type, or of another push type.
    case apsMemberIgnored = "aps_member_ignored"
    /// A member of `alert` is not Apple's, not of its type, or of another push type.
    case alertMemberIgnored = "alert_member_ignored"
    /// `badge` is below 0; a device drops it.
    case badgeNegative = "badge_negative"
    /// A flag of `aps` is something else than 0 or 1.
    case flagNotZeroOrOne = "flag_not_0_or_1"
    /// `interruption-level` is not one of Apple's four.
    case interruptionLevelUnknown = "interruption_level_unknown"
    /// `relevance-score` is not from 0 to 1; a device brings it there.
    case relevanceScoreOutOfRange = "relevance_score_out_of_range"
    /// A key to look up is empty; a device takes it for none.
    case locKeyEmpty = "loc_key_empty"
    /// Arguments without the key of their text.
    case locArgsWithoutKey = "loc_args_without_key"
    /// Arguments that are no array of strings.
    case locArgsNotStrings = "loc_args_not_strings"
    /// The `sound` dictionary has other members, types or values than Apple's.
    case criticalSoundShape = "critical_sound_shape"
    /// A key that systems of today do not read.
    case legacyKey = "legacy_key"
    /// A key of Live Activities where it has no effect.
    case activityKeyIgnored = "activity_key_ignored"
    /// A call that APNs keeps longer than anyone would let it ring.
    case voipExpirationLong = "voip_expiration_long"
    /// A call with a collapse id, which does nothing.
    case voipWithCollapseID = "voip_with_collapse_id"
    /// A call with a key to look up, which nobody does.
    case voipWithLocKey = "voip_with_loc_key"
    /// The build lacks the key, and the device shows the key itself; in the alert of a Live
    /// Activity it may do so.
    case locKeyShown = "loc_key_shown"
    /// The build lacks the key, and the device shows the text beside it.
    case locKeyMissing = "loc_key_missing"
    /// There is no catalog to look for the keys in.
    case locKeyUnchecked = "loc_key_unchecked"
    /// The device shows `<null>` for an argument that is not there.
    case nullShown = "null_shown"
    /// The device shows a placeholder as it is written.
    case placeholderShown = "placeholder_shown"
    /// The device leaves out a placeholder that is not `%@`, with its value.
    case placeholderLost = "placeholder_lost"
    /// The device shows Apple's markup for words as it is written.
    case markupShown = "markup_shown"
    /// The app's data has a `null`.
    case nullInData = "null_in_data"
    /// APNs keeps nothing that long.
    case expirationTooLate = "expiration_too_late"
    /// A text has no characters; a device takes it for none.
    case memberEmpty = "member_empty"
    /// A sound that is not critical has a volume, which does nothing.
    case volumeIgnored = "volume_ignored"

    /// Whether nothing is refused or dropped: the problem is about something outdated or without
    /// effect.
    public var isNotice: Bool {
      switch self {
      case .legacyKey, .activityKeyIgnored, .voipExpirationLong, .voipWithCollapseID,
        .voipWithLocKey, .locKeyMissing, .locKeyUnchecked, .nullInData, .expirationTooLate,
        .memberEmpty, .volumeIgnored:
        true
      default: false
      }
    }
  }

  public let kind: Code
  /// Where it is (RFC 6901), in a document with the members `payload` and `headers`.
  public var pointer: String
  /// One sentence that names the fix.
  public let detail: String

  public init(kind: Code, pointer: String, detail: String) {
    self.kind = kind
    self.pointer = pointer
    self.detail = detail
  }

  /// The kind's stable `snake_case` code.
  public var code: String { kind.rawValue }
}
