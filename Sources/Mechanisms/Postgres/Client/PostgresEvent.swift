/// What happens in the driver; logs and metrics are readers of it.
public enum PostgresEvent: Sendable {
  /// A connection is open and ready.
  case connected
  /// A connection could not be opened; the next try is after a pause.
  case connectFailed(PostgresError, retryAfterNanoseconds: UInt64)
  /// An open connection was closed by us.
  case closed
  /// An open connection broke.
  case disconnected(PostgresError)
  /// A statement was refused because too many wait.
  case overloaded
}
