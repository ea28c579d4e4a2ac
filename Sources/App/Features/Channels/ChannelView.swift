internal import Content
internal import DeviceProfile
internal import JSON
internal import Registry
internal import Rendering

/// A channel as answers show it, with the requests that Apple's channel management takes for it
/// (Apple, "Sending channel management requests to APNs").
struct ChannelView: ListItem {
  let record: ChannelRecord
  /// The app's, which those requests name; `nil` in lists, which are without requests.
  var bundleID: BundleID?

  func write(to writer: inout JSONWriter) {
    let channel = record.channel
    writer.object { writer in
      writer.member("name", record.name)
      writer.member("environment", channel.environment.rawValue)
      writer.member("storage_policy", channel.storagePolicy.rawValue)
      writer.member("type", channel.type)
      writer.member("language", channel.language)
      writer.member("channel_id", channel.id)
      writer.member("status", record.status.rawValue)
      writer.member("reason", record.goneReason)
      writer.member("created_at", record.createdAt.rfc3339)
      writer.member("updated_at", record.updatedAt.rfc3339)
      guard let bundleID else { return }
      writer.key("requests")
      writer.object { writer in
        guard let id = channel.id, record.status == .created else {
          return write("create", "POST", of: nil, bundleID, to: &writer)
        }
        write("read", "GET", of: id, bundleID, to: &writer)
        write("delete", "DELETE", of: id, bundleID, to: &writer)
      }
    }
  }

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

  static let columns: [CSVColumn<Self>] = [
    CSVColumn("name") { $0.record.name },
    CSVColumn("environment") { $0.record.channel.environment.rawValue },
    CSVColumn("storage_policy") { String($0.record.channel.storagePolicy.rawValue) },
    CSVColumn("type") { $0.record.channel.type },
    CSVColumn("language") { $0.record.channel.language },
    CSVColumn("channel_id") { $0.record.channel.id },
    CSVColumn("status") { $0.record.status.rawValue },
    CSVColumn("reason") { $0.record.goneReason },
    CSVColumn("created_at") { $0.record.createdAt.rfc3339 },
    CSVColumn("updated_at") { $0.record.updatedAt.rfc3339 },
  ]
}
