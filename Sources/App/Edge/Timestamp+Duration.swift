internal import Postgres

extension Timestamp {
  /// The time so much later.
  func advanced(by duration: Duration) -> Timestamp {
    Timestamp(microseconds: microseconds + duration.microseconds)
  }
}

extension Duration {
  /// In whole microseconds.
  var microseconds: Int64 {
    components.seconds * 1_000_000 + components.attoseconds / 1_000_000_000_000
  }
}
