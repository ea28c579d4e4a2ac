/// Why something could not be measured, in one sentence for the person at the terminal.
struct Fault: Error, Sendable {
  let reason: String

  init(_ reason: String) { self.reason = reason }
}
