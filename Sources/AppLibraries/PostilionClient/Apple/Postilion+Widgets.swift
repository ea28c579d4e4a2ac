// Only the SDK of Xcode 26, with Swift 6.2, has push tokens for widgets.
#if canImport(WidgetKit) && !targetEnvironment(macCatalyst) && !os(tvOS) && compiler(>=6.2)
  import Foundation
  import WidgetKit

  extension Postilion {
    /// Reports the token for the widgets of the app, and which of them the person has placed.
    ///
    /// The system tells a new token to the `WidgetPushHandler` of your widget extension, where the
    /// registration is not. So call this in the app, at each launch and when it comes to the front.
    @available(iOS 26, macOS 26, watchOS 26, visionOS 26, *)
    public nonisolated func reportWidgets() async {
      let token = await WidgetCenter.shared.currentPushInfo?.token
      let placed = try? await WidgetCenter.shared.currentConfigurations()
      if let token {
        let widgets = (placed ?? []).map { widget -> PayloadValue in
          ["kind": .string(widget.kind), "family": .string(String(describing: widget.family))]
        }
        register(token: token, for: .widgets(widgets))
      } else if placed?.isEmpty == true {
        remove(.widgets())
      }
      // A token that the system has not made yet comes with the next call.
    }

    #if !os(visionOS)
      /// Reports the tokens of the controls that the person has placed.
      ///
      /// The system tells new tokens to the `ControlPushHandler` of your widget extension, where
      /// the registration is not. So call this in the app, at each launch and when it comes to the
      /// front.
      ///
      /// ```swift
      /// await Postilion.shared.reportControls(["porch", "hall"], handler: "LightHandler")
      /// ```
      ///
      /// - Parameters:
      ///   - kinds: the kinds of the controls that have this handler.
      ///   - handler: the name of the handler's type.
      ///   - name: the name of a control for your backend; its kind, unless you give another. Give
      ///     one for a control that the person can place several times, each with its own
      ///     configuration.
      @available(iOS 18, macOS 26, watchOS 26, *)
      public nonisolated func reportControls(
        _ kinds: Set<String>, handler: String, name: (ControlInfo) -> String = { $0.kind }
      ) async {
        guard let controls = try? await ControlCenter.shared.currentControls() else { return }
        var tokens: [String: Data] = [:]
        for control in controls where kinds.contains(control.kind) {
          guard let token = control.pushInfo?.token else { continue }
          let wanted = name(control)
          // No token is lost because two controls have one name.
          tokens[tokens[wanted] == nil ? wanted : "\(wanted) \(control.id)"] = token
        }
        setControls(tokens, handler: handler)
      }
    #endif
  }
#endif
