import Foundation
import PostilionClient

/// A call that a payload for PushKit announces.
///
/// Every payload makes one, also one that says nothing of a call: the system wants a call reported
/// for each, whatever it is (docs/apple.md 9.1).
public struct IncomingCall: Sendable, Hashable {
  /// What the system knows the call by: that of ``id``, by
  /// ``Foundation/UUID/init(postilionName:)``.
  public var uuid: UUID
  /// What the app's service knows the call by: `id` of `call`, or else `id` of the payload; `nil`
  /// if it has neither. Then ``uuid`` is made of the whole payload.
  public var id: String?
  /// Who calls, to be shown: the title of the alert, or else its body; `nil` if there is neither.
  public var callerName: String?
  /// How the caller is reached; `nil` if the payload does not say.
  public var handle: CallHandle?
  /// Whether it is a video call.
  public var hasVideo: Bool
  /// When it began; `nil` if the payload does not say.
  public var startedAt: Date?

  /// A call.
  public init(
    uuid: UUID, id: String? = nil, callerName: String? = nil, handle: CallHandle? = nil,
    hasVideo: Bool = false, startedAt: Date? = nil
  ) {
    self.uuid = uuid
    self.id = id
    self.callerName = callerName
    self.handle = handle
    self.hasVideo = hasVideo
    self.startedAt = startedAt
  }

  /// The call of a payload.
  ///
  ///     {"aps": {"alert": {"title": "Zoé"}}, "call": {"id": "7F", "time": 1700000000},
  ///      "handle": "+41791234567", "video": true}
  ///
  /// - Parameters:
  ///   - payload: the payload.
  ///   - strings: the strings of the app, for names that come by key.
  ///   - handleKey: the member with the handle, of `call` or of the payload; ``CallHandle`` says
  ///     what it may be.
  ///   - videoKey: the member with `true` or 1 for a video call, of `call` or of the payload.
  public init(
    _ payload: RemotePayload, strings: NotificationStrings = NotificationStrings(),
    handleKey: String = "handle", videoKey: String = "video"
  ) {
    let id = payload.call?.id ?? payload.id
    let texts = strings.texts(of: payload.aps?.alert ?? RemotePayload.Alert())
    func member(_ key: String) -> PayloadValue? { payload.data["call"]?[key] ?? payload.data[key] }
    self.init(
      uuid: id.map(UUID.init(postilionName:)) ?? .fnv(Array(payload.encoded())), id: id,
      callerName: [texts.title, texts.body].first { !$0.isEmpty },
      handle: member(handleKey).flatMap(CallHandle.init),
      hasVideo: member(videoKey)?.isFlagged ?? false, startedAt: payload.call?.time)
  }

  /// Whether nobody will wait for an answer any more: it began longer ago than callers wait.
  ///
  /// - Parameters:
  ///   - now: the time.
  ///   - seconds: how long callers wait.
  /// - Returns: `false` if it is not known when it began, or that is later than `now`, by another
  ///   clock.
  public func isOver(at now: Date, after seconds: TimeInterval = 60) -> Bool {
    startedAt.map { now.timeIntervalSince($0) > seconds } ?? false
  }

  /// Whether there is anything to ring with: an identifier, a name or a handle.
  var isReadable: Bool { id != nil || callerName != nil || handle != nil }
}
