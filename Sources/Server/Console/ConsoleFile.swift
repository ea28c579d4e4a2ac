/// A file of the console, as browsers get it. All of them are in `Files`, and in the program.
public struct ConsoleFile: Sendable {
  /// Its name below `/console/`.
  public let name: String
  /// The bytes.
  public let bytes: [UInt8]

  /// The page itself.
  public static let page = Self(name: "index.html", bytes: PackageResources.index_html)

  /// The files that the page consists of.
  public static let parts: [Self] = [
    Self(name: "api.js", bytes: PackageResources.api_js),
    Self(name: "arguments.js", bytes: PackageResources.arguments_js),
    Self(name: "audit.js", bytes: PackageResources.audit_js),
    Self(name: "catalog.js", bytes: PackageResources.catalog_js),
    Self(name: "catalogs.js", bytes: PackageResources.catalogs_js),
    Self(name: "charts.js", bytes: PackageResources.charts_js),
    Self(name: "console.css", bytes: PackageResources.console_css),
    Self(name: "coverage.js", bytes: PackageResources.coverage_js),
    Self(name: "csv.js", bytes: PackageResources.csv_js),
    Self(name: "data.js", bytes: PackageResources.data_js),
    Self(name: "device.js", bytes: PackageResources.device_js),
    Self(name: "devices.js", bytes: PackageResources.devices_js),
    Self(name: "dom.js", bytes: PackageResources.dom_js),
    Self(name: "failures.js", bytes: PackageResources.failures_js),
    Self(name: "feedback.js", bytes: PackageResources.feedback_js),
    Self(name: "filters.js", bytes: PackageResources.filters_js),
    Self(name: "findings.js", bytes: PackageResources.findings_js),
    Self(name: "icon.svg", bytes: PackageResources.icon_svg),
    Self(name: "json.js", bytes: PackageResources.json_js),
    Self(name: "keys.js", bytes: PackageResources.keys_js),
    Self(name: "languages.js", bytes: PackageResources.languages_js),
    Self(name: "main.js", bytes: PackageResources.main_js),
    Self(name: "meanings.js", bytes: PackageResources.meanings_js),
    Self(name: "message-form.js", bytes: PackageResources.message_form_js),
    Self(name: "message-preview.js", bytes: PackageResources.message_preview_js),
    Self(name: "message.js", bytes: PackageResources.message_js),
    Self(name: "messages.js", bytes: PackageResources.messages_js),
    Self(name: "notification.js", bytes: PackageResources.notification_js),
    Self(name: "overview.js", bytes: PackageResources.overview_js),
    Self(name: "plural.js", bytes: PackageResources.plural_js),
    Self(name: "reference.css", bytes: PackageResources.reference_css),
    Self(name: "reference.js", bytes: PackageResources.reference_js),
    Self(name: "route.js", bytes: PackageResources.route_js),
    Self(name: "strings.js", bytes: PackageResources.strings_js),
    Self(name: "ui.js", bytes: PackageResources.ui_js),
    Self(name: "webhooks.js", bytes: PackageResources.webhooks_js),
  ]

  /// The media type, by the end of the name.
  public var contentType: String {
    switch name.split(separator: ".").last {
    case "html": "text/html; charset=utf-8"
    case "css": "text/css; charset=utf-8"
    case "js": "text/javascript; charset=utf-8"
    default: "image/svg+xml"
    }
  }
}
