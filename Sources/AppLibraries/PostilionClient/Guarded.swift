import Foundation

/// A value that one thread at a time reads and changes.
///
/// The standard library has `Mutex` for this, from iOS 18 and macOS 15 on; this is the same for the
/// systems before them. It is unchecked because its value is only reached under its lock.
package final class Guarded<Value>: @unchecked Sendable {
  private let lock = NSLock()
  private var value: Value

  /// A guarded value.
  package init(_ value: Value) {
    self.value = value
  }

  /// Reads or changes the value; the closure is short, and calls nobody who may come back here.
  package func withLock<Result>(_ body: (inout Value) throws -> Result) rethrows -> Result {
    lock.lock()
    defer { lock.unlock() }
    return try body(&value)
  }
}

/// A value of a system framework that is handed from one thread to another, though its type does
/// not say that it may be: Apple documents that it may, or only one thread at a time has it. Each
/// use says which.
package struct HandedOver<Value>: @unchecked Sendable {
  /// The value.
  package let value: Value

  /// A value that is handed over.
  package init(value: Value) { self.value = value }
}
