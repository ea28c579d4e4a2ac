@testable import CatalogFormats

extension Diagnostic {
  /// `error malformed_xml 1:5`.
  var summary: String { "\(severity) \(code) \(line):\(column)" }
}
