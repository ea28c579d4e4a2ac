// Neither Swift nor Foundation knows how wide a terminal shows a character. `_FoundationICU` is an
// underscored module of the toolchain, so it is touched in this folder only.

internal import _FoundationICU

extension String {
  /// How many columns a terminal takes for a text: two for characters of East Asia and emoji, none
  /// for marks and invisible characters, one for others.
  ///
  ///     "Größe" 5   "日本" 4   "👩‍👩‍👧" 2   "שלום" 4   "e\u{301}" 1
  ///
  /// Source: Unicode Standard Annex #11, "East Asian Width".
  public var displayColumns: Int { reduce(0) { $0 + $1.displayColumns } }
}

extension Character {
  /// The widest scalar of a character counts: the others are put upon it.
  fileprivate var displayColumns: Int {
    if unicodeScalars.contains("\u{FE0F}") { return 2 }
    return unicodeScalars.reduce(0) { max($0, $1.displayColumns) }
  }
}

extension Unicode.Scalar {
  fileprivate var displayColumns: Int {
    switch properties.generalCategory {
    case .nonspacingMark, .enclosingMark, .format, .control: return 0
    default: break
    }
    let width = swift_u_getIntPropertyValue(
      UChar32(bitPattern: value), UCHAR_EAST_ASIAN_WIDTH)
    return width == Int32(U_EA_WIDE.rawValue) || width == Int32(U_EA_FULLWIDTH.rawValue) ? 2 : 1
  }
}
