import Foundation

/// Which of Apple's two push services a build is signed for: its tokens are good there only.
public enum APSEnvironment: String, Hashable, Sendable {
  case production, sandbox

  /// That of this build: as its provisioning profile says. A build of the App Store has no profile.
  public static var current: Self {
    #if targetEnvironment(simulator)
      return .sandbox
    #else
      return Self(profile: embeddedProfile)
    #endif
  }

  /// That of a provisioning profile: a signed message around a property list whose entitlements
  /// have `aps-environment`. `development` means sandbox; anything else, or no profile, production.
  init(profile: Data?) {
    guard let profile, let start = profile.range(of: Data("<?xml".utf8)),
      let end = profile.range(
        of: Data("</plist>".utf8), in: start.lowerBound..<profile.endIndex),
      let list = try? PropertyListSerialization.propertyList(
        from: profile[start.lowerBound..<end.upperBound], format: nil) as? [String: Any],
      let entitlements = list["Entitlements"] as? [String: Any]
    else {
      self = .production
      return
    }
    let names = ["aps-environment", "com.apple.developer.aps-environment"]
    let isDevelopment = names.contains { entitlements[$0] as? String == "development" }
    self = isDevelopment ? .sandbox : .production
  }

  private static var embeddedProfile: Data? {
    let places = [
      Bundle.main.url(forResource: "embedded", withExtension: "mobileprovision"),
      Bundle.main.bundleURL.appendingPathComponent("Contents/embedded.provisionprofile"),
    ]
    return places.compactMap { $0 }.lazy.compactMap { try? Data(contentsOf: $0) }.first
  }
}
