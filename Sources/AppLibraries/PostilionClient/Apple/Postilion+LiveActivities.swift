#if canImport(ActivityKit) && os(iOS) && !targetEnvironment(macCatalyst)
  import ActivityKit
  import UIKit

  extension Postilion {
    /// Reports what a backend needs for the Live Activities of a type: the token that starts one
    /// (from iOS 17.2), the token of each that runs, and when it has ended; and whether the person
    /// allows Live Activities and frequent updates.
    ///
    /// ```swift
    /// Postilion.shared.observeLiveActivities(of: DeliveryAttributes.self)
    /// ```
    ///
    /// Call it once for each type, at every launch, also at one in the background: the system
    /// launches the app there when a push has started an activity, and tells its token.
    ///
    /// - Parameter type: your attributes type. Its name is what a message names as `type`.
    @available(iOS 16.2, *)
    @MainActor
    public func observeLiveActivities<Attributes: ActivityAttributes>(
      of type: Attributes.Type
    ) {
      reportPermissionOfLiveActivities()
      // What the person changes in the settings of the system counts when they come back.
      observe(UIApplication.didBecomeActiveNotification) { [weak self] in
        self?.reportPermissionOfLiveActivities()
      }
      LiveActivityObservation<Attributes>(postilion: self).begin()
    }

    @available(iOS 16.2, *)
    fileprivate nonisolated func reportPermissionOfLiveActivities() {
      let permission = ActivityAuthorizationInfo()
      setLiveActivities(
        areAllowed: permission.areActivitiesEnabled,
        frequentPushes: permission.frequentPushesEnabled)
    }
  }

  /// Reports all of one type, as long as the process runs. Apple does not say that activities may
  /// be handed from one thread to another, so all of it is done on the main one.
  @available(iOS 16.2, *)
  @MainActor
  private struct LiveActivityObservation<Attributes: ActivityAttributes> {
    private let postilion: Postilion
    private let permission = ActivityAuthorizationInfo()

    init(postilion: Postilion) { self.postilion = postilion }

    private var type: String { String(describing: Attributes.self) }

    /// Tells how things are now, so that it is in the first report, and then what changes.
    func begin() {
      let running = Activity<Attributes>.activities.filter { !Self.isOver($0.activityState) }
      postilion.setRunningLiveActivities(Set(running.map(\.id)), type: type)
      Task { await observeActivities() }
      Task { await observePermission() }
      Task { await observeFrequentPushes() }
      if #available(iOS 17.2, *) {
        Task { await observeStartToken() }
      }
    }

    private static func isOver(_ state: ActivityState) -> Bool {
      state == .ended || state == .dismissed
    }

    private func observePermission() async {
      for await _ in permission.activityEnablementUpdates {
        postilion.reportPermissionOfLiveActivities()
      }
    }

    private func observeFrequentPushes() async {
      for await _ in permission.frequentPushEnablementUpdates {
        postilion.reportPermissionOfLiveActivities()
      }
    }

    @available(iOS 17.2, *)
    private func observeStartToken() async {
      let credential = PushCredential.liveActivityStart(type: type)
      // The sequence need not tell a token that the system told an earlier process.
      if let token = Activity<Attributes>.pushToStartToken {
        postilion.register(token: token, for: credential)
      }
      for await token in Activity<Attributes>.pushToStartTokenUpdates {
        postilion.register(token: token, for: credential)
      }
    }

    /// Observes those that run, and those that the app or a push starts.
    private func observeActivities() async {
      var observed = Set<String>()
      for activity in Activity<Attributes>.activities where observed.insert(activity.id).inserted {
        observe(activity)
      }
      for await activity in Activity<Attributes>.activityUpdates
      where observed.insert(activity.id).inserted {
        observe(activity)
      }
    }

    private func observe(_ activity: Activity<Attributes>) {
      guard !Self.isOver(activity.activityState) else { return }
      let credential = PushCredential.liveActivity(id: activity.id, type: type)
      if let token = activity.pushToken { postilion.register(token: token, for: credential) }
      let tokens = Task {
        for await token in activity.pushTokenUpdates {
          postilion.register(token: token, for: credential)
        }
      }
      Task {
        for await state in activity.activityStateUpdates where Self.isOver(state) {
          tokens.cancel()
          postilion.remove(credential)
        }
      }
    }
  }
#endif
