internal import ASCII
internal import Crypto
internal import FoundationEssentials
internal import HTTP
internal import JSON
internal import Postgres
internal import Registry

/// Reads query parameters. It collects wrong and unknown parameters, so that a typo in a filter
/// never widens a result unnoticed.
struct QueryReader: FilterReader {
  private let parameters: QueryParameters
  private var known: Set<Spelling> = []
  private(set) var problems: [InputProblem] = []
  private let request: Request
  var form: ListForm { ListForm(request) }

  /// - Throws: ``Problem`` when the query string is malformed.
  init(_ request: Request) throws {
    guard let parameters = QueryParameters(request.head.query) else {
      throw Problem(.invalidInput, "The query string is not form-encoded UTF-8.")
    }
    self.parameters = parameters
    self.request = request
  }

  mutating func refuse(_ name: String, at index: Int?, _ code: InputFault, _ detail: String) {
    let place = name.shortened(to: InputLimits.quotedNameBytes)
    note(code.problem(at: index.map { "\(place)/\($0)" } ?? place, detail))
  }

  private mutating func note(_ problem: InputProblem) {
    if problems.count < InputLimits.problems { problems.append(problem) }
  }

  mutating func attributeText(_ name: String) -> String? {
    text(name, maximum: RegistryLimits.attributeFacetBytes)
  }

  /// A parameter that is a JSON text; anything else is a text as it is.
  mutating func json(_ name: String) -> JSONValue? {
    text(name, maximum: RegistryLimits.filterBytes).map { text in
      JSONValue(parsing: Array(text.utf8)) ?? .string(text)
    }
  }

  /// `filter`: a filter as JSON, beside the filters that are parameters.
  mutating func parts() -> [InstallationCondition] {
    let name = "filter"
    guard let text = text(name, maximum: RegistryLimits.filterBytes) else { return [] }
    do throws(InputFailure) {
      let filter = try JSONValue(body: Array(text.utf8)).read { fields in
        InstallationFilter(reading: fields, depth: 1)
      }.body
      if let detail = filter.tooLarge { refuse(name, .tooMany, detail) }
      return [.filter(filter)]
    } catch {
      for problem in error.problems {
        // A text that is no JSON is a fault of a parameter here, and not of a body.
        let isJSON = problem.position == nil
        note(
          InputProblem(
            pointer: name + problem.pointer,
            code: isJSON ? problem.code : InputFault.unknownValue.rawValue,
            detail: problem.detail))
      }
      return []
    }
  }

  func names(beginning: String) -> [String] {
    parameters.names.filter { $0.hasBytes(atStart: beginning) }
  }

  /// The value of a parameter. A parameter that is given twice or is too long is refused, and
  /// nobody looks at its value.
  mutating func text(_ name: String, maximum: Int = 256) -> String? {
    known.insert(Spelling(name))
    let values = parameters.all(name)
    guard let value = values.first else { return nil }
    if values.count > 1 {
      refuse(name, .tooMany, "\(name) is given more than once.")
    } else if value.utf8.count > maximum {
      refuse(name, .tooLong, "\(name) has more than \(maximum) bytes.")
    } else if value.utf8.contains(0) {
      refuse(name, .containsNUL, "\(name) contains U+0000.")
    } else {
      return value
    }
    return nil
  }

  /// `limit` of a list.
  mutating func limit() -> Int {
    parsed("limit", .outOfRange, "limit is a number from 1 to \(RegistryLimits.pageMaximum).") {
      text in
      Int(text).flatMap { (1...RegistryLimits.pageMaximum).contains($0) ? $0 : nil }
    } ?? Limits.pageDefault
  }

  /// `max_age`: how many seconds ago the answer may have been counted.
  mutating func maximumAge() -> Int {
    let bound = Limits.countedAge
    return parsed("max_age", .outOfRange, "max_age is a number of seconds from 0 to \(bound).") {
      text in
      Int(text).flatMap { (0...bound).contains($0) ? $0 : nil }
    } ?? 0
  }

  /// `dry_run`: whether the call only says what it would do.
  mutating func isDryRun() -> Bool {
    parsed("dry_run", .unknownValue, "dry_run is true or false.") { Bool($0) } ?? false
  }

  /// `cursor` of a list: the sort key of the last row that the page before gave.
  mutating func cursor<Key: Codable & SendableMetatype>(_ type: Key.Type = Key.self) -> Key? {
    let detail = "The cursor is not from this list. Start again without a cursor."
    return parsed("cursor", .unknownValue, detail, Cursor<Key>.init)?.key
  }

  /// Ends the reading.
  /// - Throws: ``InputFailure`` with all that was found, unknown parameters included.
  mutating func finish() throws {
    for name in parameters.names where !known.contains(Spelling(name)) {
      refuse(name, .unknownField, "This call knows no parameter of that name.")
    }
    if !problems.isEmpty { throw InputFailure(problems) }
  }
}

/// An opaque position in a list: the sort key of the last row given.
struct Cursor<Key: Codable> {
  /// The key of the last row of the page before.
  let key: Key

  /// Reads a cursor that a page gave; `nil` when it is none of ours.
  init?(_ text: String) {
    guard let bytes = Base64URL.decode(text),
      let key = try? JSONDecoder().decode(Key.self, from: Data(bytes)),
      (key as? String)?.utf8.contains(0) != true
    else { return nil }
    self.key = key
  }

  init(key: Key) { self.key = key }

  /// The text for `next_cursor`.
  /// - Throws: `EncodingError`, which no key of ours causes.
  var text: String {
    get throws {
      let encoder = JSONEncoder()
      encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
      return Base64URL.encode([UInt8](try encoder.encode(key)))
    }
  }
}
