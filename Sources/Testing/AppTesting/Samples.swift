internal import Foundation

/// Values that are as good as any, and new each time.
public enum Sample {
  /// A device token of 32 bytes in hex.
  public static func token() -> String {
    (UUID().uuidString + UUID().uuidString).filter { $0 != "-" }.lowercased()
  }

  /// An installation id in lower case.
  public static func id() -> String { UUID().uuidString.lowercased() }

  /// The least that a first report says.
  public static func report(_ token: String = token()) -> JSON {
    [
      "platform": "ios", "environment": "production",
      "credentials": ["apns": ["token": .string(token)]],
    ]
  }

  /// A report with every field of the contract.
  public static func fullReport() -> JSON {
    [
      "platform": "ios", "environment": "production",
      "credentials": [
        "apns": ["token": .string(token())], "voip": ["token": .string(token())],
      ],
      "languages": ["zh-Hant-HK", "en-GB"], "locale": "en_HK", "time_zone": "Asia/Hong_Kong",
      "app_version": "3.2.0", "app_build": "412", "os_version": "17.4.1",
      "device_model": "iPhone15,2", "localization": "auto",
      "capabilities": ["loc-key", "mutable-content"],
      "authorization": [
        "status": "authorized", "alert": true, "badge": true, "sound": false,
        "critical_alert": false, "time_sensitive": true,
      ],
      "background_refresh": "available", "user": ["id": "u42"], "tags": ["beta"],
      "attributes": ["plan": "pro"], "frequent_pushes": true, "live_activities_allowed": false,
      "reported_at": "2026-05-02T19:32:41.000Z",
    ]
  }
}
