internal import Crypto
internal import Postgres
internal import Registry

/// A place in the order of changes: behind a row, which its transaction and its number name.
struct ChangePosition: Hashable, Sendable {
  var transaction: TransactionID
  var id: Int64

  /// Before all changes.
  static let start = Self(transaction: TransactionID(0), id: 0)
}

extension ChangePosition: RowDecodable {
  init(row: inout RowReader) throws(PostgresError) { self = try row.next(into: Self.init) }
}

/// A life of the database: from a start of its server to the next start. The started database may
/// be an older copy, which lost changes that readers were told. So each start gets a number that no
/// copy has.
struct ChangeEpoch: Hashable, Sendable {
  /// A random number, which no two lives share.
  var number: Int64
  /// Changes from before this time may be gone.
  var keptSince: Timestamp
}

extension ChangeEpoch: RowDecodable {
  init(row: inout RowReader) throws(PostgresError) { self = try row.next(into: Self.init) }
}

/// Why a life of the database begins.
enum LifeCause: String, Sendable {
  /// The server started, on files that have all changes that were told.
  case start
  /// The database is new, such as a restored dump.
  case newDatabase = "new_database"
  /// The database has fewer changes than this instance has read in it.
  case older
  /// The operator says that the database was restored.
  case restored
}

/// How far a reader has come, as it keeps it between calls.
struct ChangeCursor: Hashable, Sendable {
  /// The number of the life in which the feed gave the cursor.
  var epoch: Int64
  /// All changes up to here were read.
  var position: ChangePosition
  /// The time of the position: when the last change happened, or when there were no more changes.
  var at: Timestamp

  /// The reason why a reader cannot go on from its cursor.
  enum Loss: Sendable {
    /// Positions of another life mean nothing in this one.
    case otherLife
    /// Changes behind the cursor may be gone.
    case expired
  }

  /// The reason why the reader cannot go on; `nil` if it can, as no change behind its place is
  /// missing.
  func loss(in life: ChangeEpoch, goesOn: Bool) -> Loss? {
    if !goesOn { return .otherLife }
    return at < life.keptSince ? .expired : nil
  }
}

extension ChangeCursor: RowDecodable {
  init(row: inout RowReader) throws(PostgresError) { self = try row.next(into: Self.init) }
}

/// Where a reader begins.
enum ChangeStart: Sendable, Hashable {
  /// With the oldest change that is kept.
  case beginning
  /// Behind all present changes.
  case end
  /// At the place where the reader stands.
  case cursor(ChangeCursor)
}

extension ChangeCursor {
  /// Four numbers of eight bytes, the most significant first.
  private static let bytes = 32

  /// Reads a cursor that the feed gave; `nil` when it is none of ours.
  init?(_ text: String) {
    guard let bytes = Base64URL.decode(text), bytes.count == Self.bytes else { return nil }
    func number(_ index: Int) -> UInt64 {
      bytes[index * 8..<index * 8 + 8].reduce(0) { $0 << 8 | UInt64($1) }
    }
    epoch = Int64(bitPattern: number(0))
    position = ChangePosition(
      transaction: TransactionID(number(1)), id: Int64(bitPattern: number(2)))
    at = Timestamp(microseconds: Int64(bitPattern: number(3)))
    guard Timestamp.writable.contains(at.microseconds) else { return nil }
  }

  /// The text that readers keep, in base64url.
  var text: String {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(Self.bytes)
    for number in [
      UInt64(bitPattern: epoch), position.transaction.number, UInt64(bitPattern: position.id),
      UInt64(bitPattern: at.microseconds),
    ] {
      for shift in stride(from: 56, through: 0, by: -8) {
        bytes.append(UInt8(truncatingIfNeeded: number >> UInt64(shift)))
      }
    }
    return Base64URL.encode(bytes)
  }
}
