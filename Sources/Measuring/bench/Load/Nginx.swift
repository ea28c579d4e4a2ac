internal import Foundation

/// nginx with one worker that answers 200 to everything.
struct Nginx {
  let child: Child
  let port: Int
  let worker: pid_t

  static func start(in directory: WorkDirectory) throws(Fault) -> Nginx {
    let port = try Socket.freePort()
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
    try write(configuration, to: file)
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
}
