package import Postgres

extension Timestamp {
  /// The time so much later; the last or the first that there is where that lies beyond it.
  package func advanced(by duration: Duration) -> Timestamp {
    let (sum, isBeyond) = microseconds.addingReportingOverflow(duration.microseconds)
    return Timestamp(microseconds: isBeyond ? duration < .zero ? .min : .max : sum)
  }
}

extension Duration {
  /// In whole microseconds.
  package var microseconds: Int64 {
    components.seconds * 1_000_000 + components.attoseconds / 1_000_000_000_000
  }
}
