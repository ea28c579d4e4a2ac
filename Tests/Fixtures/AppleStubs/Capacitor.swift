// swift-format-ignore-file
// A stub: the signatures of Capacitor that the articles use, for type checks on Linux.
import Foundation

public let CAPPluginReturnNone = "none"
public let CAPPluginReturnPromise = "promise"

open class CAPPluginMethod: NSObject {
  public init(name: String, returnType: String) {}
}

open class CAPPlugin: NSObject {
  public override init() {}
  open func load() {}
  open func notifyListeners(_ eventName: String, data: [String: Any]?) {}
}

public protocol CAPBridgedPlugin: NSObjectProtocol {
  var identifier: String { get }
  var jsName: String { get }
  var pluginMethods: [CAPPluginMethod] { get }
}

open class CAPPluginCall: NSObject {
  open func getString(_ key: String) -> String? { fatalError() }
  open func getArray<T>(_ key: String, _ type: T.Type) -> [T]? { fatalError() }
  open func resolve() {}
  open func resolve(_ data: [String: Any]) {}
  open func reject(_ message: String) {}
}
