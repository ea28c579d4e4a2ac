internal import ASCII
internal import DeviceProfile

/// Something that installations are searched for, as the index keeps it.
///
/// One inverted index serves all searches for a word (platform, status, tag, language …) and every
/// combination of them. The app's id stands in front of each word, so that a search in a small app
/// does not wade through a large one's devices.
struct Facet: Hashable, Sendable {
  /// `7:language:zh-hant`
  @Spelled private(set) var text: String

  private init(_ appID: Int32, _ name: String, _ value: String) {
    // By hand, in one piece of memory: a registration makes thirty of them.
    var number = String(appID)
    var name = name
    var value = value
    text = String(
      unsafeUninitializedCapacity: number.utf8.count + name.utf8.count + value.utf8.count + 2
    ) { buffer in
      var count = 0
      func append(_ part: inout String, _ separator: UInt8?) {
        part.withUTF8 { bytes in
          _ = buffer[count...].initialize(fromContentsOf: bytes)
          count += bytes.count
        }
        guard let separator else { return }
        buffer[count] = separator
        count += 1
      }
      append(&number, UInt8(ascii: ":"))
      append(&name, UInt8(ascii: ":"))
      append(&value, nil)
      return count
    }
  }

  /// A word of a ``WordFilter``.
  static func word(_ name: String, _ word: String, of appID: Int32) -> Self {
    Self(appID, name, word)
  }

  /// A credential of a kind is there, whatever its status.
  static func credential(_ kind: CredentialKind, of appID: Int32) -> Self {
    Self(appID, "credential", kind.rawValue)
  }

  /// A credential of a kind has a status.
  static func status(
    _ status: CredentialStatus, of kind: CredentialKind, _ appID: Int32
  ) -> Self {
    Self(appID, kind.rawValue, status.rawValue)
  }

  /// The facets of which an installation has one at least if one of its credentials has a status.
  static func statuses(_ status: CredentialStatus, of appID: Int32) -> [Self] {
    CredentialKind.allCases.map { .status(status, of: $0, appID) }
  }

  /// A credential of any kind has a status. Programs of the release before ask for this word, but
  /// write it only for the kinds with columns.
  fileprivate static func legacyStatus(_ status: CredentialStatus, of appID: Int32) -> Self {
    Self(appID, "status", status.rawValue)
  }

  static func tag(_ tag: String, of appID: Int32) -> Self { Self(appID, "tag", tag) }

  /// An attribute has a value; `nil` for one that is too long for the index. The length of the name
  /// stands in front, so that no name can look like another name and the beginning of its value.
  static func attribute(_ attribute: AttributeFilter, of appID: Int32) -> Self? {
    guard attribute.isSearchable else { return nil }
    let name = attribute.name
    return Self(appID, "attribute", "\(name.utf8.count):\(name)=\(attribute.value)")
  }

  /// An attribute has a value, whichever.
  static func attribute(named name: String, of appID: Int32) -> Self { Self(appID, "has", name) }

  /// An attribute's number lies in a node.
  static func number(_ name: String, in node: AttributeNumber.Node, of appID: Int32) -> Self {
    Self(appID, "number", "\(name.utf8.count):\(name):\(node.text)")
  }

  /// An attribute has this very number. Facets of a name have the order of their numbers, byte by
  /// byte.
  static func number(_ name: String, _ number: AttributeNumber, of appID: Int32) -> Self {
    Self(appID, "number", "\(name.utf8.count):\(name)=\(number.text)")
  }

  static func timeZone(_ name: String, of appID: Int32) -> Self { Self(appID, "time_zone", name) }

  static func capability(_ capability: String, of appID: Int32) -> Self {
    Self(appID, "capability", capability)
  }

  /// How the switches of a group stand, a letter each (``AuthorizationSwitch/groups``).
  static func switches(_ group: Int, _ letters: String, of appID: Int32) -> Self {
    Self(appID, "switches", "\(group):\(letters)")
  }

  /// One of the languages is in a range (RFC 4647, section 3.3.1), in any case.
  static func language(_ range: String, of appID: Int32) -> Self {
    language(lowercased: languageRange(range), of: appID)
  }

  /// The same for a range in the spelling of the search.
  fileprivate static func language(lowercased range: String, of appID: Int32) -> Self {
    Self(appID, "language", range)
  }
}

extension Installation {
  /// Everything by which the installation is found, each once.
  var facets: [Facet] {
    var facets: [Facet] = []
    facets.reserveCapacity(48)
    for filter in WordFilter.all {
      if let word = filter.word(self) { facets.append(.word(filter.name, word, of: appID)) }
    }
    let before = facets.count
    // Activities and controls are left out: the index keeps each word forever.
    for (place, credential) in credentials {
      for facet: Facet in [
        .credential(place.kind, of: appID), .status(credential.status, of: place.kind, appID),
        .legacyStatus(credential.status, of: appID),
      ] where !facets[before...].contains(facet) { facets.append(facet) }
    }
    for tag in tags.once { facets.append(.tag(tag, of: appID)) }
    for entry in attributes?.entries ?? [] { facets += self.facets(of: entry) }
    for range in languageRanges(of: languages) {
      facets.append(.language(lowercased: range, of: appID))
    }
    if let timeZone { facets.append(.timeZone(timeZone, of: appID)) }
    for capability in capabilities.once { facets.append(.capability(capability, of: appID)) }
    for (group, letters) in authorization?.switchLetters ?? [] {
      facets.append(.switches(group, letters, of: appID))
    }
    return facets
  }

  private func facets(of entry: AttributeEntry) -> [Facet] {
    let name = entry.filter.name
    let word = Facet.attribute(entry.filter, of: appID).map { [$0] } ?? []
    let numbers =
      entry.number.map { number in
        number.nodes.map { Facet.number(name, in: $0, of: appID) }
          + [Facet.number(name, number, of: appID)]
      } ?? []
    return [.attribute(named: name, of: appID)] + word + numbers
  }
}

extension [String] {
  /// Each text once, in order.
  fileprivate var once: [String] {
    guard count > 1 else { return self }
    var known: Set<Spelling> = []
    return filter { known.insert(Spelling($0)).inserted }
  }
}

/// The ranges under which languages are found (RFC 4647, section 3.3.1, basic filtering): each tag
/// and every prefix that ends before a hyphen, in lower case, `_` read as `-`.
///
/// `["zh-Hant_HK", "en"]` → `["zh-hant-hk", "zh-hant", "zh", "en"]`
func languageRanges(of languages: [String]) -> [String] {
  var ranges: [String] = []
  var known: Set<String> = []
  for language in languages {
    let tag = languageRange(language)
    var end = tag.utf8.endIndex
    while true {
      let range = String(tag[..<end])
      if known.insert(range).inserted { ranges.append(range) }
      guard let hyphen = tag.utf8[..<end].lastIndex(of: UInt8(ascii: "-")) else { break }
      end = hyphen
    }
  }
  return ranges
}

/// A language range or tag in the spelling of the search: ASCII lower case, `_` read as `-`.
func languageRange(_ text: String) -> String {
  let bytes = text.utf8.map { byte in
    switch byte {
    case UInt8(ascii: "_"): UInt8(ascii: "-")
    case UInt8(ascii: "A")...UInt8(ascii: "Z"): byte | 0x20
    default: byte
    }
  }
  return String(decoding: bytes, as: UTF8.self)
}
