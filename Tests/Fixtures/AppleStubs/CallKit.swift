// swift-format-ignore-file
// A stub: the signatures of Apple's CallKit that this repository uses, for type checks on Linux.
import Dispatch
import Foundation

open class CXHandle: NSObject {
  public enum HandleType: Int, Sendable {
    case generic = 1
    case phoneNumber = 2
    case emailAddress = 3
  }
  public init(type: HandleType, value: String) {}
}

open class CXCallUpdate: NSObject {
  open var remoteHandle: CXHandle?
  open var localizedCallerName: String?
  open var hasVideo: Bool = false
}

public enum CXCallEndedReason: Int, Sendable {
  case failed = 1
  case remoteEnded = 2
  case unanswered = 3
  case answeredElsewhere = 4
  case declinedElsewhere = 5
}

open class CXProviderConfiguration: NSObject {
  public override init() {}
  open var supportsVideo: Bool = false
  open var supportedHandleTypes: Set<CXHandle.HandleType> = []
}

open class CXProvider: NSObject {
  public init(configuration: CXProviderConfiguration) {}
  open func setDelegate(_ delegate: (any CXProviderDelegate)?, queue: DispatchQueue?) {}
  open func reportNewIncomingCall(
    with UUID: UUID, update: CXCallUpdate, completion: @escaping ((any Error)?) -> Void
  ) {}
  open func reportCall(
    with UUID: UUID, endedAt dateEnded: Date?, reason endedReason: CXCallEndedReason
  ) {}
}

open class CXAction: NSObject {
  open func fulfill() {}
  open func fail() {}
}

open class CXCallAction: CXAction {
  open var callUUID: UUID { fatalError() }
}

open class CXAnswerCallAction: CXCallAction {}
open class CXEndCallAction: CXCallAction {}

/// The second and the third method are optional on Apple's systems.
public protocol CXProviderDelegate: NSObjectProtocol {
  func providerDidReset(_ provider: CXProvider)
  func provider(_ provider: CXProvider, perform action: CXAnswerCallAction)
  func provider(_ provider: CXProvider, perform action: CXEndCallAction)
}
