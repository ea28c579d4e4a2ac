// swift-format-ignore-file
// A stub: the signatures of Flutter that the articles use, for type checks on Linux.
import Foundation
import UIKit

public typealias FlutterResult = (Any?) -> Void

nonisolated(unsafe) public let FlutterMethodNotImplemented = NSObject()

open class FlutterError: NSObject {
  public init(code: String, message: String?, details: Any?) {}
}

open class FlutterMethodCall: NSObject {
  open var method: String { fatalError() }
  open var arguments: Any? { fatalError() }
}

public protocol FlutterBinaryMessenger: NSObjectProtocol {}

open class FlutterMethodChannel: NSObject {
  public init(name: String, binaryMessenger messenger: any FlutterBinaryMessenger) {}
  open func invokeMethod(_ method: String, arguments: Any?) {}
}

public protocol FlutterPluginRegistrar: NSObjectProtocol {
  func messenger() -> any FlutterBinaryMessenger
  func addMethodCallDelegate(_ delegate: any FlutterPlugin, channel: FlutterMethodChannel)
  func addApplicationDelegate(_ delegate: any FlutterPlugin)
}

/// Its methods but the first are optional; here not, so that no slip of a signature is missed.
public protocol FlutterPlugin: NSObjectProtocol {
  static func register(with registrar: any FlutterPluginRegistrar)
  func handle(_ call: FlutterMethodCall, result: @escaping FlutterResult)
  func application(
    _ application: UIApplication,
    didFinishLaunchingWithOptions launchOptions: [AnyHashable: Any]) -> Bool
  func application(
    _ application: UIApplication,
    didRegisterForRemoteNotificationsWithDeviceToken deviceToken: Data)
  func application(
    _ application: UIApplication,
    didFailToRegisterForRemoteNotificationsWithError error: any Error)
  func application(
    _ application: UIApplication, didReceiveRemoteNotification userInfo: [AnyHashable: Any],
    fetchCompletionHandler completionHandler: @escaping (UIBackgroundFetchResult) -> Void) -> Bool
}
