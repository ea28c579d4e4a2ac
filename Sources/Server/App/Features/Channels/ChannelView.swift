internal import Content
internal import DeviceProfile
internal import JSON
internal import Registry
internal import Rendering

/// A channel as answers show it, with the requests that Apple's channel management takes for it
/// (Apple, "Sending channel management requests to APNs").
struct ChannelView: ListItem {
  let record: ChannelRecord
  /// The app's bundle id, which the requests name; `nil` in lists, which have no requests.
  var bundleID: BundleID?

  /// Writes a request; the sender adds its provider token.
  private func write(
    _ name: String, _ method: String, of id: String?, _ bundleID: BundleID,
    to writer: inout JSONWriter
  ) {
    writer.key(name)
    let isSandbox = record.channel.environment == .sandbox
    writer.object { writer in
      writer.member("method", method)
      writer.member("host", "api-manage-broadcast.\(isSandbox ? "sandbox." : "")push.apple.com")
      writer.member("port", isSandbox ? 2195 : 2196)
      writer.member("path", "/1/apps/\(bundleID.text)/channels")
      writer.key("headers")
      writer.object { writer in
        if let id { writer.member("apns-channel-id", id) }
      }
      writer.key("body")
      guard id == nil else { return writer.null() }
      writer.object { writer in
        writer.member("message-storage-policy", record.channel.storagePolicy.rawValue)
        writer.member("push-type", "LiveActivity")
      }
    }
  }

  static let fields = ItemFields<Self>([
    .text("name") { $0.record.name },
    .text("environment") { $0.record.channel.environment.rawValue },
    .number("storage_policy") { Int64($0.record.channel.storagePolicy.rawValue) },
    .text("type") { $0.record.channel.type },
    .text("language") { $0.record.channel.language },
    .text("channel_id") { $0.record.channel.id },
    .text("status") { $0.record.status.rawValue },
    .text("reason") { $0.record.goneReason },
    .text("created_at") { $0.record.createdAt.rfc3339 },
    .text("updated_at") { $0.record.updatedAt.rfc3339 },
    .member("requests") { $0.writeRequests(to: &$1) },
  ])

  private func writeRequests(to writer: inout JSONWriter) {
    guard let bundleID else { return }
    writer.key("requests")
    writer.object { writer in
      guard let id = record.channel.id, record.status == .created else {
        return write("create", "POST", of: nil, bundleID, to: &writer)
      }
      write("read", "GET", of: id, bundleID, to: &writer)
      write("delete", "DELETE", of: id, bundleID, to: &writer)
    }
  }
}
