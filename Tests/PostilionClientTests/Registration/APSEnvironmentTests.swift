import Foundation
import Testing

@testable import PostilionClient

@Suite struct APSEnvironmentTests {
  private static func profile(_ entitlements: String) -> Data {
    // Signed: other bytes around the property list.
    var profile = Data([0x30, 0x82, 0x00, 0xFF])
    profile += Data(
      """
      <?xml version="1.0" encoding="UTF-8"?>
      <plist version="1.0"><dict><key>Name</key><string>Food</string>
      <key>Entitlements</key><dict>\(entitlements)</dict></dict></plist>
      """.utf8)
    return profile + Data([0xA0, 0x82, 0x0D])
  }

  private static func entitlement(_ name: String, _ value: String) -> Data {
    profile("<key>\(name)</key><string>\(value)</string>")
  }

  @Test(
    arguments: [
      (nil, .production),
      (Data(), .production),
      (Data("<?xml no end".utf8), .production),
      (Data("</plist> before <?xml".utf8), .production),
      (profile(""), .production),
      (entitlement("aps-environment", "production"), .production),
      (entitlement("aps-environment", "development"), .sandbox),
      (entitlement("com.apple.developer.aps-environment", "development"), .sandbox),
    ] as [(Data?, APSEnvironment)])
  func aProfileTellsTheEnvironment(_ profile: Data?, _ expected: APSEnvironment) {
    #expect(APSEnvironment(profile: profile) == expected)
  }
}
