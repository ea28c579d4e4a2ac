#if canImport(CallKit) && (os(iOS) || os(visionOS))
  import CallKit
  import Foundation

  extension IncomingCall {
    /// What the system shows of the call.
    ///
    /// Without a handle the name stands in for it: a call without one cannot be called back.
    public var callUpdate: CXCallUpdate {
      let update = CXCallUpdate()
      let handle = handle ?? callerName.map { CallHandle(.generic, $0) }
      update.remoteHandle = handle.map { CXHandle(type: $0.kind.handleType, value: $0.value) }
      update.localizedCallerName = callerName
      update.hasVideo = hasVideo
      return update
    }
  }

  extension CallHandle.Kind {
    /// The kind as CallKit has it.
    public var handleType: CXHandle.HandleType {
      switch self {
      case .generic: .generic
      case .phoneNumber: .phoneNumber
      case .emailAddress: .emailAddress
      }
    }
  }

  extension CallFate {
    /// Why the call ends at once, for the system; `nil` if it rings.
    public var endedReason: CXCallEndedReason? {
      switch self {
      case .ring: nil
      case .endStale: .unanswered
      case .endWithdrawn: .remoteEnded
      default: .failed
      }
    }
  }

  extension CXProvider {
    /// Reports a call, and ends it at once if its fate says so.
    ///
    /// If a payload withdraws a call that rings, the system refuses the second report of its UUID,
    /// and the end counts for the first.
    ///
    /// - Parameters:
    ///   - call: the call.
    ///   - fate: what is to become of it.
    ///   - refused: called if the system does not let it ring, such as for a blocked caller.
    public func report(
      _ call: IncomingCall, _ fate: CallFate,
      refused: @escaping @Sendable (any Error) -> Void = { _ in }
    ) {
      reportNewIncomingCall(with: call.uuid, update: call.callUpdate) { error in
        if let error { refused(error) }
      }
      if let reason = fate.endedReason {
        reportCall(with: call.uuid, endedAt: nil, reason: reason)
      }
    }
  }
#endif
