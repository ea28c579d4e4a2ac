package import ASCII
internal import DeviceProfile
package import Postgres
package import Rendering

/// A channel as it is stored.
package struct ChannelRecord: NamedRecord, Equatable {
  package var name: String
  package var channel: BroadcastChannel
  /// Why APNs has it no more, as a sender reported; `nil` while it may have it.
  package var goneReason: String?
  package var createdAt: Timestamp
  package var updatedAt: Timestamp
  /// Another one with every change; 0 until it is stored.
  package var tag: Int64 = 0

  /// Whether APNs has it, as far as was reported; the raw values are those of the contract.
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
    let environment: Environment = try row.nextWord()
    let policy = BroadcastChannel.StoragePolicy(rawValue: Int(try row.next(Int16.self)))
    channel = BroadcastChannel(
      environment: environment, storagePolicy: policy ?? .none, type: try row.next(),
      language: try row.nextOptional())
    channel.id = try row.nextOptional()
    goneReason = try row.nextOptional()
    createdAt = try row.next()
    updatedAt = try row.next()
    tag = try row.next()
  }

  fileprivate func bind(to parameters: inout Parameters) {
    parameters.append(
      name, channel.environment.rawValue, Int16(channel.storagePolicy.rawValue), channel.type,
      channel.language, channel.id, goneReason, createdAt, updatedAt)
  }
}

/// One app's channel of one name.
package struct ChannelKey: RecordKey {
  package typealias Record = ChannelRecord
  package let appID: Int32
  @Spelled package var text: String

  /// A channel of an app.
  package init(appID: Int32, name: String) {
    self.appID = appID
    text = name
  }
}

/// An app's channels by name, those of one type or all: a page and one row more, or all.
package struct ListChannels: Statement {
  package typealias Row = ChannelRecord
  package static let sql = """
    SELECT \(ChannelRecord.selection) FROM channel
    WHERE app_id = $1 AND name > $2 AND ($3::text IS NULL OR type = $3)
    ORDER BY name LIMIT $4
    """
  package let appID: Int32
  package let after: String
  package let type: String?
  package let limit: Int?

  package init(appID: Int32, after: String = "", type: String? = nil, limit: Int? = nil) {
    self.appID = appID
    self.after = after
    self.type = type
    self.limit = limit
  }

  package func bind(to parameters: inout Parameters) {
    parameters.append(appID, after, type, limit.map { Int64($0 + 1) })
  }
}

/// Stores a channel, behind ``LockApp``; returns its tag.
package struct UpsertChannel: Statement {
  package typealias Row = Int64
  package static let sql = """
    INSERT INTO channel (app_id, \(ChannelRecord.columns))
    VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)
    ON CONFLICT (app_id, name) DO UPDATE
    SET environment = excluded.environment, storage_policy = excluded.storage_policy,
      type = excluded.type, language = excluded.language, channel_id = excluded.channel_id,
      gone_reason = excluded.gone_reason, updated_at = excluded.updated_at, tag = excluded.tag
    RETURNING tag
    """
  package let appID: Int32
  package let record: ChannelRecord

  package init(appID: Int32, record: ChannelRecord) {
    self.appID = appID
    self.record = record
  }

  package func bind(to parameters: inout Parameters) {
    parameters.append(appID)
    record.bind(to: &parameters)
  }
}

/// APNs had a channel no more at a time: returns its name, unless there is none, or that was known,
/// or the channel was changed after that time.
package struct EndChannel: Statement {
  package typealias Row = String
  package static let sql = """
    UPDATE channel SET gone_reason = $3, updated_at = $4, tag = DEFAULT
    WHERE app_id = $1 AND name = $2 AND channel_id IS NOT NULL AND gone_reason IS NULL
      AND updated_at <= $5
    RETURNING name
    """
  package let appID: Int32
  package let name: String
  package let reason: String
  package let before: Timestamp
  package let now: Timestamp

  package init(
    appID: Int32, name: String, reason: String, before: Timestamp, now: Timestamp
  ) {
    self.appID = appID
    self.name = name
    self.reason = reason
    self.before = before
    self.now = now
  }

  package func bind(to parameters: inout Parameters) {
    parameters.append(appID, name, reason, now, before)
  }
}
