internal import DeviceProfile
internal import JSON

extension ForeignFormat {
  /// All of them but a table of one's own, whose columns are told.
  static let all = [
    aeroGear, parse, oneSignal, pinpoint, sns, airship, braze, customerIO, azure,
  ]

  /// AeroGear UnifiedPush Server: the JSON array of its importer. It has no id of its own and no
  /// dates; the token names the installation.
  static let aeroGear = ForeignFormat(
    name: "aerogear", header: nil, envelope: nil,
    fields: [
      Field("deviceToken", "/credentials/apns/token"), Field("deviceType", "/device_model"),
      Field("operatingSystem", "/platform"), Field("osVersion", "/os_version"),
      Field("alias", "/user/id"), Field("categories", "/tags"),
      Field("categories.name", "/tags"), Field("categories.id"),
      Field("enabled", "/credentials/apns/status"), Field("id"), Field("platform"),
    ], keepsUnknownFields: false
  ) { record, draft throws(InputFailure) in
    if let system = record.text("operatingSystem") {
      draft.platform = try platform(system, at: "/operatingSystem")
    } else {
      draft.platform = record.text("deviceType").flatMap(Platform.init(model:)) ?? .ios
    }
    draft.token = record.text("deviceToken")
    draft.texts["device_model"] = record.text("deviceType")
    draft.texts["os_version"] = record.text("osVersion")
    draft.userID = record.text("alias")
    draft.tags = record.texts("categories") + record.texts("categories.name")
    if record.text("enabled") == "false" {
      draft.status = "quarantined"
      draft.reason = "disabled"
    }
  }

  /// Parse Server's `_Installation`: the REST answer (`{"results": […]}`) or lines of mongoexport
  /// in relaxed or canonical extended JSON.
  static let parse = ForeignFormat(
    name: "parse", header: nil, envelope: "results",
    fields: [
      Field("deviceToken", "/credentials/apns/token"), Field("deviceType", "/platform"),
      Field("installationId", "/installation_id"), Field("objectId", "/installation_id"),
      Field("_id", "/installation_id"), Field("channels", "/tags"),
      Field("localeIdentifier", "/languages", "/locale"), Field("timeZone", "/time_zone"),
      Field("appVersion", "/app_build"), Field("user.objectId", "/user/id"),
      Field("user.className"), Field("user.__type"), Field("_p_user", "/user/id"),
      Field("createdAt", "/created_at"), Field("createdAt.*", "/created_at"),
      Field("_created_at", "/created_at"), Field("_created_at.*", "/created_at"),
      Field("updatedAt", "/updated_at"), Field("updatedAt.*", "/updated_at"),
      Field("_updated_at", "/updated_at"), Field("_updated_at.*", "/updated_at"),
      Field("pushType"), Field("GCMSenderId"), Field("badge"), Field("badge.*"),
      Field("appIdentifier", "/bundle_id"), Field("appName"), Field("parseVersion"), Field("ACL.*"),
      Field("_acl.*"), Field("_rperm"), Field("_wperm"), Field("_session_token"),
    ], keepsUnknownFields: true
  ) { record, draft throws(InputFailure) in
    let type = record.text("deviceType") ?? "ios"
    draft.platform = try platform(type, at: "/deviceType")
    draft.vendorID = record.text(anyOf: "installationId", "objectId", "_id")
    draft.token = record.text("deviceToken")
    draft.bundleID = record.text("appIdentifier")
    // "" is the broadcast channel, which is everyone.
    draft.tags = record.texts("channels")
    draft.locale(record.text("localeIdentifier"))
    draft.texts["time_zone"] = record.text("timeZone")
    // The iOS SDK sends CFBundleVersion.
    draft.texts["app_build"] = record.text("appVersion")
    draft.userID =
      record.text("user.objectId")
      ?? record.text("_p_user").map { String($0.split(separator: "$").last ?? "") }
    for (name, plain) in [("created_at", "createdAt"), ("updated_at", "updatedAt")] {
      let names = [plain, "_\(name)"].flatMap { name in
        [name, "\(name).iso", "\(name).$date", "\(name).$date.$numberLong"]
      }
      draft.date(name, names.lazy.compactMap { record.text($0) }.first)
    }
  }

  /// Azure Notification Hubs: installations as the SDK models them, an array or one on each line.
  static let azure = ForeignFormat(
    name: "azure", header: nil, envelope: nil,
    fields: [
      Field("installationId", "/installation_id"), Field("pushChannel", "/credentials/apns/token"),
      Field("platform"), Field("userId", "/user/id"), Field("tags", "/tags", "/languages"),
      Field("pushChannelExpired", "/credentials/apns/status"),
      Field("expirationTime", "/credentials/apns/invalidated_at"),
      Field("pushVariables.*", "/attributes"), Field("lastUpdate", "/updated_at"),
      Field("lastActiveOn", "/last_seen_at"), Field("templates.*"), Field("secondaryTiles.*"),
    ], keepsUnknownFields: false
  ) { record, draft throws(InputFailure) in
    guard let service = record.text("platform"), service.lowercased() == "apns" else {
      throw InputFailure(
        .unsupportedPlatform, at: "/platform", "Only channels of platform apns are Apple's.")
    }
    draft.vendorID = record.text("installationId")
    draft.token = record.text("pushChannel")
    draft.userID = record.text("userId")
    draft.tags = record.texts("tags")
    // A convention, as the service knows no language.
    draft.languages = draft.tags.compactMap { tag in
      tag.hasPrefix("lang:") ? String(tag.dropFirst(5)) : nil
    }
    draft.attributes = JSONObject(
      record.members(of: "pushVariables.").map { (key: $0.name, value: $0.value) })
    draft.date("updated_at", record.text("lastUpdate"))
    draft.date("last_seen_at", record.text("lastActiveOn"))
    if record.text("pushChannelExpired") == "true" {
      draft.status = "invalid"
      draft.reason = "pushChannelExpired"
    }
    if let time = record.text("expirationTime").flatMap(ForeignTime.init),
      time.microseconds <= draft.now
    {
      draft.status = "invalid"
      draft.reason = "expirationTime"
      draft.invalidatedAt = time.rfc3339
    }
  }

  /// OneSignal's CSV export of subscriptions.
  static let oneSignal = ForeignFormat(
    name: "onesignal", header: ["identifier", "device_type"], envelope: nil,
    fields: [
      Field("id", "/installation_id"), Field("identifier", "/credentials/apns/token"),
      Field("device_type", "/platform"), Field("language", "/languages"),
      Field("timezone_id", "/time_zone"), Field("game_version", "/app_version", "/app_build"),
      Field("device_os", "/os_version"), Field("device_model", "/device_model"),
      Field("tags", "/attributes"), Field("external_user_id", "/user/id"),
      Field("created_at", "/created_at"), Field("last_active", "/last_seen_at"),
      Field("notification_types", "/authorization/status"),
      Field("invalid_identifier", "/authorization/status", "/credentials/apns/status"),
      Field("test_type", "/environment"), Field("app_id"),
      Field("session_count"), Field("timezone"), Field("ad_id"), Field("playtime"),
      Field("amount_spent"), Field("badge_count"), Field("country"),
    ], keepsUnknownFields: false
  ) { record, draft throws(InputFailure) in
    switch record.text("device_type") {
    case "0": draft.platform = .ios
    case "9": draft.platform = .macos
    default:
      throw InputFailure(
        .unsupportedPlatform, at: "/device_type", "Only device types 0 (iOS) and 9 (macOS).")
    }
    draft.vendorID = record.text("id")
    draft.token = record.text("identifier")
    draft.vendorApp = record.text("app_id").map { .init(name: $0, pointer: "/app_id") }
    if record.text("test_type") == "1" { draft.environment = .sandbox }
    draft.languages = record.texts("language")
    draft.texts["time_zone"] = record.text("timezone_id")
    // Libraries before 5 send CFBundleVersion, as 412; those from 5 on CFBundleShortVersionString.
    let version = record.text("game_version")
    draft.texts[version?.contains(".") == true ? "app_version" : "app_build"] = version
    draft.texts["os_version"] = record.text("device_os")
    draft.texts["device_model"] = record.text("device_model")
    draft.userID = record.text("external_user_id")
    draft.date("created_at", record.text("created_at"))
    draft.date("last_seen_at", record.text("last_active"))
    let types = record.text("notification_types").flatMap { Int($0) }
    draft.authorization = types.flatMap(authorization)
    // The subscription is over; only some of the numbers say that the token is no good.
    if ["t", "true"].contains(record.text("invalid_identifier")?.lowercased()) {
      if let types, withoutToken.contains(types) {
        draft.status = "invalid"
        draft.reason = "invalid_identifier"
      } else {
        draft.authorization = "denied"
      }
    }
    guard let tags = record.text("tags") else { return }
    if case .object(let members) = JSONValue(parsing: Array(tags.utf8)) {
      draft.attributes = members
    } else {
      draft.leaveOut(
        InputFault.malformedJSON.problem(at: "/attributes", "The tags are no JSON object."))
    }
  }

  /// 1 and more: subscribed; 0 and -2: not any more. Others are errors of a registration, which
  /// say nothing about the person.
  private static func authorization(_ types: Int) -> String? {
    switch types {
    case 1...: "authorized"
    case 0, -2: "denied"
    default: nil
    }
  }

  /// Apple gave the app no token: `ERROR_PUSH_…` of OneSignal's library for iOS.
  private static let withoutToken = -17 ... -13

  /// Amazon Pinpoint's endpoints: CSV with dotted names, or a JSON object on each line.
  static let pinpoint = ForeignFormat(
    name: "pinpoint", header: ["ChannelType", "Address"], takesJSON: true, envelope: nil,
    fields: [
      Field("ChannelType", "/environment"),
      Field("Address", "/credentials/apns/token", "/credentials/voip/token"),
      Field("Id", "/installation_id"),
      Field("OptOut", "/authorization/status"), Field("EndpointStatus", "/credentials/apns/status"),
      Field("EffectiveDate", "/updated_at"), Field("CreationDate", "/created_at"),
      Field("Demographic.Platform", "/platform"),
      Field("Demographic.PlatformVersion", "/os_version"),
      Field("Demographic.Model", "/device_model"),
      Field("Demographic.AppVersion", "/app_version"),
      Field("Demographic.Locale", "/languages", "/locale"),
      Field("Demographic.Timezone", "/time_zone"), Field("User.UserId", "/user/id"),
      Field("User.UserAttributes.*", "/attributes"), Field("Attributes.*", "/attributes"),
      Field("Metrics.*", "/attributes"), Field("Demographic.Make"),
      Field("Demographic.ModelVersion"), Field("Location.*"), Field("RequestId"),
      Field("CohortId"), Field("ApplicationId"),
    ], keepsUnknownFields: false
  ) { record, draft throws(InputFailure) in
    let channels: [String: (kind: String, environment: Environment)] = [
      "APNS": ("apns", draft.environment), "APNS_SANDBOX": ("apns", .sandbox),
      "APNS_VOIP": ("voip", draft.environment), "APNS_VOIP_SANDBOX": ("voip", .sandbox),
    ]
    guard let channel = record.text("ChannelType").flatMap({ channels[$0] }) else {
      throw InputFailure(
        .unsupportedPlatform, at: "/ChannelType", "Only the channels of APNS are Apple's.")
    }
    (draft.kind, draft.environment) = channel
    draft.vendorID = record.text("Id")
    draft.token = record.text("Address")
    draft.vendorApp = record.text("ApplicationId").map {
      .init(name: $0, pointer: "/ApplicationId")
    }
    if let system = record.text("Demographic.Platform") {
      // The channel says that it is Apple's, whatever the app calls its system.
      draft.platform = Platform(foreign: system) ?? .ios
      if Platform(foreign: system) == nil {
        draft.leaveOut(
          ForeignFault.unsupportedPlatform.problem(
            at: "/platform", "It is no system of Apple's; the channel is: taken as iOS."))
      }
    }
    if record.text("OptOut") == "ALL" { draft.authorization = "denied" }
    if record.text("EndpointStatus") == "INACTIVE" {
      draft.status = "quarantined"
      draft.reason = "INACTIVE"
    }
    draft.date("updated_at", record.text("EffectiveDate"))
    draft.date("created_at", record.text("CreationDate"))
    draft.texts["os_version"] = record.text("Demographic.PlatformVersion")
    draft.texts["device_model"] = record.text("Demographic.Model")
    draft.texts["app_version"] = record.text("Demographic.AppVersion")
    draft.texts["time_zone"] = record.text("Demographic.Timezone")
    draft.locale(record.text("Demographic.Locale"))
    draft.userID = record.text("User.UserId")
    for member in record.members(of: "Attributes.") {
      draft.attributes[member.name] = member.value
    }
    for member in record.members(of: "User.UserAttributes.") {
      draft.attributes["user.\(member.name)"] = member.value
    }
    for member in record.members(of: "Metrics.") {
      // CSV has them as text.
      let number = record.text("Metrics.\(member.name)").flatMap {
        JSONValue(parsing: Array($0.utf8))
      }
      draft.attributes["metrics.\(member.name)"] = number ?? member.value
    }
  }

  /// Amazon SNS: the endpoints of a platform application, as the AWS command line prints them.
  static let sns = ForeignFormat(
    name: "sns", header: nil, envelope: "Endpoints",
    fields: [
      Field("EndpointArn", "/installation_id", "/environment", "/platform"),
      Field("Attributes.Token", "/credentials/apns/token", "/credentials/voip/token"),
      Field("Attributes.Enabled", "/credentials/apns/status", "/credentials/voip/status"),
      Field("Attributes.CustomUserData", "/attributes"),
    ], keepsUnknownFields: false
  ) { record, draft throws(InputFailure) in
    // arn:aws:sns:us-east-1:123456789012:endpoint/APNS_SANDBOX/food/8f1f9d7c-…
    let arn = record.text("EndpointArn") ?? ""
    let parts = arn.split(separator: "/")
    let service = parts.count > 1 ? String(parts[1]) : ""
    switch service.replacing("_SANDBOX", with: "") {
    case "APNS": break
    case "APNS_VOIP": draft.kind = "voip"
    case "MACOS": draft.platform = .macos
    default:
      throw InputFailure(
        .unsupportedPlatform, at: "/EndpointArn", "Only endpoints of APNS and MACOS are Apple's.")
    }
    draft.environment = service.hasSuffix("_SANDBOX") ? .sandbox : .production
    draft.vendorID = arn
    draft.vendorApp =
      parts.count > 2
      ? .init(name: String(parts[2]), group: service, pointer: "/EndpointArn") : nil
    draft.token = record.text("Attributes.Token")
    if record.text("Attributes.Enabled") == "false" {
      draft.status = "quarantined"
      draft.reason = "disabled"
    }
    draft.attributes["custom_user_data"] = record.value("Attributes.CustomUserData")
  }

  /// The system that a record names.
  static func platform(_ text: String, at pointer: String) throws(InputFailure) -> Platform {
    guard let platform = Platform(foreign: text) else {
      throw InputFailure(
        .unsupportedPlatform, at: pointer, "Only devices with a system of Apple's have tokens.")
    }
    return platform
  }
}
