// Older tools have no such framework, and an app may have a module of that name.
#if canImport(NowPlaying) && os(iOS) && compiler(>=6.3)
  import NowPlaying

  extension Postilion {
    /// Reports the token that starts what a remote session plays.
    ///
    /// ```swift
    /// Postilion.shared.observeNowPlaying(of: PlayerAttributes.self)
    /// ```
    ///
    /// Call it once, at every launch. The token of a session that plays comes to your extension,
    /// where the registration is not: the app reports it by `register(token:for:)`.
    ///
    /// - Parameter type: the attributes type of your sessions.
    @available(iOS 27, macCatalyst 27, *)
    @available(iOSApplicationExtension, unavailable)
    @MainActor
    public func observeNowPlaying<Attributes: RemoteMediaSessionAttributes>(
      of type: Attributes.Type
    ) {
      if let token = RemoteMediaSession<Attributes>.pushToStartToken {
        register(token: token, for: .nowPlayingStart)
      }
      let tokens = RemoteMediaSession<Attributes>.pushToStartTokenUpdates
      Task {
        for await token in tokens { register(token: token, for: .nowPlayingStart) }
      }
    }
  }
#endif
