import Foundation
import Glibc
import Testing

/// The steps of docs/operations.md, from roles to a restored database, on a PostgreSQL with
/// passwords: every command prints the output that stands below it.
/// `POSTILION_UPDATE_GOLDENS=1` writes the outputs anew.
@Suite struct OperatingTests {
  /// What a machine has before the first step: a server of PostgreSQL that `systemctl` starts and
  /// stops, and a superuser with a password.
  private static let preparation = #"""
    set -eu
    for bin in "$(pg_config --bindir)" /usr/lib/postgresql/*/bin; do
      [ -x "$bin/initdb" ] && break
    done
    mkdir programs srv home server
    ln -s "$SOURCES/sql" home/sql
    chmod 755 .
    if [ "$(id -u)" = 0 ]; then
      as="setpriv --reuid=postgres --regid=postgres --init-groups --"
      chown postgres server
    fi
    printf admin-secret > server/password
    chmod 644 server/password
    (cd server && ${as-} "$bin/initdb" --pgdata=data --username=postgres \
      --auth=scram-sha-256 --pwfile=password --locale=C.UTF-8 --no-sync > initdb.log)
    cat > programs/systemctl << END
    #!/bin/bash
    # Stands for the system's own: "systemctl start postgresql". Foundation sees the end of a
    # process only when nobody has its descriptors any more, and the server would keep them.
    for descriptor in /proc/\$\$/fd/*; do
      descriptor=\${descriptor##*/}
      case \$descriptor in 0|1|2|255) ;; *) eval "exec \$descriptor>&-" ;; esac
    done
    cd "$PWD/server" && exec ${as-} "$bin/pg_ctl" --pgdata=data --wait --silent --log=server.log \
      --options="-p $PORT -c listen_addresses=127.0.0.1 -c unix_socket_directories=$PWD/server \
        -c max_connections=400" \$1
    END
    cat > programs/postilion << END
    #!/bin/bash
    # Of a busy machine five seconds are few.
    command=\$1; shift
    [ "\$command" = serve ] && set -- --database-timeout-seconds 60 "\$@"
    exec "$PROGRAMS/postilion" "\$command" "\$@"
    END
    cat > programs/pg_basebackup << END
    #!/bin/bash
    # Without the wait for the disk.
    exec "$bin/pg_basebackup" --no-sync "\$@"
    END
    chmod 755 programs/*
    ln -s "$bin" binaries
    programs/systemctl start postgresql
    """#

  @Test(.timeLimit(.minutes(10))) func theStepsPrintWhatIsShown() async throws {
    let file = Sources.root.appending(path: "docs/operations.md")
    let steps = Quickstart(try String(contentsOf: file, encoding: .utf8))
    let directory = "/tmp/postilion-operating-\(UUID().uuidString.prefix(8))"
    try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(atPath: directory) }
    let ports = try Self.freePorts(3)
    let path = ProcessInfo.processInfo.environment["PATH"] ?? "/usr/bin:/bin"
    let prepared = try await ShellScript(
      text: Self.preparation, directory: directory,
      environment: [
        "PATH": path, "PORT": ports[0], "SOURCES": Sources.root.path,
        "PROGRAMS": try FileManager.default.executableDirectory.path,
      ]
    ).run()
    try #require(prepared.status == 0, "\(String(decoding: prepared.output, as: UTF8.self))")
    let outputs = try await steps.outputs(
      in: URL(filePath: "\(directory)/home"),
      programs: ["\(directory)/programs", "\(directory)/binaries"],
      replacing: [
        ("5432", ports[0]), ("8080", ports[1]), ("8081", ports[2]), ("/srv", "\(directory)/srv"),
      ])
    _ = try await ShellScript(
      text: "programs/systemctl stop postgresql", directory: directory,
      environment: ["PATH": path]
    ).run()
    try steps.compare(outputs, with: file)
  }

  /// Ports of the loopback interface that nobody listens on.
  private static func freePorts(_ count: Int) throws -> [String] {
    var descriptors: [Int32] = []
    defer { for descriptor in descriptors { close(descriptor) } }
    return try (0..<count).map { _ in
      let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
      descriptors.append(descriptor)
      var address = sockaddr_in()
      address.sin_family = sa_family_t(AF_INET)
      address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
      var length = socklen_t(MemoryLayout<sockaddr_in>.size)
      let status = withUnsafeMutablePointer(to: &address) { pointer in
        pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
          bind(descriptor, $0, length) == 0 ? getsockname(descriptor, $0, &length) : -1
        }
      }
      try #require(status == 0)
      return String(UInt16(bigEndian: address.sin_port))
    }
  }
}
