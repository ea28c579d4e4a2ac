internal import ASCII
internal import DeviceProfile
internal import JSON

/// The services that keep what a marketing team knows of a person beside the tokens.
extension ForeignFormat {
  /// Airship's channels: a page of the listing (`{"channels": […]}`), or a channel on each line.
  static let airship = ForeignFormat(
    name: "airship", header: nil, envelope: "channels",
    fields: [
      Field("channel_id", "/installation_id"), Field("device_type", "/platform"),
      Field("push_address", "/credentials/apns/token"),
      Field("installed", "/credentials/apns/status"), Field("opt_in", "/authorization/status"),
      Field("named_user_id", "/user/id"), Field("alias", "/user/id"), Field("tags", "/tags"),
      Field("tag_groups.ua_locale_language", "/languages", "/locale"),
      Field("tag_groups.ua_locale_country", "/languages", "/locale"),
      Field("tag_groups.timezone", "/time_zone"), Field("ios.tz", "/time_zone"),
      Field("tag_groups.ua_ios_app_version", "/app_version"),
      Field("tag_groups.ua_ios_model", "/device_model"),
      Field("tag_groups.ua_ios_version", "/os_version"),
      Field("device_attributes.ua_device_os", "/os_version"), Field("tag_groups.ua_*"),
      Field("tag_groups.named_user_id"), Field("tag_groups.*", "/attributes"),
      Field("attributes.*", "/attributes"), Field("created", "/created_at"),
      Field("last_registration", "/last_seen_at"), Field("background"), Field("ios.*"),
      Field("device_attributes.*"), Field("opt_in_date"), Field("opt_out_date"),
    ], keepsUnknownFields: false
  ) { record, draft throws(InputFailure) in
    guard record.text("device_type") == "ios" else {
      throw InputFailure(
        .unsupportedPlatform, at: "/device_type", "Only channels of the type ios are Apple's.")
    }
    draft.vendorID = record.text("channel_id")
    draft.token = record.text("push_address")
    draft.platform = record.text("tag_groups.ua_ios_model").flatMap(Platform.init(model:)) ?? .ios
    draft.authorization = record.text("opt_in").map { $0 == "true" ? "authorized" : "denied" }
    if record.text("installed") == "false" {
      draft.status = "invalid"
      draft.reason = "uninstalled"
    }
    draft.userID = record.text(anyOf: "named_user_id", "alias")
    draft.tags = record.texts("tags")
    func known(_ name: String) -> String? { record.texts(name).first { $0 != "Unknown" } }
    if let language = known("tag_groups.ua_locale_language") {
      let region = known("tag_groups.ua_locale_country").map { "_\($0)" } ?? ""
      draft.locale(language + region)
    }
    draft.texts["time_zone"] = record.text(anyOf: "tag_groups.timezone", "ios.tz")
    draft.texts["app_version"] = record.text("tag_groups.ua_ios_app_version")
    draft.texts["device_model"] = record.text("tag_groups.ua_ios_model")
    draft.texts["os_version"] =
      record.text(anyOf: "device_attributes.ua_device_os", "tag_groups.ua_ios_version").map(numbers)
    for member in record.members(of: "attributes.") { draft.attributes[member.name] = member.value }
    for member in record.members(of: "tag_groups.")
    where !["timezone", "named_user_id"].contains(member.name) && !member.name.hasPrefix("ua_") {
      draft.attributes[member.name] = member.value
    }
    draft.date("created_at", record.text("created"))
    draft.date("last_seen_at", record.text("last_registration"))
  }

  /// Braze's export of a segment: a person on each line, with the tokens of all their devices.
  static let braze = ForeignFormat(
    name: "braze", header: nil, envelope: nil,
    fields: [
      Field("push_tokens.token", "/credentials/apns/token"),
      Field("push_tokens.platform", "/platform"),
      Field("push_tokens.device_id", "/installation_id"),
      Field("push_tokens.notifications_enabled", "/authorization/status"),
      Field("push_subscribe", "/authorization/status"), Field("external_id", "/user/id"),
      Field("language", "/languages"), Field("time_zone", "/time_zone"),
      Field("custom_attributes.*", "/attributes"), Field("devices.model", "/device_model"),
      Field("devices.os", "/os_version"), Field("apps.version", "/app_version"),
      Field("apps.first_used", "/created_at"), Field("apps.last_used", "/last_seen_at"),
      Field("push_tokens.app"), Field("push_tokens.*"), Field("devices.*"), Field("apps.*"),
      Field("braze_id"),
      Field("user_aliases.*"), Field("country"), Field("created_at"), Field("push_opted_in_at"),
    ], keepsUnknownFields: false, devices: brazeDevices
  ) { record, draft throws(InputFailure) in
    draft.platform = try platform(
      record.text("push_tokens.platform") ?? "", at: "/push_tokens/platform")
    draft.vendorID = record.text("push_tokens.device_id")
    draft.token = record.text("push_tokens.token")
    draft.vendorApp = record.text("push_tokens.app").map {
      .init(name: $0, group: draft.platform.rawValue, pointer: "/push_tokens/app")
    }
    draft.userID = record.text("external_id")
    draft.languages = record.texts("language")
    switch (record.text("push_subscribe"), record.text("push_tokens.notifications_enabled")) {
    case ("unsubscribed", _), (_, "false"): draft.authorization = "denied"
    case (_, "true"): draft.authorization = "authorized"
    default: break
    }
    draft.texts["time_zone"] = record.text("time_zone")
    draft.texts["device_model"] = record.text("devices.model")
    draft.texts["os_version"] = record.text("devices.os").map(numbers)
    draft.texts["app_version"] = record.text("apps.version")
    for member in record.members(of: "custom_attributes.") {
      draft.attributes[member.name] = member.value
    }
    draft.date("created_at", record.text("apps.first_used"))
    draft.date("last_seen_at", record.text("apps.last_used"))
  }

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
    name: "customerio", header: nil, envelope: "customers",
    fields: [
      Field("devices.id", "/credentials/apns/token"), Field("devices.platform", "/platform"),
      Field("devices.last_used", "/last_seen_at"),
      Field("devices.attributes.device_os", "/os_version"),
      Field("devices.attributes.device_model", "/device_model"),
      Field("devices.attributes.app_version", "/app_version"),
      Field("devices.attributes.device_locale", "/languages", "/locale"),
      Field("devices.attributes.push_enabled", "/authorization/status"),
      Field("devices.attributes._last_status"), Field("devices.attributes.cio_sdk_version"),
      Field("devices.attributes.*"), Field("id", "/user/id"),
      Field("attributes.timezone", "/time_zone"), Field("attributes.id"),
      Field("attributes.cio_id"), Field("attributes.email"), Field("attributes.*", "/attributes"),
      Field("unsubscribed", "/attributes"), Field("identifiers.*"), Field("timestamps.*"),
      Field("customer.*"),
    ], keepsUnknownFields: false,
    devices: { record in
      guard case .object(let person)? = record["customer"] else {
        return each("devices", of: record)
      }
      return each("devices", of: person)
    }
  ) { record, draft throws(InputFailure) in
    draft.platform = try platform(record.text("devices.platform") ?? "", at: "/devices/platform")
    draft.token = record.text("devices.id")
    draft.userID = record.text("id")
    draft.locale(record.text("devices.attributes.device_locale"))
    draft.authorization = record.text("devices.attributes.push_enabled").map {
      $0 == "true" ? "authorized" : "denied"
    }
    draft.texts["time_zone"] = record.text("attributes.timezone")
    draft.texts["os_version"] = record.text("devices.attributes.device_os").map(numbers)
    draft.texts["device_model"] = record.text("devices.attributes.device_model")
    draft.texts["app_version"] = record.text("devices.attributes.app_version")
    for member in record.members(of: "attributes.")
    where !["timezone", "id", "cio_id", "email"].contains(member.name) {
      draft.attributes[member.name] = member.value
    }
    draft.attributes["unsubscribed"] = record.value("unsubscribed")
    draft.date("last_seen_at", record.text("devices.last_used"))
  }

  /// The numbers of a version: `iOS (17.4.1)` is `17.4.1`, `9.3.X` is `9.3`.
  private static func numbers(_ version: String) -> String {
    version.split { !$0.isASCII || !($0.isNumber || $0 == ".") }.first.map { version in
      String(version.last == "." ? version.dropLast() : version)
    } ?? version
  }
}
