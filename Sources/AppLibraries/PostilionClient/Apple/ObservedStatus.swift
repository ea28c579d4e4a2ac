#if canImport(Observation)
  import Observation

  /// How a registration stands, for a view of SwiftUI.
  ///
  /// ```swift
  /// struct StatusView: View {
  ///   @State private var registration = ObservedStatus()
  ///   var body: some View { Text(registration.status.isUpToDate ? "Up to date" : "Waiting") }
  /// }
  /// ```
  @available(iOS 17, macOS 14, tvOS 17, watchOS 10, visionOS 1, *)
  @MainActor
  @Observable
  public final class ObservedStatus {
    /// The newest of ``Postilion/statusUpdates``.
    public private(set) var status = PostilionStatus()

    @ObservationIgnored private var reading: Task<Void, Never>?

    /// Follows a registration as long as this is there.
    public init(_ postilion: Postilion = .shared) {
      let updates = postilion.statusUpdates
      reading = Task { [weak self] in
        for await status in updates { self?.status = status }
      }
    }

    deinit { reading?.cancel() }
  }
#endif
