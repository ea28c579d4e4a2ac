internal import App
internal import EventLoop
internal import Foundation
internal import Postgres

let arguments = Array(CommandLine.arguments.dropFirst())
switch arguments.first {
case "serve" where arguments.contains("--help"):
  print(Configuration.help, terminator: "")
case "serve":
  await serve(Array(arguments.dropFirst()))
case "migrate":
  await migrateOnly(Array(arguments.dropFirst()))
case "version":
  print("postilion \(version)")
case "--help", "help":
  print(usage)
default:
  exit(with: .usage, usage)
}
