internal import Content
internal import JSON
internal import Registry
internal import Rendering

/// A message as answers show it.
struct MessageView: ListItem {
  let record: MessageRecord
  /// What its catalogs do not have; `nil` in lists, and when this release cannot read it.
  var warnings: [MessageWarning]?

  func write(to writer: inout JSONWriter) {
    writer.object { writer in
      writer.member("name", record.name)
      writer.member("version", record.version)
      writer.member("created_at", record.createdAt.rfc3339)
      writer.member("updated_at", record.updatedAt.rfc3339)
      writer.key("message")
      writer.raw(record.body.utf8)
      guard let warnings else { return }
      writer.key("warnings")
      writer.array(warnings) { $1.write(to: &$0) }
    }
  }

  static let columns: [CSVColumn<Self>] = [
    CSVColumn("name") { $0.record.name },
    CSVColumn("version") { String($0.record.version) },
    CSVColumn("created_at") { $0.record.createdAt.rfc3339 },
    CSVColumn("updated_at") { $0.record.updatedAt.rfc3339 },
    CSVColumn("message") { $0.record.body },
  ]
}
