/// Interim.
enum NumberText {
  static func text(
    _ number: Int64, _ specifier: FormatSpecifier, width: Int?, precision: Int?, locale: String
  ) -> String { ArgumentValue.integer(number).text(locale: locale) }
  static func text(
    _ number: Double, _ specifier: FormatSpecifier, width: Int?, precision: Int?, locale: String
  ) -> String { "\(number)" }
}
