import TestSupport
import Testing

/// On Apple's systems the frameworks themselves are there, and the build is the check.
#if os(Linux)
  @Suite(.serialized, .compiledStubs)
  struct AppleStubsTests {
    /// Each system in the newest language, and in each language the system that knows all modules.
    private static let checks =
      AppleStubs.System.allCases.map { ($0, AppleStubs.Language.swift6) }
      + AppleStubs.Language.allCases.dropFirst().map { (AppleStubs.System.ios, $0) }

    @Test(arguments: checks)
    func libraryChecksOnApplesSystems(
      _ system: AppleStubs.System, _ language: AppleStubs.Language
    ) async throws {
      let stubs = try #require(AppleStubs.current)
      for module in AppleStubs.library {
        let diagnostics = try await stubs.diagnostics(ofModule: module, on: system, in: language)
        #expect(diagnostics.isEmpty, "\(module): \(diagnostics)")
      }
    }

    @Test(arguments: AppleStubs.Language.allCases, AppleStubs.Isolation.allCases)
    func examplesCheck(
      _ language: AppleStubs.Language, _ isolation: AppleStubs.Isolation
    ) async throws {
      let stubs = try #require(AppleStubs.current)
      for example in [
        "FoodApp/App", "FoodApp/NotificationService", "SceneApp", "OwnDelegate",
      ] {
        let diagnostics = try await stubs.diagnostics(
          ofApp: "Examples/\(example)", on: .ios, in: language, isolation)
        #expect(diagnostics.isEmpty, "\(example): \(diagnostics)")
      }
    }

    /// What apps see changes on purpose only: a removal or another signature is for a new major
    /// version.
    @Test(arguments: AppleStubs.library)
    func publicInterfaceIsKnown(_ module: String) async throws {
      let stubs = try #require(AppleStubs.current)
      try Golden.check(
        try await stubs.interface(of: module), named: "PublicInterface/\(module).swiftinterface")
    }

    /// Each line is a mistake that the check is there to find.
    @Test func mistakesAreFound() async throws {
      let stubs = try #require(AppleStubs.current)
      let diagnostics = try await stubs.diagnostics(of: Self.mistakes, named: "Mistakes.swift")
      for finding in [
        "type 'UIApplication' has no member 'shared'",
        "type 'Delegate' does not conform to protocol 'UNUserNotificationCenterDelegate'",
        "'userInfo' is a get-only property",
        "switch covers known cases, but 'UNNotificationSetting' may have additional unknown values",
        "call to main actor-isolated instance method 'registerForRemoteNotifications()'",
        "method does not override any method",
      ] {
        #expect(diagnostics.contains(finding), "not found: \(finding)\n\(diagnostics)")
      }
    }

    private static let mistakes = """
      import Foundation
      import PostilionClient
      import UIKit
      import UserNotifications

      @MainActor func extensionsHaveNoApplication() { _ = UIApplication.shared }

      // Apple's method is called otherwise.
      final class Delegate: NSObject, UNUserNotificationCenterDelegate {
        func userNotificationCenter(
          _ center: UNUserNotificationCenter, didPresent notification: UNNotification,
          withCompletionHandler completionHandler: @escaping () -> Void
        ) {}
      }

      final class AppDelegate: PostilionAppDelegate {
        override func opened(_ payload: RemotePayload) {}
      }

      func contentIsRead(_ content: UNNotificationContent) { content.userInfo = [:] }

      func enumerationsGrow(_ setting: UNNotificationSetting) -> Bool {
        switch setting {
        case .notSupported, .disabled: false
        case .enabled: true
        }
      }

      nonisolated func launches(_ application: UIApplication) {
        application.registerForRemoteNotifications()
      }
      """
  }
#endif
