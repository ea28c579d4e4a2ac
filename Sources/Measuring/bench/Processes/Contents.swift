internal import Foundation

/// The text of a file.
func contents(_ path: String) throws(Fault) -> String {
  guard let text = try? String(contentsOfFile: path, encoding: .utf8) else {
    throw Fault("cannot read \(path)")
  }
  return text
}

/// Makes a file of a text.
func write(_ text: String, to path: String) throws(Fault) {
  do {
    try text.write(toFile: path, atomically: true, encoding: .utf8)
  } catch {
    throw Fault("cannot write \(path): \(error)")
  }
}
