/// Delivers the best content that there is when the time ends, exactly once.
///
/// It begins with the content as it came, which better ones replace. Whoever is first, the work
/// that is done or the system that ends the time, delivers; what comes later is dropped.
///
/// Contents are replaced and never changed, as one may be delivered while another is made.
public final class ContentDelivery<Content: Sendable>: Sendable {
  private struct Pending {
    var content: Content
    var replace: @Sendable (Content) throws -> Content
    var deliver: @Sendable (Content) -> Void
  }

  private let pending: Guarded<Pending?>

  /// A delivery that is pending.
  ///
  /// - Parameters:
  ///   - content: the content as it came.
  ///   - replace: makes the content to be delivered of the best one, such as that of a
  ///     communication notification; called once at most. If it throws, the best one is delivered.
  ///   - deliver: delivers a content; called once.
  public init(
    _ content: Content, finally replace: @escaping @Sendable (Content) throws -> Content = { $0 },
    deliver: @escaping @Sendable (Content) -> Void
  ) {
    pending = Guarded(Pending(content: content, replace: replace, deliver: deliver))
  }

  /// Whether the content was delivered, or is just being.
  public var isDelivered: Bool { pending.withLock { $0 == nil } }

  /// Replaces the best content by a better one, unless one was delivered.
  ///
  /// - Parameter change: makes a content of the best one; not called if one was delivered.
  /// - Returns: whether the better one will be delivered.
  @discardableResult
  public func improve(_ change: (Content) throws -> Content) rethrows -> Bool {
    guard let content = pending.withLock({ $0?.content }) else { return false }
    let better = try change(content)
    return pending.withLock { pending in
      pending?.content = better
      return pending != nil
    }
  }

  /// Delivers the best content, unless one was delivered.
  public func finish() {
    let pending = pending.withLock { pending in
      defer { pending = nil }
      return pending
    }
    guard let pending else { return }
    pending.deliver((try? pending.replace(pending.content)) ?? pending.content)
  }
}
