internal import ASCII
internal import DeviceProfile
internal import Postgres

/// A question to an installation that is more than one word of the index.
package enum InstallationTerm: Sendable {
  /// It has one of these tags at least.
  case tag(anyOf: [String])
  /// An attribute has one of these values.
  case attribute(String, anyOf: [String])
  /// An attribute is there and not null.
  case attributeExists(String)
  /// An attribute has a number in a range.
  case attributeNumber(String, AttributeRange)
  /// A switch of the authorization was reported, and stands so.
  case authorizationSwitch(AuthorizationSwitch, Bool)
  /// Its word of a ``WordFilter`` is one of these.
  case word(String, anyOf: [String])
  /// A token of any kind has this status.
  case status(CredentialStatus)

  /// How many values it compares.
  var size: Int {
    switch self {
    case .tag(let values), .attribute(_, let values), .word(_, let values): values.count
    case .attributeExists, .attributeNumber, .authorizationSwitch, .status: 1
    }
  }

  func holds(for installation: Installation) -> Bool {
    func entry(_ name: String) -> AttributeEntry? {
      installation.attributes?.entries.first { $0.filter.name.isSpelled(like: name) }
    }
    switch self {
    case .tag(let tags): return tags.contains(where: installation.tags.containsSpelling)
    case .attribute(let name, let values):
      return entry(name).map { values.containsSpelling($0.filter.value) } ?? false
    case .attributeExists(let name): return entry(name) != nil
    case .attributeNumber(let name, let range):
      return entry(name)?.number.map(range.contains) ?? false
    case .authorizationSwitch(let name, let value):
      return installation.authorization?.allows(name) == value
    case .word(let name, let words):
      let word = WordFilter.all.first { $0.name == name }?.word(installation)
      return word.map(words.contains) ?? false
    case .status(let status):
      return installation.credentials.contains { $0.value.status == status }
    }
  }

  /// As SQL over the row of an installation: in words of the index, or, where the index is not
  /// asked, in the form that takes the least time. To look for one word among the words of a row
  /// takes 1.4 microseconds, and for 27 words ten; a look into a column takes a tenth of a
  /// microsecond.
  func sql(of appID: Int32, _ way: WordSearch) -> SQL {
    let facets: [Facet]
    switch self {
    case .tag(let tags):
      if way == .rows { return "tags && \(tags)" }
      facets = tags.map { .tag($0, of: appID) }
    case .attribute(let name, let values):
      facets = values.compactMap {
        Facet.attribute(AttributeFilter(name: name, value: $0), of: appID)
      }
    case .attributeExists(let name): facets = [.attribute(named: name, of: appID)]
    case .attributeNumber(let name, let range): return Self.sql(name, range, of: appID, way)
    case .authorizationSwitch(let name, let value):
      if way == .rows { return "strpos(\"authorization\", \(name.member(value))) > 0" }
      facets = Self.switches(name, value, of: appID)
    case .word(let name, let words):
      let column = WordFilter.all.first { $0.name == name }?.column
      if way == .rows, let column { return "\(constant: column) = ANY (\(words))" }
      facets = words.map { .word(name, $0, of: appID) }
    case .status(let status):
      facets = Facet.statuses(status, of: appID)
      guard way == .rows else { break }
      // The words are looked at only where there are credentials without columns.
      let columns = CredentialKind.withColumns.map { kind -> SQL in
        "\(constant: kind.rawValue)_status = \(status.rawValue)"
      }
      let others: SQL = "other_credentials IS NOT NULL AND facets && \(facets.map(\.text))"
      return "(\((columns + [others]).joined(separator: " OR ")))"
    }
    return "facets && \(facets.map(\.text))"
  }

  /// The index is asked for the nodes of a range. Most nodes hold a little more than the range, so
  /// the number itself is looked at, too. Its word is the fifth behind the word of the name in the
  /// row, or the fourth where there is no word of the value (``Installation/facets``).
  ///
  /// `7:has:age`, `7:attribute:3:age=9`, three nodes, `7:number:3:age=c022000000000000`
  private static func sql(
    _ name: String, _ range: AttributeRange, of appID: Int32, _ way: WordSearch
  ) -> SQL {
    guard range.lowest <= range.highest else { return "false" }
    let has = Facet.attribute(named: name, of: appID).text
    let candidates: SQL
    switch way {
    case .index(let limit):
      let nodes = AttributeNumber.cover(range)
      let isCovered = nodes.count <= limit
      let facets = isCovered ? nodes.map { Facet.number(name, in: $0, of: appID).text } : [has]
      if isCovered, range.isCoveredExactly { return "facets && \(facets)" }
      candidates = "facets && \(facets) AND "
    // JSON has such a name as it is. In rows without the name, all words would be looked at.
    case .rows where name.utf8.allSatisfy { $0.isASCIILetter || $0.isASCIIDigit || $0 == 0x5F }:
      candidates = "strpos(attributes, \("\"\(name)\"")) > 0 AND "
    case .rows: candidates = ""
    }
    func word(_ order: UInt64) -> String {
      Facet.number(name, AttributeNumber(order: order), of: appID).text
    }
    // Bucket 2 has the numbers of the range, buckets 1 and 3 the other numbers of this name.
    let all = AttributeRange()
    let bounds = [
      word(all.lowest), word(range.lowest), word(range.highest) + "!", word(all.highest) + "!",
    ]
    func bucket(_ offset: Int) -> SQL {
      let word: SQL = "facets[array_position(facets, \(has)) + \(constant: offset)]"
      return "width_bucket(\(word) COLLATE \"C\", \(bounds)::text[])"
    }
    return """
      (\(candidates)CASE coalesce(\(bucket(5)), 0) WHEN 1 THEN false WHEN 2 THEN true
        WHEN 3 THEN false ELSE \(bucket(4)) = 2 END)
      """
  }

  private static func switches(
    _ name: AuthorizationSwitch, _ value: Bool, of appID: Int32
  ) -> [Facet] {
    let (group, words) = name.words(value)
    return words.map { .switches(group, $0, of: appID) }
  }
}
