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
    name: "aerogear",
    fields: [
      Field("deviceToken", .token()), Field("operatingSystem", .platform()),
      Field("deviceType", .model), Field("osVersion", .text("os_version")), Field("alias", .user),
      Field("categories", .tags), Field("categories.name", .tags),
      Field("categories.id", .ignored),
      Field("enabled", .status("false", "quarantined", "disabled")), Field("id", .ignored),
      Field("platform", .ignored),
    ])

  /// Parse Server's `_Installation`: the REST answer (`{"results": […]}`) or lines of mongoexport
  /// in relaxed or canonical extended JSON.
  static let parse = ForeignFormat(
    name: "parse", envelope: "results",
    fields: [
      Field("deviceToken", .token()), Field("deviceType", .platform()),
      Field("installationId", .id), Field("objectId", .id), Field("_id", .id),
      // "" is the broadcast channel, which is everyone.
      Field("channels", .tags), Field("localeIdentifier", .locale),
      Field("timeZone", .text("time_zone")),
      // The iOS SDK sends CFBundleVersion.
      Field("appVersion", .text("app_build")), Field("user.objectId", .user),
      Field("user.className", .ignored), Field("user.__type", .ignored),
      Field(
        "_p_user", .text(\.userID, "/user/id") { $0.split(separator: "$").last.map(String.init) }),
      Field("createdAt", .date("created_at")), Field("createdAt.*", .date("created_at")),
      Field("_created_at", .date("created_at")), Field("_created_at.*", .date("created_at")),
      Field("updatedAt", .date("updated_at")), Field("updatedAt.*", .date("updated_at")),
      Field("_updated_at", .date("updated_at")), Field("_updated_at.*", .date("updated_at")),
      Field("pushType", .ignored), Field("GCMSenderId", .ignored), Field("badge", .ignored),
      Field("badge.*", .ignored), Field("appIdentifier", .bundleID), Field("appName", .ignored),
      Field("parseVersion", .ignored), Field("ACL.*", .ignored), Field("_acl.*", .ignored),
      Field("_rperm", .ignored), Field("_wperm", .ignored), Field("_session_token", .ignored),
      Field("*", .attributes()),
    ])

  /// Azure Notification Hubs: installations as the SDK models them, an array or one on each line.
  static let azure = ForeignFormat(
    name: "azure",
    fields: [
      Field("platform") { value, _ throws(InputFailure) in
        guard value.text?.lowercased() == "apns" else {
          throw value.refusal("Only channels of platform apns are Apple's.")
        }
      },
      Field("installationId", .id), Field("pushChannel", .token()), Field("userId", .user),
      Field("tags", ["/tags", "/languages"]) { value, draft in
        draft.tags = value.texts
        // A convention, as the service knows no language.
        draft.languages = draft.tags.compactMap { tag in
          tag.hasPrefix("lang:") ? String(tag.dropFirst(5)) : nil
        }
      },
      Field("pushChannelExpired", .status("true", "invalid", "pushChannelExpired")),
      Field("expirationTime", ["/credentials/apns/invalidated_at"]) { value, draft in
        guard let time = value.text.flatMap(ForeignTime.init), time.microseconds <= draft.now
        else { return }
        (draft.status, draft.reason) = ("invalid", "expirationTime")
        draft.invalidatedAt = time.rfc3339
      },
      Field("pushVariables.*", .attributes()), Field("lastUpdate", .date("updated_at")),
      Field("lastActiveOn", .date("last_seen_at")), Field("templates.*", .ignored),
      Field("secondaryTiles.*", .ignored),
    ])

  /// OneSignal's CSV export of subscriptions.
  static let oneSignal = ForeignFormat(
    name: "onesignal", header: ["identifier", "device_type"],
    fields: [
      Field("device_type", ["/platform"]) { value, draft throws(InputFailure) in
        switch value.text {
        case "0": draft.platform = .ios
        case "9": draft.platform = .macos
        default: throw value.refusal("Only device types 0 (iOS) and 9 (macOS).")
        }
      },
      Field("id", .id), Field("identifier", .token()), Field("app_id", .vendorApp()),
      Field("test_type", ["/environment"]) { if $0.text == "1" { $1.environment = .sandbox } },
      Field("language", .languages), Field("timezone_id", .text("time_zone")),
      Field("game_version", ["/app_version", "/app_build"]) { value, draft in
        // Libraries before 5 send CFBundleVersion, as 412; those from 5 on
        // CFBundleShortVersionString.
        draft.texts[value.text?.contains(".") == true ? "app_version" : "app_build"] = value.text
      },
      Field("device_os", .text("os_version")), Field("device_model", .text("device_model")),
      Field("external_user_id", .user), Field("created_at", .date("created_at")),
      Field("last_active", .date("last_seen_at")),
      // The subscription is over.
      Field(
        "invalid_identifier",
        .text(\.authorization, "/authorization/status") {
          ["t", "true"].contains($0.lowercased()) ? "denied" : nil
        }),
      Field("notification_types", notificationTypes),
      Field("tags", ["/attributes"]) { value, draft in
        guard let tags = value.text else { return }
        if case .object(let members) = JSONValue(parsing: Array(tags.utf8)) {
          draft.attributes = members
        } else {
          draft.ignored.append(
            InputFault.malformedJSON.problem(at: value.pointer, "The tags are no JSON object."))
        }
      },
      Field("session_count", .ignored), Field("timezone", .ignored), Field("ad_id", .ignored),
      Field("playtime", .ignored), Field("amount_spent", .ignored),
      Field("badge_count", .ignored), Field("country", .ignored),
    ])

  /// 1 and more: subscribed; 0 and -2: not any more. Others are errors of a registration, which
  /// say nothing about the person. If the subscription is over, from -17 to -13 Apple gave the app
  /// no token: `ERROR_PUSH_…` of OneSignal's library for iOS.
  private static let notificationTypes = ForeignUse(
    ["/authorization/status", "/credentials/apns/status"]
  ) { value, draft in
    let isOver = draft.authorization != nil
    switch value.text.flatMap({ Int($0) }) {
    case (-17 ... -13)? where isOver:
      draft.authorization = nil
      (draft.status, draft.reason) = ("invalid", "invalid_identifier")
    case (1...)? where !isOver: draft.authorization = "authorized"
    case 0 where !isOver, -2 where !isOver: draft.authorization = "denied"
    default: break
    }
  }

  /// Amazon Pinpoint's endpoints: CSV with dotted names, or a JSON object on each line.
  static let pinpoint = ForeignFormat(
    name: "pinpoint", header: ["ChannelType", "Address"], takesJSON: true,
    fields: [
      Field("ChannelType", ["/environment"]) { value, draft throws(InputFailure) in
        let channels: [String: (kind: String, environment: Environment)] = [
          "APNS": ("apns", draft.environment), "APNS_SANDBOX": ("apns", .sandbox),
          "APNS_VOIP": ("voip", draft.environment), "APNS_VOIP_SANDBOX": ("voip", .sandbox),
        ]
        guard let channel = value.text.flatMap({ channels[$0] }) else {
          throw value.refusal("Only the channels of APNS are Apple's.")
        }
        (draft.kind, draft.environment) = channel
      },
      Field("Address", .token(["apns", "voip"])), Field("Id", .id),
      Field("ApplicationId", .vendorApp()),
      Field("Demographic.Platform", ["/platform"]) { value, draft in
        guard let system = value.text else { return }
        // The channel says that it is Apple's, whatever the app calls its system.
        draft.platform = Platform(foreign: system)
        if draft.platform == nil {
          draft.ignored.append(
            ForeignFault.unsupportedPlatform.problem(
              at: value.pointer, "It is no system of Apple's; the channel is: taken as iOS."))
        }
      },
      Field("OptOut", .permission(["ALL": "denied"])),
      Field("EndpointStatus", .status("INACTIVE", "quarantined", "INACTIVE")),
      Field("EffectiveDate", .date("updated_at")), Field("CreationDate", .date("created_at")),
      Field("Demographic.PlatformVersion", .text("os_version")),
      Field("Demographic.Model", .text("device_model")),
      Field("Demographic.AppVersion", .text("app_version")),
      Field("Demographic.Timezone", .text("time_zone")), Field("Demographic.Locale", .locale),
      Field("User.UserId", .user), Field("User.UserAttributes.*", .attributes("user.")),
      Field("Attributes.*", .attributes()),
      Field("Metrics.*", ["/attributes"]) { value, draft in
        for (name, value) in value.members {
          // CSV has them as text.
          let number = value.text.flatMap { JSONValue(parsing: Array($0.utf8)) }
          draft.attributes["metrics.\(name)"] = number ?? value
        }
      },
      Field("Demographic.Make", .ignored), Field("Demographic.ModelVersion", .ignored),
      Field("Location.*", .ignored), Field("RequestId", .ignored), Field("CohortId", .ignored),
    ])

  /// Amazon SNS: the endpoints of a platform application, as the AWS command line prints them.
  static let sns = ForeignFormat(
    name: "sns", envelope: "Endpoints",
    fields: [
      Field("EndpointArn", ["/installation_id", "/environment", "/platform"]) {
        value, draft throws(InputFailure) in
        // arn:aws:sns:us-east-1:123456789012:endpoint/APNS_SANDBOX/food/8f1f9d7c-…
        let parts = (value.text ?? "").split(separator: "/")
        let service = parts.count > 1 ? String(parts[1]) : ""
        switch service.replacing("_SANDBOX", with: "") {
        case "APNS": break
        case "APNS_VOIP": draft.kind = "voip"
        case "MACOS": draft.platform = .macos
        default: throw value.refusal("Only endpoints of APNS and MACOS are Apple's.")
        }
        draft.environment = service.hasSuffix("_SANDBOX") ? .sandbox : .production
        draft.vendorID = value.text
        draft.vendorApp =
          parts.count > 2
          ? .init(name: String(parts[2]), group: service, pointer: value.pointer) : nil
      },
      Field("Attributes.Token", .token(["apns", "voip"])),
      Field(
        "Attributes.Enabled", .status("false", "quarantined", "disabled", of: ["apns", "voip"])),
      Field("Attributes.CustomUserData", .attributes("custom_user_data")),
    ])
}
