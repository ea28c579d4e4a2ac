internal import FoundationEssentials
internal import HTTP
internal import JSON
internal import Localization
internal import Postgres
internal import Rendering

/// `POST …/render`: the finished APNs request for a device.
enum Render {
  static let endpoints: [Endpoint] = [
    Endpoint(
      .post, "/v1/apps/{app}/render", "render", .sender,
      body: .json(limit: Limits.administrationBodyBytes),
      decode: { call in (try call.app, try call.decodeBody(RenderQuestion.self).body) },
      perform: render,
      encode: { request, _ in
        var writer = JSONWriter()
        request.write(to: &writer)
        return .json(text: writer.bytes)
      })
  ]

  private static func render(
    _ input: (app: AppRecord, question: RenderQuestion), _ call: Call
  ) async throws -> RenderedRequest {
    let (app, question) = input
    guard
      let installation = try await call.context.installations.load(
        appID: app.id, id: question.installationID)
    else {
      throw Problem(.installationNotFound, "There is no such installation in this app.")
    }
    guard let device = Device(installation) else {
      throw Problem(
        .noUsableCredential, "The installation has no active apns token to send to.")
    }
    let catalogs = try await call.context.catalogs(for: device, of: app)
    let renderer = Renderer(
      message: question.message, arguments: question.arguments,
      app: AppFacts(
        bundleID: app.bundleID.text, developmentLanguage: app.developmentLanguage,
        messageTypeKey: app.messageTypeKey),
      options: question.options, now: call.now.microseconds / 1_000_000)
    let id = UUID(randomBytes: call.context.shared.randomBytes(16))
    let request = renderer.request(
      for: device, catalogs: catalogs, id: id.uuidString.lowercased())
    call.context.shared.observation.rendered(request)
    return request
  }
}

extension Device {
  /// What rendering must know of an installation; `nil` without a usable apns token.
  init?(_ installation: Installation) {
    guard let credential = installation.credentials.apns, credential.status == .active else {
      return nil
    }
    let languages = [installation.languageOverride].compactMap { $0 } + installation.languages
    self.init(
      token: credential.token.hex,
      environment: installation.environment == .sandbox ? .sandbox : .production,
      platform: Device.Platform(rawValue: installation.platform.rawValue) ?? .ios,
      languages: languages.compactMap { LanguageTag($0) })
    installationID = installation.id.text
    locale = installation.locale
    timeZone = installation.timeZone
    appVersion = installation.appVersion
    appBuild = installation.appBuild
    osVersion = installation.osVersion.flatMap { OSVersion($0) }
    localization = .init(rawValue: installation.localization.rawValue) ?? .auto
    capabilities = Set(installation.capabilities)
  }
}

extension LoopContext {
  /// The catalogs that a device's texts may come from: that of its own app build, named by build
  /// or else by version, and the server's.
  fileprivate func catalogs(for device: Device, of app: AppRecord) async throws
    -> Rendering.Catalogs
  {
    var own: CatalogStore.Loaded?
    for version in [device.appBuild, device.appVersion].compactMap({ $0 }) where own == nil {
      own = try await catalog(version, of: app)
    }
    let server = try await catalog(CatalogStore.serverVersion, of: app)
    return Rendering.Catalogs(
      app: own.map { view($0, device) }, server: server.map { view($0, device) })
  }

  private func catalog(_ version: String, of app: AppRecord) async throws -> CatalogStore.Loaded? {
    try await shared.catalogs.catalog(
      CatalogStore.Key(appID: app.id, version: version), on: self)
  }

  private func view(_ loaded: CatalogStore.Loaded, _ device: Device) -> CatalogView {
    CatalogView(
      loaded.catalog,
      chain: matches.chain(for: device.languages, in: loaded.catalog, catalogID: loaded.id))
  }
}
