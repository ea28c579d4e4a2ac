// Apple's own matcher, the one behind `Bundle.preferredLocalizations` on Apple's systems; on Linux
// Foundation compiles that call out. `_FoundationICU` is an underscored module of the toolchain,
// so it is touched in this file only, and a test fails loudly should the function disappear.
// Never call its neighbour `ualoc_getAppleParent`: for "no-NO" it does not return (Swift 6.3.1).

internal import _FoundationICU

/// Indices into `available`, best first: the localizations for the first of `preferred` that
/// has any. Empty when ICU finds none or refuses the input.
///
/// Both lists must hold only ASCII without NUL. Source: `ualoc.h`, `ualoc_localizationsToUse`.
func localizationsToUse(preferred: [String], available: [String]) -> [Int] {
  guard !preferred.isEmpty, !available.isEmpty else { return [] }
  var characters: [CChar] = []
  var offsets: [Int] = []
  offsets.reserveCapacity(preferred.count + available.count)
  for text in preferred {
    characters.appendTerminated(text, offsets: &offsets)
  }
  for text in available {
    characters.appendTerminated(text, offsets: &offsets)
  }
  return characters.withUnsafeBufferPointer { buffer -> [Int] in
    guard let start = buffer.baseAddress else { return [] }
    let pointers = offsets.map { Optional(start + $0) }
    var chosen = [UnsafePointer<CChar>?](repeating: nil, count: available.count)
    var status = U_ZERO_ERROR
    let count = pointers.withUnsafeBufferPointer { pointers in
      ualoc_localizationsToUse(
        pointers.baseAddress, Int32(preferred.count),
        pointers.baseAddress.map { $0 + preferred.count }, Int32(available.count),
        &chosen, Int32(chosen.count), &status)
    }
    guard status.rawValue <= U_ZERO_ERROR.rawValue, count > 0 else { return [] }
    // ICU answers with the very pointers it was given: the address says which entry is meant.
    return chosen.prefix(Int(count)).compactMap { pointer in
      pointers[preferred.count...].firstIndex(of: pointer).map { $0 - preferred.count }
    }
  }
}

extension [CChar] {
  fileprivate mutating func appendTerminated(_ text: String, offsets: inout [Int]) {
    offsets.append(count)
    append(contentsOf: text.utf8.lazy.map { CChar(bitPattern: $0) })
    append(0)
  }
}
