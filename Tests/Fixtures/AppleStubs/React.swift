// swift-format-ignore-file
// A stub: the signatures of React Native that the articles use, for type checks on Linux.
import Foundation

public typealias RCTPromiseResolveBlock = (Any?) -> Void
public typealias RCTPromiseRejectBlock = (String?, String?, (any Error)?) -> Void

open class RCTEventEmitter: NSObject {
  public override init() {}
  open func supportedEvents() -> [String]! { fatalError() }
  open func sendEvent(withName name: String!, body: Any!) {}
  open func startObserving() {}
  open func stopObserving() {}
  open class func requiresMainQueueSetup() -> Bool { fatalError() }
}
