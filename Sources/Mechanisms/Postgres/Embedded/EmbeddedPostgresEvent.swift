/// What happens to a private server that has once been ready; logs and metrics are readers of it.
public enum EmbeddedPostgresEvent: Sendable, Equatable {
  /// It ended by itself, and is started again.
  case ended(reason: String)
  /// It accepts connections again, so long after its end.
  case restarted(milliseconds: Int)
  /// A start came to nothing, so many in a row; another start follows.
  case startFailed(EmbeddedPostgresError, failures: Int)
  /// The last start came to nothing: it stays down.
  case gaveUp(EmbeddedPostgresError)
}
