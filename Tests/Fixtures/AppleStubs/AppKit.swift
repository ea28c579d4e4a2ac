// swift-format-ignore-file
// A stub: the signatures of Apple's AppKit that this repository uses, for type checks on Linux.
@_exported import Foundation

@MainActor
open class NSResponder: NSObject {
  public override init() {}
}

@MainActor
open class NSApplication: NSResponder {
  open class var shared: NSApplication { fatalError() }
  open func registerForRemoteNotifications() {}
}

extension NSApplication {
  nonisolated public class var didBecomeActiveNotification: NSNotification.Name { fatalError() }
}

/// All its methods are optional on Apple's systems; here not, so that the library cannot miss one
/// by a slip of its signature.
@MainActor
public protocol NSApplicationDelegate: NSObjectProtocol {
  func applicationDidFinishLaunching(_ notification: Notification)
  func application(
    _ application: NSApplication,
    didRegisterForRemoteNotificationsWithDeviceToken deviceToken: Data)
  func application(
    _ application: NSApplication,
    didFailToRegisterForRemoteNotificationsWithError error: any Error)
  func application(
    _ application: NSApplication, didReceiveRemoteNotification userInfo: [String: Any])
}
