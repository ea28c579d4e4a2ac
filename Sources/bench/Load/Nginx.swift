internal import Foundation

/// nginx with one worker that answers 200 to everything.
struct Nginx {
  let child: Child
  let port: Int
  let worker: pid_t

  static func start(in directory: WorkDirectory) throws(Fault) -> Nginx {
    let port = try freePort()
    let file = directory.file("nginx.conf")
    let temporary = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"]
      .map { "\($0)_temp_path \(directory.file($0));" }
    let configuration = """
      daemon off;
      worker_processes 1;
      error_log stderr;
      pid \(directory.file("nginx.pid"));
      events { worker_connections 1024; }
      http {
        access_log off;
        keepalive_requests 1000000000;
        \(temporary.joined(separator: "\n  "))
        server { listen 127.0.0.1:\(port); location / { return 200 "ok\\n"; } }
      }

      """
    do {
      try configuration.write(toFile: file, atomically: true, encoding: .utf8)
    } catch {
      throw Fault("cannot write \(file): \(error)")
    }
    let program = access("/usr/sbin/nginx", X_OK) == 0 ? "/usr/sbin/nginx" : "nginx"
    let child = try Child.start(
      [program, "-c", file, "-p", directory.path], output: directory.file("nginx.log"))
    do throws(Fault) {
      return Nginx(child: child, port: port, worker: try waitForWorker(of: child, port: port))
    } catch {
      child.stop()
      throw Fault("nginx: \(error.reason)")
    }
  }

  private static func waitForWorker(of child: Child, port: Int) throws(Fault) -> pid_t {
    let deadline = now() + 5
    while now() < deadline {
      let path = "/proc/\(child.process)/task/\(child.process)/children"
      let children = (try? String(contentsOfFile: path, encoding: .utf8)) ?? ""
      if let worker = children.split(separator: " ").first.flatMap({ pid_t($0) }),
        let connection = try? HTTPConnection(port: port)
      {
        connection.close()
        return worker
      }
      usleep(10_000)
    }
    let log = (try? String(contentsOfFile: child.output, encoding: .utf8)) ?? ""
    throw Fault("it does not answer: \(log.suffix(300))")
  }

  /// A port that the system gives, and nobody takes in the moment until nginx has it.
  private static func freePort() throws(Fault) -> Int {
    let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    defer { close(descriptor) }
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
    var length = socklen_t(MemoryLayout<sockaddr_in>.size)
    let result = withUnsafeMutablePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        bind(descriptor, $0, length) == 0 ? getsockname(descriptor, $0, &length) : -1
      }
    }
    guard result == 0 else { throw Fault("no free port") }
    return Int(UInt16(bigEndian: address.sin_port))
  }
}
