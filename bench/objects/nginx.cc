// SPDX-License-Identifier: Apache-2.0
#include "objects/nginx.h"

#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <stdexcept>

namespace bench {
namespace {

constexpr Seconds kStartPatience{20}, kStopPatience{20};

Endpoint any_endpoint() {
  Endpoint endpoint;
  endpoint.port = free_port();
  // nginx ignores them; but its requests are then as long as ours, and cost the generator as much.
  endpoint.credentials = {"AKIAIOSFODNN7EXAMPLE", "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY", ""};
  return endpoint;
}

void write_config(const std::string& folder, const std::string& files, unsigned short port) {
  std::ofstream(folder + "/nginx.conf")
      // Otherwise its workers run as a user who cannot read the folder.
      << (::geteuid() == 0 ? "user root;\n" : "") << "worker_processes auto;\ndaemon off;\npid " << folder
      << "/nginx.pid;\nerror_log " << folder << "/nginx.log warn;\n"
      << "events { worker_connections 1024; }\n"
      << "http {\n  access_log off;\n  sendfile on;\n  tcp_nodelay on;\n  keepalive_requests 1000000000;\n"
      << "  default_type application/octet-stream;\n"
      << "  client_body_temp_path " << folder << "/body;\n  proxy_temp_path " << folder << "/proxy;\n"
      << "  fastcgi_temp_path " << folder << "/fastcgi;\n  uwsgi_temp_path " << folder << "/uwsgi;\n"
      << "  scgi_temp_path " << folder << "/scgi;\n"
      << "  server { listen 127.0.0.1:" << port << "; location /bench/ { alias " << files << "/; } }\n}\n";
}

Command command(const std::string& folder, const std::string& files, unsigned short port) {
  const std::string program = find_program("nginx");
  if (program.empty()) throw std::runtime_error("nginx is not installed (bench/setup.sh)");
  std::filesystem::create_directories(folder);
  write_config(folder, files, port);
  return {.arguments = {program, "-p", folder, "-c", folder + "/nginx.conf", "-e", folder + "/nginx.log"},
          .environment = {},
          .log_file = folder + "/nginx.log"};
}

}  // namespace

Nginx::Nginx(const std::string& folder, const std::string& files)
    : endpoint_(any_endpoint()), process_(command(folder, files, endpoint_.port)) {
  if (!wait_for_port(endpoint_.port, kStartPatience) || !process_.running()) {
    throw std::runtime_error("nginx did not start; see " + folder + "/nginx.log");
  }
}

Nginx::~Nginx() { process_.stop(kStopPatience); }

}  // namespace bench
