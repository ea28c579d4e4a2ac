import Foundation
import Testing

/// `PrivacyInfo.xcprivacy` says what the sources do.
struct PrivacyManifestTests {
  private static let library = AppleStubs.root.appendingPathComponent(
    "Sources/AppLibraries/PostilionClient"
  )
  .resolvingSymlinksInPath()

  /// APIs for which Apple demands a reason ("Describing use of required reason API").
  private static let reasonedAPIs = [
    "UserDefaults", "AppStorage", "creationDate", "modificationDate", "ModificationDate",
    "contentModificationDateKey", "getattrlist", "fgetattrlist", "stat(", "systemUptime",
    "mach_absolute_time", "volumeAvailableCapacity", "systemFreeSize", "systemSize",
    "volumeTotalCapacity", "statfs", "statvfs", "activeInputModes",
  ]

  private static func manifest() throws -> [String: Any] {
    let data = try Data(contentsOf: library.appendingPathComponent("PrivacyInfo.xcprivacy"))
    let list = try PropertyListSerialization.propertyList(from: data, format: nil)
    return try #require(list as? [String: Any])
  }

  @Test func nothingIsTracked() throws {
    let manifest = try Self.manifest()
    #expect(manifest["NSPrivacyTracking"] as? Bool == false)
    #expect((manifest["NSPrivacyTrackingDomains"] as? [Any])?.isEmpty == true)
    let types = try #require(manifest["NSPrivacyCollectedDataTypes"] as? [[String: Any]])
    #expect(
      types.compactMap { $0["NSPrivacyCollectedDataType"] as? String } == [
        "NSPrivacyCollectedDataTypeDeviceID", "NSPrivacyCollectedDataTypeUserID",
        "NSPrivacyCollectedDataTypeOtherDiagnosticData", "NSPrivacyCollectedDataTypeOtherDataTypes",
      ])
    for type in types {
      #expect(type["NSPrivacyCollectedDataTypeTracking"] as? Bool == false)
      #expect(
        type["NSPrivacyCollectedDataTypePurposes"] as? [String] == [
          "NSPrivacyCollectedDataTypePurposeAppFunctionality"
        ])
    }
  }

  @Test func noAPIIsUsedThatNeedsAReason() throws {
    #expect((try Self.manifest()["NSPrivacyAccessedAPITypes"] as? [Any])?.isEmpty == true)
    let paths = FileManager.default.enumerator(atPath: Self.library.path)?
      .compactMap { $0 as? String }.filter { $0.hasSuffix(".swift") }
    let sources = try #require(paths)
    #expect(sources.count > 50)
    for path in sources {
      let text = try String(
        contentsOf: Self.library.appendingPathComponent(path), encoding: .utf8)
      let used = Self.reasonedAPIs.filter { text.contains($0) }
      #expect(used.isEmpty, "\(path)")
    }
  }
}
