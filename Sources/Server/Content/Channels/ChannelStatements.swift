package import ASCII
internal import DeviceProfile
package import Postgres
package import Rendering

/// A channel as it is stored.
package struct ChannelRecord: NamedRecord, Equatable {
  package var name: String
  package var channel: BroadcastChannel
  /// Why APNs no longer has the channel, as a sender reported; `nil` while APNs may have it.
  package var goneReason: String?
  package var createdAt: Timestamp
  package var updatedAt: Timestamp
  /// A new number with every change; 0 until the channel is stored.
  package var tag: Int64 = 0

  /// Whether APNs has the channel, as far as was reported; the raw values are the values of the
  /// contract.
  package enum Status: String, Sendable {
    case wanted, created, gone
  }

  package var status: Status {
    goneReason != nil ? .gone : channel.id != nil ? .created : .wanted
  }

  package static let table = "channel"
  /// The columns that a write binds.
  fileprivate static let columns = """
    name, environment, storage_policy, type, language, channel_id, gone_reason, created_at,
    updated_at
    """
  /// The columns that ``init(row:)`` reads.
  package static let selection = "\(columns), tag"

  package init(
    name: String, channel: BroadcastChannel, createdAt: Timestamp, updatedAt: Timestamp
  ) {
    self.name = name
    self.channel = channel
    self.createdAt = createdAt
    self.updatedAt = updatedAt
  }

  package init(row: inout RowReader) throws(PostgresError) {
    name = try row.next()
    guard let environment = Environment(spelled: try row.next()) else {
      throw PostgresError(.decoding, "a channel has no environment")
    }
    let policy = BroadcastChannel.StoragePolicy(rawValue: Int(try row.next(Int16.self)))
    channel = BroadcastChannel(
      environment: environment, storagePolicy: policy ?? .none, type: try row.next(),
      language: try row.next())
    channel.id = try row.next()
    goneReason = try row.next()
    createdAt = try row.next()
    updatedAt = try row.next()
    tag = try row.next()
  }
}

package struct ChannelKey: RecordKey {
  package typealias Record = ChannelRecord
  package let appID: Int32
  @Spelled package var text: String

  package init(appID: Int32, name: String) {
    self.appID = appID
    text = name
  }
}

extension Command where Self == Query<ChannelRecord> {
  /// An app's channels by name, channels of one type or all: a page and one row more, or all.
  package static func listChannels(
    appID: Int32, after: String = "", type: String? = nil, limit: Int? = nil
  ) -> Self {
    Query(
      """
      SELECT \(constant: ChannelRecord.selection) FROM channel
      WHERE app_id = \(appID) AND name > \(after) AND (\(type)::text IS NULL OR type = \(type))
      ORDER BY name LIMIT \(limit.map { Int64($0 + 1) })
      """)
  }
}

extension Command where Self == Query<Int64> {
  /// Stores a channel, behind ``LockApp``; returns its tag.
  package static func upsertChannel(appID: Int32, record: ChannelRecord) -> Self {
    let channel = record.channel
    return Query(
      """
      INSERT INTO channel (app_id, \(constant: ChannelRecord.columns))
      VALUES (\(appID), \(record.name), \(channel.environment.rawValue),
        \(Int16(channel.storagePolicy.rawValue)), \(channel.type), \(channel.language),
        \(channel.id), \(record.goneReason), \(record.createdAt), \(record.updatedAt))
      ON CONFLICT (app_id, name) DO UPDATE
      SET environment = excluded.environment, storage_policy = excluded.storage_policy,
        type = excluded.type, language = excluded.language, channel_id = excluded.channel_id,
        gone_reason = excluded.gone_reason, updated_at = excluded.updated_at, tag = excluded.tag
      RETURNING tag
      """)
  }
}

extension Command where Self == Query<String> {
  /// Notes that APNs no longer had a channel at a time. Returns the channel's name, unless there is
  /// no such channel, or the fact was known, or the channel was changed after that time.
  package static func endChannel(
    appID: Int32, name: String, reason: String, before: Timestamp, now: Timestamp
  ) -> Self {
    Query(
      """
      UPDATE channel SET gone_reason = \(reason), updated_at = \(now), tag = DEFAULT
      WHERE app_id = \(appID) AND name = \(name) AND channel_id IS NOT NULL
        AND gone_reason IS NULL
        AND updated_at <= \(before)
      RETURNING name
      """)
  }
}
