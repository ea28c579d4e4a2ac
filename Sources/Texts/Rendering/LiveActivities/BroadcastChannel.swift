import APNs
public import DeviceProfile
public import FoundationEssentials
public import JSON
import Localization

/// A channel of APNs: Live Activities subscribe to it, and one request updates all of them (Apple,
/// "Setting up broadcast push notifications"). No request names a device, so all that subscribe get
/// the same words: an app with three languages has three channels, or lets its phones look up keys.
public struct BroadcastChannel: Sendable, Hashable {
  /// How much of a channel APNs keeps for phones that are away: Apple's `message-storage-policy`.
  public enum StoragePolicy: Int, Sendable, Hashable, CaseIterable {
    /// Nothing: each broadcast is one attempt.
    case none = 0
    /// The last broadcast, for up to eight hours.
    case latest = 1
  }

  /// The environment that has the channel; the other environment does not know it.
  public var environment: Environment
  /// The policy cannot change: another policy needs another channel.
  public var storagePolicy: StoragePolicy
  /// The attributes type of the activities that subscribe.
  public var type: String
  /// A language tag such as `ja`; nil for phones of all languages.
  public var language: String?
  /// The id that APNs gave it: base64, unreadable otherwise. Nil before.
  public var id: String?

  /// A channel that APNs does not know yet.
  public init(
    environment: Environment, storagePolicy: StoragePolicy, type: String, language: String?
  ) {
    self.environment = environment
    self.storagePolicy = storagePolicy
    self.type = type
    self.language = language
  }
}

extension BroadcastChannel {
  /// A phone that subscribes, of the newest build of the app.
  ///
  /// If the channel is for one language, the phone reads that language. If it is for all languages,
  /// the phone has no language of its own: it looks up the keys of an alert that its build has;
  /// other texts are in the development language.
  public func typicalDevice(build: String?) -> Device {
    let tag = language.flatMap { LanguageTag($0) }
    var device = Device(platform: .ios, languages: [tag].compactMap(\.self))
    device.osVersion = Version(18)
    device.appBuild = build
    device.environment = environment
    if tag == nil { device.capabilities = [Device.locKeyCapability] }
    return device
  }

  /// `apns-expiration` of a broadcast: 0, one attempt, where APNs keeps nothing; else what the
  /// message says, or as long as APNs keeps it.
  func expiration(_ headers: RequestHeaders) -> Int64 {
    guard storagePolicy == .latest else { return 0 }
    return headers.expiration ?? headers.madeAt + 8 * 3600
  }
}

extension RenderedContent {
  /// Writes the finished request of a broadcast (Apple, "Sending broadcast push notification
  /// requests to APNs"):
  ///
  ///     {"channel": "…", "channel_id": "…", "environment": "…",
  ///      "path": "/4/broadcasts/apps/com.example.food", "headers": {…}, "payload": {…}, …}
  ///
  /// - Parameter id: `apns-request-id`, which APNs returns.
  public func writeBroadcast(
    to channel: BroadcastChannel, named name: String, id: UUID, _ form: PayloadForm,
    to writer: inout JSONWriter
  ) {
    writer.object { writer in
      writer.member("channel", name)
      writer.member("channel_id", channel.id)
      writer.member("environment", channel.environment.rawValue)
      writer.member("path", "/4/broadcasts/apps/\(headers.bundleID)")
      writer.key("headers")
      writer.object { writer in
        writer.member("apns-channel-id", channel.id)
        writer.member("apns-expiration", String(channel.expiration(headers)))
        writer.member("apns-priority", String(headers.priority))
        writer.member("apns-push-type", headers.pushType.rawValue)
        writer.member("apns-request-id", id.uuidString.lowercased())
      }
      writer.key("payload")
      form.write(payload, to: &writer)
      writer.member("payload_bytes", payload.count)
      writeRemarks(to: &writer)
    }
  }
}
