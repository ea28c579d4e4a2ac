/// The bounds of records and of reports about them, each with its reason.
package enum RecordLimits {
  /// Bytes of a record: an installation with everything at its bounds, several times over.
  package static let recordBytes = 256 * 1024
  /// Problems of rejected records that a report lists, and as many of parts that were left out.
  package static let listedProblems = 1000
  /// Lines that a reason of a report names: enough to look at.
  package static let reasonLines = 5
}
