/// A single step of the pure targets that is timed, and whose instructions are counted.
struct Operation {
  /// What it is called in the table and in `bench/instructions.json`.
  let name: String
  /// How many nanoseconds it may take.
  var goal: Double?
  /// Bytes that one run reads, for steps that are told in megabytes a second.
  var bytes: Int?
  /// The least megabytes a second.
  var throughputGoal: Double?
  /// Gives something that depends on the work, so that none is left out.
  let run: () throws(Fault) -> Int

  /// All of them.
  static func all() throws(Fault) -> [Operation] {
    try TextOperations.all() + RequestOperations.all() + FileOperations.all()
  }
}
