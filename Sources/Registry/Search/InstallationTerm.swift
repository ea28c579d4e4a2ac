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
  /// One of these words of a ``WordFilter``.
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

  /// Whether it is true of an installation.
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

  /// Writes it as SQL over the row of an installation: in words of the index, or, where that is not
  /// asked, by what takes the least time. To look for one word among those of a row takes 1.4
  /// microseconds and for 27 words ten; a look into a column takes a tenth of one.
  func write(to text: inout ConditionText) {
    let appID = text.appID
    let facets: [Facet]
    switch self {
    case .tag(let tags):
      guard text.asksIndex else { return text.write("tags && ", tags, "text[]") }
      facets = tags.map { .tag($0, of: appID) }
    case .attribute(let name, let values):
      facets = values.compactMap {
        Facet.attribute(AttributeFilter(name: name, value: $0), of: appID)
      }
    case .attributeExists(let name): facets = [.attribute(named: name, of: appID)]
    case .attributeNumber(let name, let range): return Self.write(name, range, to: &text)
    case .authorizationSwitch(let name, let value):
      guard text.asksIndex else {
        return text.write("strpos(\"authorization\", ", name.member(value), "text", ") > 0")
      }
      facets = Self.switches(name, value, of: appID)
    case .word(let name, let words):
      let column = WordFilter.all.first { $0.name == name }?.column
      if !text.asksIndex, let column {
        return text.write("\(column) = ANY (", words, "text[]", ")")
      }
      facets = words.map { .word(name, $0, of: appID) }
    case .status(let status):
      if !text.asksIndex { return text.write(status) }
      facets = Facet.statuses(status, of: appID)
    }
    text.write("facets && ", facets.map(\.text), "text[]")
  }

  /// The index is asked for the nodes of a range. Most hold a little more than it, so that the
  /// place of the number is looked at, too, in the words of the row: it is the fifth behind the
  /// name, or the fourth where there is no word of the value (``Installation/facets``).
  ///
  /// `7:has:age`, `7:attribute:3:age=9`, three nodes, `7:number:3:age=c022000000000000`
  private static func write(
    _ name: String, _ range: AttributeRange, to text: inout ConditionText
  ) {
    guard range.lowest <= range.highest else { return text.write("false") }
    let appID = text.appID
    let has = Facet.attribute(named: name, of: appID).text
    if let limit = text.coverLimit {
      let nodes = AttributeNumber.cover(range)
      let isCovered = nodes.count <= limit
      let facets = isCovered ? nodes.map { Facet.number(name, in: $0, of: appID).text } : [has]
      text.write("(facets && ", facets, "text[]")
      if isCovered, range.isCoveredExactly { return text.write(")") }
      text.write(" AND ")
    } else if name.utf8.allSatisfy({ $0.isASCIILetter || $0.isASCIIDigit || $0 == 0x5F }) {
      // JSON has this name as it is. Where it is not there, all words would be looked at.
      text.write("(strpos(attributes, ", "\"\(name)\"", "text", ") > 0 AND ")
    } else {
      text.write("(")
    }
    func word(_ order: UInt64) -> String {
      Facet.number(name, AttributeNumber(order: order), of: appID).text
    }
    // Bucket 2 has the numbers of the range, buckets 1 and 3 the other numbers of this name.
    let all = AttributeRange()
    let bounds = text.place(
      of: [
        word(all.lowest), word(range.lowest), word(range.highest) + "!", word(all.highest) + "!",
      ], "text[]")
    let start = text.place(of: has, "text")
    func bucket(_ offset: Int) -> String {
      let word = "facets[array_position(facets, \(start)) + \(offset)]"
      return "width_bucket(\(word) COLLATE \"C\", \(bounds))"
    }
    text.write(
      """
      CASE coalesce(\(bucket(5)), 0) WHEN 1 THEN false WHEN 2 THEN true WHEN 3 THEN false
        ELSE \(bucket(4)) = 2 END)
      """)
  }

  private static func switches(
    _ name: AuthorizationSwitch, _ value: Bool, of appID: Int32
  ) -> [Facet] {
    let (group, words) = name.words(value)
    return words.map { .switches(group, $0, of: appID) }
  }
}
