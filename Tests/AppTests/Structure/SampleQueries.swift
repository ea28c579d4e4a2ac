import CatalogFormats
import DeviceProfile
import Foundation
import JSON
import Postgres
import Rendering
import Testing

@testable import App
@testable import Content
@testable import HTTP
@testable import Registry

/// Each query of the product, made of some values.
struct SampleQueries {
  private let time = Timestamp(microseconds: 0)
  private let cursor = TimeCursor.start
  private let id = UUID()
  private let installation: InstallationKey
  private let user = UserKey(appID: 1, id: "u1")
  private let portion: UserPortion
  private let webhookKey: WebhookKey
  private let catalogKey = CatalogKey(appID: 1, version: "412")
  private let question = DeviceQuestion(
    target: CredentialTarget(.liveActivities, ["A17"]), aspects: [], attributes: ["city"])

  private let filter: InstallationFilter
  private let app: AppRecord
  private let webhook: WebhookRecord
  private let prefix: TokenPrefix
  private let token: DeviceToken
  private let failures: FailureFilter
  private let audit: AuditFilter
  private let span: ListSpan<Int64>

  init() throws {
    installation = InstallationKey(appID: 1, id: InstallationID(id))
    portion = UserPortion(appID: 1, ids: [installation.id])
    webhookKey = WebhookKey(appID: 1, id: id)
    prefix = try #require(TokenPrefix("12345678"))
    token = try #require(DeviceToken(bytes: Array(repeating: 1, count: 32)))
    var filter = InstallationFilter(appID: 1)
    filter.userIDs = ["u1"]
    filter.tags = ["vip"]
    filter.appVersion = Bounds(from: Version("3.2"))
    filter.seen = Bounds(from: time)
    filter.parts = [.any([.term(.status(.active)), .not(.term(.attributeExists("city")))])]
    self.filter = filter
    app = AppRecord(
      id: 1, slug: try #require(AppSlug("food")), bundleID: try #require(BundleID("com.food")),
      name: "Food", developmentLanguage: "en", identityVerification: .off, identitySecrets: [],
      localNotificationKey: "payload", messageTypeKey: nil, staleAfterDays: nil, createdAt: time,
      updatedAt: time)
    webhook = WebhookRecord(
      appID: 1, id: id, url: "https://example.com", description: "", events: [], isEnabled: true,
      secret: try #require(WebhookSecret(bytes: Array(repeating: 1, count: 32))),
      cursor: ChangeCursor(epoch: 1, position: .start, at: time), createdAt: time, updatedAt: time)
    // Filters are read from a query.
    let request = Request(
      head: try RequestHead(method: .get, target: "/"),
      parameters: PathParameters(names: [], values: []), requestID: "", peer: nil, now: time)
    var reader = try QueryReader(request)
    failures = FailureFilter(&reader, appID: 1)
    audit = AuditFilter(&reader)
    span = reader.span(Int64.self, pageMaximum: 9)
  }

  private var attempt: AttemptRecord {
    AttemptRecord(
      key: webhookKey,
      delivery: PendingDelivery(
        id: "1", number: 1, event: "test", body: "{}", happenedAt: time, nextAttemptAt: time),
      verdict: .delivered, outcome: .answered(200), began: time, milliseconds: 1)
  }

  private func source(_ sort: InstallationSort) -> InstallationSource {
    InstallationSource(filter: filter, ids: nil, sort: sort, after: cursor, rows: 2)
  }

  private typealias Sample = (name: String, sql: String)

  /// The name of its function, and what else tells it from others.
  private func sample<Row>(_ name: String, _ query: some Command<Row>) -> Sample {
    (name, query.query.sql)
  }

  var all: [(name: String, sql: String)] {
    ofApps + ofInstallations + ofDevices + ofUsers + ofContent + ofWebhooks + ofHistory
      + ofOperation + ofTables
  }

  private var ofApps: [Sample] {
    [
      sample("app", .app(named: app.slug)),
      sample("lockAppBySlug", .lockAppBySlug(slug: app.slug)),
      sample("upsertApp", .upsertApp(app: app)),
      sample("deleteApp", .deleteApp(id: 1, now: time)),
      sample("deletedApps", .deletedApps()),
      sample("purgeApp", .purgeApp(1)),
      sample("markApp", .markApp(1, nil, .leaving)),
      sample("insertMovedApp", .insertMovedApp("{}")),
      sample("movedHistory", .movedHistory(of: 1)),
      sample("insertMovedStart", .insertMovedStart(of: 1, epochs: (1, 2), at: time)),
      sample("insertMovedHistory", .insertMovedHistory([], of: 1, epochs: (1, 2), at: time)),
      sample("allowMoving", .allowMoving()),
      sample("appTags", .appTags()),
      sample("appsByID", .appsByID(ids: [1])),
      sample("keyHashes", .keyHashes()),
      sample("keysByHash", .keysByHash(hashes: [Bytea([])])),
      sample(
        "insertKey",
        .insertKey(
          key: KeyRecord(id: id, appID: 1, kind: .admin, label: "", createdAt: time), hash: [])),
      sample("countKeys", .countKeys(appID: 1, besides: id)),
      sample("forgetRevokedKeys", .forgetRevokedKeys(appID: 1)),
      sample("listKeys", .listKeys(appID: 1, after: cursor, limit: 2)),
      sample("revokeKey", .revokeKey(id, appID: 1, now: time)),
      sample("lockKeys", .lockKeys()),
      sample("rootKey", .rootKey(hash: [])),
      sample("installRootKey", .installRootKey(id: id, hash: [], now: time)),
      sample("insertFirstRootKey", .insertFirstRootKey(id: id, hash: [], now: time)),
      sample("untoldBuilds", .untoldBuilds(appID: 1, builds: ["412"])),
      sample("stalePolicies", .stalePolicies()),
    ]
  }

  private var ofInstallations: [Sample] {
    InstallationSort.all.flatMap { sort in
      [
        sample("listInstallations \(sort.text)", .listInstallations(source(sort))),
        sample("walkInstallations \(sort.text)", .walkInstallations(source(sort), steps: 9)),
        sample("gatherInstallations \(sort.text)", .gatherInstallations(source(sort))),
      ]
    } + [
      sample(
        "planOfInstallations",
        .planOfInstallations(InstallationSource(filter: InstallationFilter(appID: 1)))),
      sample(
        "staleInstallations", .staleInstallations(appID: 1, cutoff: time, after: cursor)),
      sample("countStaleInstallations", .countStaleInstallations(appID: 1, cutoff: time)),
      sample("countInstallations", .countInstallations(filter, [installation.id])),
      sample("countCreatedByDay", .countCreatedByDay(since: time, filter, nil)),
      sample("countTimeZones", .countTimeZones(of: filter, ids: nil, limit: 2)),
      sample("countLanguageLists", .countLanguageLists(key: catalogKey, filter, nil)),
      sample("findTokenOwners", .findTokenOwners(appID: 1, prefix: prefix)),
      sample(
        "storeClaimCode",
        .storeClaimCode(key: installation, code: ClaimCode(hash: [], madeAt: time))),
      sample("loadClaimCode", .loadClaimCode(key: installation)),
    ]
  }

  private var ofDevices: [Sample] {
    [
      sample("devices", .devices(question, of: filter, ids: nil, limit: 2)),
      sample("devicesOfUsers", .devicesOfUsers(question, ["u1"], 1, limit: 2)),
      sample("holders", .holders(of: [], .apns, 1)),
    ]
  }

  private var ofUsers: [Sample] {
    [
      sample("chooseLanguage", .chooseLanguage(user: user, language: "de", now: time)),
      sample("forgetLanguage", .forgetLanguage(user: user)),
      sample("findOtherLanguages", .findOtherLanguages(user: user, language: nil)),
      sample("countUserInstallations", .countUserInstallations(user: user)),
      sample("findUserInstallations", .findUserInstallations(user: user)),
      sample("walkUserInstallations", .walkUserInstallations(user: user, after: nil)),
      sample("listUserInstallations", .listUserInstallations(user: user, limit: 2)),
      sample("summarizeUser", .summarizeUser(user: user)),
      sample(
        "listUserEvents", .listUserEvents(appID: 1, installations: [installation.id], limit: 2)),
      sample("forgetOrigins", .forgetOrigins(portion: portion)),
      sample("eraseHistory", .eraseHistory(portion: portion)),
      sample("eraseClaimCodes", .eraseClaimCodes(portion: portion)),
      sample("eraseSightings", .eraseSightings(portion: portion)),
      sample("eraseInstallationEvents", .eraseInstallationEvents(portion: portion)),
      sample("eraseDeliveries", .eraseDeliveries(portion: portion)),
      sample("forgetOriginsOfDeliveries", .forgetOriginsOfDeliveries(portion: portion)),
      sample("eraseFailures", .eraseFailures(portion: portion)),
      sample("forgetRefusedTokens", .forgetRefusedTokens(appID: 1)),
    ]
  }

  private var ofContent: [Sample] {
    [
      sample("list catalogs", CatalogRecord.list(of: 1)),
      sample("list messages", MessageRecord.list(of: 1)),
      sample("count channels", ChannelRecord.count(of: 1)),
      sample("count messages", MessageRecord.count(of: 1)),
      sample("deletion of a channel", ChannelKey(appID: 1, name: "news").deletion),
      sample("deletion of a catalog", catalogKey.deletion),
      sample("listChannels", .listChannels(appID: 1, after: "", type: nil, limit: nil)),
      sample(
        "upsertChannel",
        .upsertChannel(
          appID: 1,
          record: ChannelRecord(
            name: "news",
            channel: BroadcastChannel(
              environment: .production, storagePolicy: .none, type: "News",
              language: nil),
            createdAt: time, updatedAt: time))),
      sample(
        "endChannel",
        .endChannel(appID: 1, name: "news", reason: "", before: time, now: time)),
      sample("loadCatalogFiles", .loadCatalogFiles(catalogKey)),
      sample("countCatalogBytes", .countCatalogBytes(appID: 1)),
      sample(
        "insertCatalog",
        .insertCatalog(
          appID: 1,
          record: CatalogRecord(
            version: "412", developmentLanguage: "en", languages: [], keyCount: 0,
            diagnostics: JSONB([]), createdAt: time, localizations: JSONB([]), entriesLeftOut: 0))),
      sample("insertCatalogFiles", .insertCatalogFiles(catalogKey, files: [])),
      sample("newestCatalogs", .newestCatalogs(appID: 1, limit: 2)),
      sample("buildsWithoutCatalog", .buildsWithoutCatalog(appID: 1)),
      sample("recentBuilds", .recentBuilds(appID: 1)),
      sample(
        "upsertMessage",
        .upsertMessage(
          appID: 1,
          record: MessageRecord(
            name: "hello", version: 1, body: "{}", createdAt: time, updatedAt: time))),
    ]
  }

  private var ofWebhooks: [Sample] {
    [
      sample("countWebhooks", .countWebhooks(appID: 1)),
      sample("insertWebhook", .insertWebhook(webhook: webhook)),
      sample("listWebhooks", .listWebhooks(appID: 1)),
      sample("updateWebhook", .updateWebhook(webhook: webhook)),
      sample("deleteWebhook", .deleteWebhook(key: webhookKey)),
      sample("anyWebhook", .anyWebhook()),
      sample("enabledWebhooks", .enabledWebhooks()),
      sample(
        "recordWebhookHealth",
        .recordWebhookHealth(
          key: webhookKey, failingSince: nil, disabled: nil, version: 1, lease: 1)),
      sample("countPendingDeliveries", .countPendingDeliveries()),
      sample("cutDeliveries", .cutDeliveries(key: webhookKey)),
      sample("insertTrial", .insertTrial(attempt: attempt)),
      sample(
        "listDeliveries", .listDeliveries(key: webhookKey, state: nil, before: 9, limit: 2)),
      sample("repeatDelivery", .repeatDelivery(key: webhookKey, id: "1", now: time)),
      sample("renewPending", .renewPending(key: webhookKey, now: time)),
      sample("dropPending", .dropPending(key: webhookKey)),
    ]
  }

  private var ofHistory: [Sample] {
    [
      sample(
        "listInstallationHistory",
        .listInstallationHistory(installation: installation, before: 9, limit: 2)),
      sample(
        "listTokenHistory",
        .listTokenHistory(
          appID: 1, token: token, before: 9, limit: 2)),
      sample(
        "listFailures",
        .listFailures(failures, before: cursor, limit: 2)),
      sample(
        "summarizeFailures",
        .summarizeFailures(failures, by: FailureDimension.allCases)),
      sample("countFailedByDay", .countFailedByDay(appID: 1, since: time)),
      sample("countTokenEventsByDay", .countTokenEventsByDay(appID: 1, since: time)),
      sample("openBreakers", .openBreakers(appID: 1, now: time)),
      sample("listAudit", .listAudit(audit, span, appID: 1)),
      sample("listAuditOfAllApps", .listAuditOfAllApps(audit, span, app: "food")),
    ]
  }

  private var ofOperation: [Sample] {
    [
      sample("readSteps", .readSteps()),
      sample("readUnsafeSettings", .readUnsafeSettings()),
      sample("readLeastProgram", .readLeastProgram()),
      sample("readDistribution", .readDistribution()),
      sample("listClusterServers", .listClusterServers()),
      sample("reachClusterServer", .reachClusterServer(server: ClusterServer(name: "a", port: 1))),
      sample("listPartitions", .listPartitions()),
      sample("readOrigin", .readOrigin()),
      sample("transactionNumbers", .transactionNumbers()),
      sample("begunLife", .begunLife()),
      sample("query of BeginLife", BeginLife(number: 0, newestRead: TransactionID(0), kept: 1)),
      sample("keepChanges", .keepChanges(since: time)),
      sample("cleanFilterIndex", .cleanFilterIndex()),
      sample("countTokens", .countTokens()),
      sample("countFailures", .countFailures(since: time)),
      sample("countOpenBreakers", .countOpenBreakers(after: time)),
    ]
  }

  private var ofTables: [Sample] {
    AppTable.all.flatMap { table in
      [
        sample("lines of \(table.name)", table.lines(of: 1)),
        sample("insertion of \(table.name)", table.insertion(of: [], for: 1)),
        sample("sum of \(table.name)", table.sum(of: 1)),
      ] + (table.purge(1).map { [sample("purge of \(table.name)", $0)] } ?? [])
    }
      + PartitionedTable.all.map { table in
        sample(
          "purge \(table.name)_default",
          .purge("\(table.name)_default", where: "\(constant: table.column) < \(time)"))
      }
  }
}
