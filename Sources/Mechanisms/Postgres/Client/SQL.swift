/// A piece of SQL and the values that it binds.
///
/// ```swift
/// let young: SQL = "created_at > \(time)"
/// let found: SQL = "SELECT name FROM app WHERE \(young) AND slug = \(slug)"
/// // SELECT name FROM app WHERE created_at > $1 AND slug = $2
/// ```
/// A value between `\(` and `)` is bound, so no value can become a part of the text.
public struct SQL: Sendable, ExpressibleByStringInterpolation {
  /// The constant pieces: a value stands behind each but the last.
  private var pieces: [String] = [""]
  public private(set) var parameters = Parameters()

  /// A constant text.
  public init(stringLiteral text: String) {
    pieces = [text]
  }

  /// A text with values.
  public init(stringInterpolation interpolation: Interpolation) {
    self = interpolation.sql
  }

  /// The text, with `$1`, `$2` … where a value is bound.
  public var text: String {
    var text = pieces[0]
    for (number, piece) in pieces.dropFirst().enumerated() { text += "$\(number + 1)\(piece)" }
    return text
  }

  /// Whether the text is empty.
  public var isEmpty: Bool { pieces == [""] }

  /// Writes another piece behind it.
  public static func += (left: inout SQL, right: SQL) {
    left.pieces[left.pieces.count - 1] += right.pieces[0]
    left.pieces += right.pieces.dropFirst()
    left.parameters.append(contentsOf: right.parameters)
  }

  /// Puts a literal together from its pieces.
  public struct Interpolation: StringInterpolationProtocol {
    fileprivate var sql: SQL = ""

    public init(literalCapacity: Int, interpolationCount: Int) {}

    /// Writes a constant piece.
    public mutating func appendLiteral(_ text: String) {
      sql.pieces[sql.pieces.count - 1] += text
    }

    /// Binds a value; `nil` is null.
    public mutating func appendInterpolation<Value: PostgresValue>(_ value: Value?) {
      sql.parameters.append(value)
      sql.pieces.append("")
    }

    /// Binds an array whose elements may be null.
    public mutating func appendInterpolation<Value: PostgresValue>(column elements: [Value?]) {
      sql.parameters.append(column: elements)
      sql.pieces.append("")
    }

    /// Writes another piece, with its values.
    public mutating func appendInterpolation(_ piece: SQL) { sql += piece }

    /// Writes a constant of the program, such as a list of columns or a bound: never a text that
    /// comes from outside.
    public mutating func appendInterpolation(constant: some CustomStringConvertible) {
      appendLiteral(constant.description)
    }
  }
}

extension Sequence<SQL> {
  /// The pieces one behind the other, with a constant piece between them.
  public func joined(separator: String) -> SQL {
    var joined: SQL = ""
    for (index, piece) in enumerated() {
      joined += index == 0 ? piece : "\(constant: separator)\(piece)"
    }
    return joined
  }
}
