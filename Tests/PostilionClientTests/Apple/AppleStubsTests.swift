import Testing

/// On Apple's systems the frameworks themselves are there, and the build is the check.
#if os(Linux)
  @Suite(.serialized, .compiledStubs)
  struct AppleStubsTests {
    @Test(arguments: AppleStubs.System.allCases, AppleStubs.Language.allCases)
    func libraryChecksOnApplesSystems(
      _ system: AppleStubs.System, _ language: AppleStubs.Language
    ) async throws {
      let stubs = try #require(AppleStubs.current)
      let diagnostics = try await stubs.diagnostics(
        of: "Sources/PostilionClient", on: system, in: language)
      #expect(diagnostics.isEmpty, "\(diagnostics)")
    }

    @Test(
      arguments: ["FoodApp/App", "FoodApp/NotificationService", "OwnDelegate"],
      AppleStubs.Language.allCases)
    func examplesCheck(_ example: String, _ language: AppleStubs.Language) async throws {
      let stubs = try #require(AppleStubs.current)
      let diagnostics = try await stubs.diagnostics(
        of: "Examples/\(example)", on: .ios, in: language)
      #expect(diagnostics.isEmpty, "\(diagnostics)")
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
