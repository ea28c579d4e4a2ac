internal import Foundation

/// Stops the process, which is what libFuzzer calls a finding, unless `condition` holds.
///
/// Not `precondition`: the release drops its message.
func promise(_ condition: Bool, _ message: @autoclosure () -> String) {
  guard !condition else { return }
  FileHandle.standardError.write(Data("BROKEN PROMISE: \(message())\n".utf8))
  abort()
}
