import Foundation
import Testing

#if os(Linux)
  extension AppleStubsTests {
    private static let folder = AppleStubs.root.appendingPathComponent(
      "Sources/AppLibraries/PostilionClient/PostilionClient.docc")

    /// The code of the articles compiles as it stands there, in an app of each isolation.
    @Test(arguments: AppleStubs.Isolation.allCases)
    func codeOfArticlesCompiles(_ isolation: AppleStubs.Isolation) async throws {
      let stubs = try #require(AppleStubs.current)
      let names = try FileManager.default.contentsOfDirectory(
        atPath: Self.folder.resolvingSymlinksInPath().path)
      var count = 0
      for name in names.sorted() where name.hasSuffix(".md") {
        let text = try String(
          contentsOf: Self.folder.appendingPathComponent(name), encoding: .utf8)
        // A line of a manifest is no code of an app.
        for block in text.matches(of: /```swift\n(?<code>(?s:.)*?)\n```/)
        where !block.code.hasPrefix(".package(") {
          count += 1
          let diagnostics = try await stubs.diagnostics(
            of: Self.file(with: String(block.code)), named: "Block\(count).swift", isolation)
          #expect(diagnostics.isEmpty, "\(name):\n\(block.code)\n\(diagnostics)")
        }
      }
      #expect(count >= Self.surroundings.count)
    }

    /// A block as a file: with all modules, and with what its reader has around it.
    private static func file(with code: String) -> String {
      let imports = """
        import ActivityKit
        import CallKit
        import CoreLocation
        import Flutter
        import Foundation
        import PostilionCalls
        import PostilionClient
        import PostilionLocation
        import PostilionObjectiveC
        import NowPlaying
        import PushKit
        import SwiftUI
        import UIKit
        import UserNotifications
        """
      let lines = code.components(separatedBy: "\n")
      let own = lines.prefix { $0.hasPrefix("import ") || $0.isEmpty }
      let code = lines.dropFirst(own.count).joined(separator: "\n")
      let around = surroundings.first { code.hasPrefix($0.key) }?.value ?? (before: "", after: "")
      return ([imports] + own + [around.before, code, around.after]).joined(separator: "\n")
    }

    /// What stands around a block that is a part of something, by how the block begins below its
    /// imports.
    private static let surroundings: [String: (before: String, after: String)] = [
      "extension AppDelegate {": (
        "final class AppDelegate: UIResponder {}", ""
      ),
      "PostilionPlugin.register": (
        """
        final class PostilionPlugin {
          static func register(with registrar: any FlutterPluginRegistrar) {}
        }
        @MainActor func register(_ only: any FlutterPluginRegistrar) {
          func registrar(forPlugin name: String) -> (any FlutterPluginRegistrar)? { only }
        """, "}"
      ),
      "@main\nstruct": (
        """
        struct ContentView: View { var body: some View { Text("") } }
        final class AppDelegate: PostilionAppDelegate {}
        """, ""
      ),
      "Postilion.shared.start(configuration, in: application)": (
        """
        @MainActor func launch(
          _ configuration: PostilionConfiguration, _ application: UIApplication,
          _ responder: NotificationResponder, _ router: MessageRouter, deviceToken: Data,
          error: any Error, userInfo: [AnyHashable: Any],
          completion: @escaping (UIBackgroundFetchResult) -> Void
        ) {
        """, "}"
      ),
      "provider = CXProvider": (
        """
        @MainActor final class Calls: NSObject {
          var provider: CXProvider!
          var calls: CallRegistry?
          func begin() {
        """,
        """
          }
        }
        extension Calls: CXProviderDelegate {
          nonisolated func providerDidReset(_ provider: CXProvider) {}
          nonisolated func provider(_ provider: CXProvider, perform action: CXAnswerCallAction) {}
          nonisolated func provider(_ provider: CXProvider, perform action: CXEndCallAction) {}
        }
        """
      ),
      "Task { for await": ("func log() {", "}"),
      "override func application(": (
        """
        struct DeliveryAttributes: ActivityAttributes {
          struct ContentState: Codable, Hashable { var step: String }
        }
        final class AppDelegate: PostilionAppDelegate {
        """, "}"
      ),
      "let content = ActivityContent": (
        """
        struct DeliveryAttributes: ActivityAttributes {
          struct ContentState: Codable, Hashable {
            var step: String
            var arrival: Date
          }
          var order: String
        }
        @MainActor func begin(_ arrival: Date) throws {
        """,
        """
          _ = activity
        }
        """
      ),
      "func sceneDidBecomeActive": (
        "final class SceneDelegate: UIResponder {", "}"
      ),
      "if #available(iOS 27, *) {\n  Postilion.shared.observeNowPlaying": (
        """
        struct PlayerAttributes: RemoteMediaSessionAttributes { var id: String }
        @MainActor func begin(_ manager: CLLocationManager) {
        """, "}"
      ),
      "Postilion.shared.register(token: token": ("func tell(_ token: Data) {", "}"),
      "Postilion.shared.setUser": ("func sign(token: String) {", "}"),
      "struct OrderReady": (
        """
        actor Orders {
          static let shared = Orders()
          func markReady(_ order: String) -> Bool { true }
        }
        """, ""
      ),
      "override func prepare": (
        """
        struct OrderReady: MessageProcessor {
          static let messageType = "order_ready"
          init(payload: RemotePayload) {}
          func process() async -> FetchResult { .noData }
        }
        final class AppDelegate: PostilionAppDelegate {
        """, "}"
      ),
      "override func opened": (
        """
        @MainActor final class Navigator {
          static let shared = Navigator()
          func show(_ order: String) {}
        }
        @MainActor final class Backend { func answer(_ order: String, _ text: String) async {} }
        final class AppDelegate: PostilionAppDelegate {
          let backend = Backend()
        """, "}"
      ),
      "delivery?.start { content": (
        """
        actor Mailbox {
          static let shared = Mailbox()
          func message(
            _ members: [String: PayloadValue]
          ) async throws -> (sender: String, text: String) { ("", "") }
        }
        func begin(_ delivery: NotificationServiceDelivery?) {
        """, "}"
      ),
      "delivery?.start(receipt:": (
        """
        actor Backend { func shown(_ id: String?) {} }
        func begin(_ delivery: NotificationServiceDelivery?, _ backend: Backend) {
        """, "}"
      ),
      "[\n  NotificationCategory(": ("func declare() {", "}"),
      "try await NotificationPresenter()": (
        """
        extension UIApplication {
          static var shared: UIApplication { fatalError() }
          var applicationIconBadgeNumber: Int {
            get { 0 }
            set {}
          }
        }
        func count() async throws {
        """, "}"
      ),
      "override var configuration": ("final class AppDelegate: PostilionAppDelegate {", "}"),
      "override var notificationPresenter": (
        "final class AppDelegate: PostilionAppDelegate {", "}"
      ),
      "Postilion.shared.optIn()": ("func tell() {", "}"),
      "Task {\n  for await event in": (
        """
        struct Backend: Sendable { func newToken() async throws -> String { "" } }
        struct Session: Sendable { var userID: String? }
        func begin(_ backend: Backend, _ session: Session) {
        """, "}"
      ),
      "final class FirstViewController": (
        "extension FirstViewController { func showConsent() {} }", ""
      ),
      "Task {\n  let isAllowed": ("func ask() {", "}"),
      "func scene(": (
        """
        final class OrdersViewController: UIViewController {}
        @MainActor final class Navigator {
          static let shared = Navigator()
          func attach(_ navigation: UINavigationController) {}
        }
        final class SceneDelegate: UIResponder, UIWindowSceneDelegate {
          var window: UIWindow?
        """, "}"
      ),
      "@MainActor\nfinal class Navigator": (
        """
        final class OrderViewController: UIViewController {
          init(order: String) { super.init(nibName: nil, bundle: nil) }
          required init?(coder: NSCoder) { nil }
        }
        """, ""
      ),
      "switch await Postilion.shared.optOut": (
        """
        @MainActor func forget() async {
          func show(_ text: String) {}
        """, "}"
      ),
      "let status = await Postilion.shared.status\nprint": ("func mail() async {", "}"),
      "let observer = NotificationCenter": (
        """
        nonisolated func use(_ token: String?) {}
        @MainActor func observe() {
        """,
        """
          _ = observer
        }
        """
      ),
      "configuration.capabilities": (
        "func declare(_ configuration: inout PostilionConfiguration) {", "}"
      ),
      "configuration.bundleID": (
        "func declare(_ configuration: inout PostilionConfiguration) {", "}"
      ),
      "calls = CallRegistry": (
        """
        @MainActor final class Connections { func prepare(_ call: IncomingCall) {} }
        @MainActor func begin(_ provider: CXProvider, _ connections: Connections) {
          let calls: CallRegistry
        """,
        """
          _ = calls
        }
        """
      ),
    ]
  }
#endif
