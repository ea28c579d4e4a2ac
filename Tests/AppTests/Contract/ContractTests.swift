import APNs
import AppTesting
import CatalogFormats
import DeviceProfile
import HTTP
import JSON
import Localization
import Rendering
import Testing

@testable import App
@testable import Registry

/// `openapi.yaml` says what the service does, no more and no less.
@Suite struct ContractTests {
  private let contract = Contract.source

  @Test func everyRouteIsDescribed() {
    let routes = Set(Features.all.map(Contract.Operation.init))
    let described = Set(contract.operations)
    #expect(routes.subtracting(described).map(\.description).sorted() == [], "not in openapi.yaml")
    #expect(described.subtracting(routes).map(\.description).sorted() == [], "not in the service")
    #expect(contract.operations.count == Features.all.count, "an operation is there twice")
  }

  @Test func theServedDocumentIsTheFile() {
    #expect(String(decoding: Resources.contract, as: UTF8.self) == contract.text)
  }

  @Test func everyReferenceLeadsToAComponent() {
    let components = contract.components
    #expect(contract.references.subtracting(components).sorted() == [], "not defined")
    let unused = Set(components).subtracting(contract.references)
      .filter { !$0.hasPrefix("securitySchemes/") }
    #expect(unused.sorted() == [], "not used")
    #expect(components.count == Set(components).count, "a component is there twice")
  }

  /// Most readers of YAML take these words for true and false, as version 1.1 of it says.
  @Test func noNameIsATruthValueOfYAML() {
    let names = contract.text.matches(of: /(?m)^ *(y|n|yes|no|on|off|true|false):/.ignoresCase())
    #expect(names.map { String($0.1) } == [], "quote it")
  }

  /// A generated client cannot read a word that a closed list lacks, and a later release may have
  /// it.
  @Test func noListOfWordsInAnAnswerIsClosed() {
    let document = ContractDocument.shared
    var seen: Set<String> = []
    var closed: [String] = []
    func look(_ value: JSON, at place: String) {
      if let reference = value["$ref"].string {
        guard seen.insert(reference).inserted else { return }
        return look(document.resolved(value), at: reference)
      }
      if !value["enum"].elements.isEmpty { closed.append(place) }
      for name in value.names where name != "examples" && name != "example" {
        look(value[name], at: "\(place)/\(name)")
      }
      for element in value.elements { look(element, at: place) }
    }
    for operation in document.operations {
      look(operation.content["responses"], at: operation.id)
    }
    #expect(seen.count > 100 && closed == [], "say it as `x-extensible-enum`")
  }

  static let codes: [String] =
    InputFault.allCases.map(\.rawValue) + DeviceToken.Fault.allCases.map(\.rawValue)
    + IdentityProof.Fault.allCases.map(\.rawValue)

  @Test(arguments: codes) func everyCodeIsDescribed(code: String) {
    #expect(contract.text.contains("`\(code)`"))
  }

  @Test func theColumnsOfEveryListAreDescribed() {
    let described = contract.text.replacing(/\\\n */, with: "")
    func check<Item: ListItem>(_ type: Item.Type) {
      let header = Item.fields.columns.map(\.name).joined(separator: ",")
      #expect(described.contains("\n          example: \"\(header)\"\n"), "\(header)")
    }
    check(AppView.self)
    check(KeyView.self)
    check(InstallationView.self)
    check(FailureView.self)
    check(TokenEventView.self)
    check(AuditEntryView.self)
    check(CatalogSummary.self)
    check(CatalogItems.Item.self)
    check(MessageView.self)
    check(WebhookView.self)
    check(DeliveryView.self)
  }

  /// A kind that the service knows is one that its callers may read of.
  @Test func everyKindOfTokenAndOfPushIsDescribed() {
    let schemas = ContractDocument.shared.content["components"]["schemas"]
    let kinds = Set(CredentialKind.allCases.map(\.rawValue))
    let words = schemas["CredentialKind"]["x-extensible-enum"].elements.compactMap(\.string)
    #expect(Set(words) == kinds)
    #expect(Set(schemas["ReportedCredentials"]["properties"].names) == kinds)
    let shown = schemas["Installation"]["properties"]["credentials"]["properties"]
    #expect(Set(shown.names) == kinds)
    let pushTypes = Set(PushType.allCases.map(\.rawValue))
    #expect(Set(schemas["PushType"]["enum"].elements.compactMap(\.string)) == pushTypes)
    let pushes = Set(PushType.allCases.compactMap(\.rules.message?.member))
    #expect(pushes.isSubset(of: schemas["Message"]["properties"].names))
  }

  @Test func everyDiagnosticIsDescribed() {
    let codes = Set(Diagnostic.Code.allCases.map(\.rawValue))
    let described = contract.codes(in: "Diagnostic")
    #expect(codes.subtracting(described).sorted() == [], "not in openapi.yaml")
    #expect(described.subtracting(codes).sorted() == [], "not in the importer")
  }

  @Test func everyEventOfTheChangesIsDescribed() {
    let event = ContractDocument.shared.content["components"]["schemas"]["Change"]["properties"][
      "event"]
    let words =
      TokenEvent.Name.allCases.filter { $0 != .replaced }.map(\.rawValue)
      + InstallationEvent.Name.allCases.map(\.rawValue) + AppEvent.Name.allCases.map(\.rawValue)
    #expect(event["x-extensible-enum"].elements.compactMap(\.string) == words)
    for word in words { #expect(event["description"].string?.contains("`\(word)`") == true) }
  }

  @Test func everyDetailOfFeedbackIsDescribed() {
    for detail in FeedbackDecision.Detail.allCases {
      #expect(contract.text.contains("`\(detail.rawValue)`"))
    }
    let codes = Set(FeedbackDecision.Detail.allCases.map(\.rawValue))
    #expect(contract.codes(in: "FeedbackResult").subtracting(codes) == [], "not in the service")
  }

  @Test func everyWarningOfMessagesIsDescribed() {
    let codes = Set(MessageWarning.Code.allCases.map(\.rawValue))
    #expect(contract.codes(in: "MessageWarning") == codes)
  }

  @Test func everyRenderProblemIsDescribed() {
    let codes = Set(RenderProblem.codes)
    let described = contract.codes(in: "RenderProblem")
    let reasons = Set(ModeReason.allCases.map(\.rawValue))
    #expect(codes.subtracting(described).subtracting(reasons).sorted() == [], "not in openapi.yaml")
    #expect(described.subtracting(codes).sorted() == [], "not in the service")
    for reason in reasons {
      #expect(contract.text.contains("        - \(reason)\n"), "not in openapi.yaml")
    }
  }
}

extension Contract.Operation {
  /// The operation that an endpoint is.
  fileprivate init(_ endpoint: Endpoint) {
    self.init(method: endpoint.method.name, path: endpoint.pattern)
    id = endpoint.operation
    keys = endpoint.access.text
    bodyBytes =
      switch endpoint.body {
      case .none, .streamed: nil
      case .json(let limit), .jsonOrLines(let limit), .multipart(let limit): limit
      }
  }
}
