// The common part of ICU's formatters. `_FoundationICU` is an underscored module of the toolchain,
// so it is touched in this folder only, and a test fails loudly should its functions disappear.

internal import Synchronization
internal import _FoundationICU

/// Formatters that are opened once and kept while there is room: opening one takes up to a
/// millisecond. A full memo is emptied: real audiences have some hundred locales. The code that
/// uses a formatter keeps it alive.
final class ICUMemo<Kind: Hashable & Sendable, Formatter: Sendable>: Sendable {
  private struct Key: Hashable {
    let locale: String
    let kind: Kind
  }
  private let opened = Mutex<[Key: Formatter]>([:])
  private let capacity: Int

  init(capacity: Int) { self.capacity = capacity }

  /// The formatter of a kind for any locale identifier; `open` gets an identifier that is known.
  func formatter(locale: String, _ kind: Kind, open: (String, Kind) -> Formatter) -> Formatter {
    let isShort = locale.utf8.count <= Limits.identifierBytes
    let key = Key(locale: isShort ? locale : FormattingLocale.known(locale), kind: kind)
    if let formatter = opened.withLock({ $0[key] }) { return formatter }
    let formatter = open(FormattingLocale.known(locale), kind)
    opened.withLock { opened in
      if opened.count >= capacity { opened.removeAll(keepingCapacity: true) }
      opened[key] = formatter
    }
    return formatter
  }
}

/// The text that one of ICU's functions writes into a buffer; nil if it refuses.
func icuText(
  _ write: (UnsafeMutablePointer<UChar>?, Int32, inout UErrorCode) -> Int32
) -> String? {
  let capacity = Limits.formattedUnits
  return withUnsafeTemporaryAllocation(of: UChar.self, capacity: capacity) { buffer in
    var status = U_ZERO_ERROR
    let length = write(buffer.baseAddress, Int32(capacity), &status)
    guard status.rawValue <= U_ZERO_ERROR.rawValue, (0...capacity).contains(Int(length)) else {
      return nil
    }
    return String(decoding: buffer[..<Int(length)], as: UTF16.self)
  }
}
