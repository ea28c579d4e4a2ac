/// What is fuzzed: a parser or formatter, each with seeds and a dictionary of its own in
/// `Tests/Fixtures/Fuzz`.
enum Target: String, CaseIterable {
  case strings
  case stringsdict
  case xcstrings
  case xliff
  case zip
  case device
  case server
  case language
  case json
  case http
  case multipart

  /// Runs one input and stops the process when a promise is broken.
  func run(_ input: [UInt8]) {
    switch self {
    case .strings: importFile("fr.lproj/Localizable.strings", input)
    case .stringsdict: importFile("pl.lproj/Localizable.stringsdict", input)
    case .xcstrings: importFile("Localizable.xcstrings", input)
    case .xliff: importFile("de.xliff", input)
    case .zip: importFile("catalog.zip", input)
    case .device: formatAsDevice(input)
    case .server: formatAsServer(input)
    case .language: matchLanguages(input)
    case .json: parseJSON(input)
    case .http: parseRequests(input)
    case .multipart: parseMultipart(input)
    }
  }
}
