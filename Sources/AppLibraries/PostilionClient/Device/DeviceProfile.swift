import Foundation

/// What is known of a device and of the app on it at a launch.
public struct DeviceProfile: Hashable, Sendable {
  /// The system, by the name that the server has for it.
  public enum Platform: String, Hashable, Sendable {
    case ios, ipados, macos, tvos, watchos, visionos
  }

  /// The system of the device.
  public var platform: Platform
  /// Which of Apple's two services the tokens are of.
  public var environment: APSEnvironment
  /// `Locale.preferredLanguages`: tags in the order of the person's preference.
  public var languages: [String]
  /// `Locale.current.identifier`, such as `fr_CA`.
  public var locale: String
  /// An IANA name, such as `America/Toronto`.
  public var timeZone: String
  /// `CFBundleShortVersionString`.
  public var appVersion: String?
  /// `CFBundleVersion`.
  public var appBuild: String?
  /// Such as `17.4.1`.
  public var osVersion: String
  /// Such as `iPhone15,2` or `MacBookPro18,1`.
  public var deviceModel: String

  /// A profile of a device.
  public init(
    platform: Platform, environment: APSEnvironment, languages: [String], locale: String,
    timeZone: String, appVersion: String?, appBuild: String?, osVersion: String,
    deviceModel: String
  ) {
    self.platform = platform
    self.environment = environment
    self.languages = languages
    self.locale = locale
    self.timeZone = timeZone
    self.appVersion = appVersion
    self.appBuild = appBuild
    self.osVersion = osVersion
    self.deviceModel = deviceModel
  }

  /// This device and this app.
  public static var current: Self {
    let version = ProcessInfo.processInfo.operatingSystemVersion
    let patch = version.patchVersion > 0 ? ".\(version.patchVersion)" : ""
    func info(_ key: String) -> String? { Bundle.main.object(forInfoDictionaryKey: key) as? String }
    return Self(
      platform: .current, environment: .current, languages: Locale.preferredLanguages,
      locale: Locale.current.identifier, timeZone: TimeZone.current.identifier,
      appVersion: info("CFBundleShortVersionString"), appBuild: info("CFBundleVersion"),
      osVersion: "\(version.majorVersion).\(version.minorVersion)\(patch)", deviceModel: model)
  }

  /// The model of a Mac, the machine's name elsewhere, and in a simulator that of the device that
  /// it simulates.
  private static var model: String {
    if let simulated = ProcessInfo.processInfo.environment["SIMULATOR_MODEL_IDENTIFIER"] {
      return simulated
    }
    if let model = SystemModel.current { return model }
    var system = utsname()
    uname(&system)
    return withUnsafeBytes(of: &system.machine) { bytes in
      String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
    }
  }

  var fields: ReportFields {
    [
      .platform: .string(platform.rawValue), .environment: .string(environment.rawValue),
      .languages: .array(languages.map { .string($0) }), .locale: .string(locale),
      .timeZone: .string(timeZone), .appVersion: appVersion.map { .string($0) } ?? .null,
      .appBuild: appBuild.map { .string($0) } ?? .null, .osVersion: .string(osVersion),
      .deviceModel: .string(deviceModel),
    ]
  }
}

extension DeviceProfile.Platform {
  /// That of this process. On a system that gets no notifications, as in a test on Linux: `macos`.
  static var current: Self {
    #if os(iOS) && targetEnvironment(macCatalyst)
      .macos
    #elseif os(iOS)
      DeviceProfile.modelIsPad ? .ipados : .ios
    #elseif os(tvOS)
      .tvos
    #elseif os(watchOS)
      .watchos
    #elseif os(visionOS)
      .visionos
    #else
      .macos
    #endif
  }
}

extension DeviceProfile {
  /// Whether the machine's name is that of an iPad; UIKit is asked on the main thread only.
  fileprivate static var modelIsPad: Bool { model.hasPrefix("iPad") }
}
