// Apple's own aliases of language codes. `_FoundationICU` is an underscored module of the
// toolchain, so it is touched in this folder only.

internal import _FoundationICU

/// A language of two or three letters as ICU's data names it, perhaps with a script:
/// `iw` → `he`, `tl` → `fil`, `sh` → `sr_Latn`; a code without alias stays as it is.
func canonicalLanguage(_ language: String) -> String {
  var status = U_ZERO_ERROR
  return withUnsafeTemporaryAllocation(of: CChar.self, capacity: 64) { buffer in
    let length = ualoc_canonicalForm(language, buffer.baseAddress, 64, &status)
    guard status == U_ZERO_ERROR, (0..<64).contains(length) else { return language }
    return String(
      decoding: buffer[..<Int(length)].lazy.map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }
}
