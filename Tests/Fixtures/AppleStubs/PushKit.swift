// swift-format-ignore-file
// A stub: the signatures of Apple's PushKit that this repository uses, for type checks on Linux.
import Dispatch
import Foundation

public struct PKPushType: RawRepresentable, Hashable, Sendable {
  public var rawValue: String
  public init(rawValue: String) { self.rawValue = rawValue }
  public static let voIP = PKPushType(rawValue: "PKPushTypeVoIP")
  public static let complication = PKPushType(rawValue: "PKPushTypeComplication")
  public static let fileProvider = PKPushType(rawValue: "PKPushTypeFileProvider")
}

open class PKPushCredentials: NSObject {
  open var type: PKPushType { fatalError() }
  open var token: Data { fatalError() }
}

open class PKPushPayload: NSObject {
  open var type: PKPushType { fatalError() }
  open var dictionaryPayload: [AnyHashable: Any] { fatalError() }
}

@available(iOS 26.4, macCatalyst 26.4, visionOS 26.4, *)
open class PKVoIPPushMetadata: NSObject {
  open var mustReport: Bool { fatalError() }
}

open class PKPushRegistry: NSObject {
  public init(queue: DispatchQueue?) {}
  open weak var delegate: (any PKPushRegistryDelegate)?
  open var desiredPushTypes: Set<PKPushType>?
  open func pushToken(for type: PKPushType) -> Data? { fatalError() }
}

/// All but the first method are optional on Apple's systems.
public protocol PKPushRegistryDelegate: NSObjectProtocol {
  func pushRegistry(
    _ registry: PKPushRegistry, didUpdate pushCredentials: PKPushCredentials, for type: PKPushType)
  func pushRegistry(
    _ registry: PKPushRegistry, didReceiveIncomingPushWith payload: PKPushPayload,
    for type: PKPushType, completion: @escaping () -> Void)
  @available(iOS 26.4, macCatalyst 26.4, visionOS 26.4, *)
  func pushRegistry(
    _ registry: PKPushRegistry, didReceiveIncomingVoIPPushWith payload: PKPushPayload,
    metadata: PKVoIPPushMetadata, withCompletionHandler completion: @escaping @Sendable () -> Void)
  func pushRegistry(_ registry: PKPushRegistry, didInvalidatePushTokenFor type: PKPushType)
}
