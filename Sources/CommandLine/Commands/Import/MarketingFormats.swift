internal import ASCII
internal import DeviceProfile
internal import JSON

/// The services that keep what a marketing team knows of a person beside the tokens.
extension ForeignFormat {
  /// Airship's channels: a page of the listing (`{"channels": […]}`), or a channel on each line.
  static let airship = ForeignFormat(
    name: "airship", envelope: "channels",
    fields: [
      Field("device_type", ["/platform"]) { value, _ throws(InputFailure) in
        guard value.text == "ios" else {
          throw value.refusal("Only channels of the type ios are Apple's.")
        }
      },
      Field("channel_id", .id), Field("push_address", .token()),
      Field("installed", .status("false", "invalid", "uninstalled")),
      Field("opt_in", .permission()), Field("named_user_id", .user), Field("alias", .user),
      Field("tags", .tags),
      Field("tag_groups.ua_locale_language", ["/languages", "/locale"]) { $1.locale(known($0)) },
      Field("tag_groups.ua_locale_country", ["/languages", "/locale"]) { value, draft in
        guard let language = draft.locale, let region = known(value) else { return }
        draft.languages = []
        draft.locale("\(language)_\(region)")
      },
      Field("tag_groups.timezone", .text("time_zone")), Field("ios.tz", .text("time_zone")),
      Field("tag_groups.ua_ios_app_version", .text("app_version")),
      Field("tag_groups.ua_ios_model", .model),
      Field("device_attributes.ua_device_os", .text("os_version", numbers)),
      Field("tag_groups.ua_ios_version", .text("os_version", numbers)),
      Field("tag_groups.ua_*", .ignored), Field("tag_groups.named_user_id", .ignored),
      Field("attributes.*", .attributes()), Field("tag_groups.*", .attributes()),
      Field("created", .date("created_at")), Field("last_registration", .date("last_seen_at")),
      Field("background", .ignored), Field("ios.*", .ignored),
      Field("device_attributes.*", .ignored), Field("opt_in_date", .ignored),
      Field("opt_out_date", .ignored),
    ])

  /// What Airship knows.
  private static func known(_ value: ForeignValue) -> String? {
    value.texts.first { $0 != "Unknown" }
  }

  /// Braze's export of a segment: a person on each line, with the tokens of all their devices.
  static let braze = ForeignFormat(
    name: "braze", devices: brazeDevices,
    fields: [
      Field("push_tokens.platform", .platform(isRequired: true)),
      Field("push_tokens.token", .token()), Field("push_tokens.device_id", .id),
      Field("push_tokens.app", .vendorApp { $0.platform?.rawValue ?? "" }),
      Field("push_subscribe", .permission(["unsubscribed": "denied"])),
      Field("push_tokens.notifications_enabled", .permission()), Field("external_id", .user),
      Field("language", .languages), Field("time_zone", .text("time_zone")),
      Field("custom_attributes.*", .attributes()), Field("devices.model", .text("device_model")),
      Field("devices.os", .text("os_version", numbers)),
      Field("apps.version", .text("app_version")), Field("apps.first_used", .date("created_at")),
      Field("apps.last_used", .date("last_seen_at")), Field("push_tokens.*", .ignored),
      Field("devices.*", .ignored), Field("apps.*", .ignored), Field("braze_id", .ignored),
      Field("user_aliases.*", .ignored), Field("country", .ignored),
      Field("created_at", .ignored), Field("push_opted_in_at", .ignored),
    ])

  /// A record for each token of a person, with the device and the app that it is of.
  @Sendable private static func brazeDevices(_ person: JSONObject) -> [JSONObject] {
    each("push_tokens", of: person).map { record in
      let token = record["push_tokens"]
      var record = record
      record["devices"] = record["devices"]?.elements.first { device in
        guard let id = token?["device_id"]?.text else { return false }
        return device["device_id"]?.text == id || device["idfv"]?.text == id
      }
      record["apps"] = record["apps"]?.elements.first { app in
        app["name"] == token?["app"] && app["platform"] == token?["platform"]
      }
      return record
    }
  }

  /// Customer.io's people with their devices: an answer (`{"customers": […]}`), or a person on each
  /// line; each right there, or in a member `customer`.
  static let customerIO = ForeignFormat(
    name: "customerio", envelope: "customers",
    devices: { record in
      guard case .object(let person)? = record["customer"] else {
        return each("devices", of: record)
      }
      return each("devices", of: person)
    },
    fields: [
      Field("devices.platform", .platform(isRequired: true)), Field("devices.id", .token()),
      Field("devices.last_used", .date("last_seen_at")),
      Field("devices.attributes.device_os", .text("os_version", numbers)),
      Field("devices.attributes.device_model", .text("device_model")),
      Field("devices.attributes.app_version", .text("app_version")),
      Field("devices.attributes.device_locale", .locale),
      Field("devices.attributes.push_enabled", .permission()),
      Field("devices.attributes._last_status", .ignored),
      Field("devices.attributes.cio_sdk_version", .ignored),
      Field("devices.attributes.*", .ignored), Field("id", .user),
      Field("attributes.timezone", .text("time_zone")), Field("attributes.id", .ignored),
      Field("attributes.cio_id", .ignored), Field("attributes.email", .ignored),
      Field("attributes.*", .attributes()), Field("unsubscribed", .attributes("unsubscribed")),
      Field("identifiers.*", .ignored), Field("timestamps.*", .ignored),
      Field("customer.*", .ignored),
    ])

  /// The numbers of a version: `iOS (17.4.1)` is `17.4.1`, `9.3.X` is `9.3`.
  @Sendable private static func numbers(_ version: String) -> String {
    version.split { !$0.isASCII || !($0.isNumber || $0 == ".") }.first.map { version in
      String(version.last == "." ? version.dropLast() : version)
    } ?? version
  }
}
