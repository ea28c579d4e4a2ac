/// A media type (RFC 9110 section 8.3.1): `type/subtype` and parameters.
///
///     Text/HTML; Charset="utf-8"     text/html, charset: utf-8
public struct MediaType: Sendable, Hashable {
  /// Before the slash, in lower case.
  public let type: String
  /// After the slash, in lower case.
  public let subtype: String
  /// The parameters by name in lower case; of repeated ones the first.
  public let parameters: [String: String]

  /// `type/subtype`, in lower case and without parameters.
  public var essence: String { "\(type)/\(subtype)" }

  /// The media type of a field value; nil when it is none.
  public init?(_ text: String, limits: HTTPLimits = .standard) {
    var scanner = FieldScanner(text.utf8)
    scanner.skipBlanks()
    guard let range = Self(scanning: &scanner, limits: limits) else { return nil }
    scanner.skipBlanks()
    guard scanner.isAtEnd else { return nil }
    self = range
  }

  /// The media type that an `Accept` wants most among the types that we can make (RFC 9110 section
  /// 12.5.1); nil when it takes none of them.
  ///
  ///     text/csv;q=0.5, application/*     among json, csv     json
  ///     */*, text/csv;q=0                 among csv           nil
  ///
  /// For each offer the most specific range decides its weight. Of equal weights the first offer
  /// wins, and so it does without an `Accept`. A malformed element is passed over.
  ///
  /// - Parameter offers: lower-case types without parameters, the preferred first.
  public static func preferred(
    accept: String?, among offers: [String], limits: HTTPLimits = .standard
  ) -> String? {
    let ranges = accept.map { acceptedRanges($0, limits: limits) } ?? []
    guard !ranges.isEmpty else { return offers.first }
    var best: (offer: String, weight: Int)?
    for offer in offers {
      guard let offered = MediaType(offer) else { continue }
      let decisive = ranges.compactMap { range in
        range.type.specificity(for: offered).map { (specificity: $0, weight: range.weight) }
      }.max { $0.specificity < $1.specificity }
      guard let weight = decisive?.weight, weight > best?.weight ?? 0 else { continue }
      best = (offer, weight)
    }
    return best?.offer
  }

  /// How closely a range fits a type: 0 for `*/*`, 1 for `type/*`, 2 and more for the type itself
  /// with as many parameters; nil when it does not.
  private func specificity(for offer: MediaType) -> Int? {
    if type == "*" { return subtype == "*" ? 0 : nil }
    guard type == offer.type else { return nil }
    if subtype == "*" { return 1 }
    guard subtype == offer.subtype else { return nil }
    for (name, value) in parameters where offer.parameters[name] != value { return nil }
    return 2 + parameters.count
  }

  private static func acceptedRanges(
    _ accept: String, limits: HTTPLimits
  ) -> [(type: MediaType, weight: Int)] {
    var scanner = FieldScanner(accept.utf8)
    return scanner.list(atMost: limits.acceptElements) { scanner in
      Self(scanning: &scanner, limits: limits)
    }.compactMap { range in
      guard let range else { return nil }
      var parameters = range.parameters
      guard let weight = fieldWeight(parameters.removeValue(forKey: "q")) else { return nil }
      return (MediaType(range.type, range.subtype, parameters), weight)
    }
  }

  private init(_ type: String, _ subtype: String, _ parameters: [String: String]) {
    self.type = type
    self.subtype = subtype
    self.parameters = parameters
  }

  private init?(scanning scanner: inout FieldScanner, limits: HTTPLimits) {
    guard let type = scanner.token(), scanner.take("/"), let subtype = scanner.token(),
      let parameters = scanner.parameters(atMost: limits.mediaTypeParameters)
    else { return nil }
    self.init(
      type.lowercased(), subtype.lowercased(),
      Dictionary(
        parameters.map { ($0.name, String(decoding: $0.value, as: UTF8.self)) },
        uniquingKeysWith: { first, _ in first }))
  }
}
