// SPDX-License-Identifier: Apache-2.0
#include "support/stoker_server.h"

#include <filesystem>
#include <fstream>
#include <stdexcept>

namespace bench {
namespace {

constexpr Seconds kStartPatience{120}, kStopPatience{60};

// No agent: it would run nothing, and its driver might be missing.
Command up_command(const std::string& program, const std::string& folder) {
  std::filesystem::create_directories(folder);
  return {.arguments = {program, "up", "--no-agent", "--data", folder + "/data", "--listen", "127.0.0.1:0"},
          .environment = {},
          .log_file = folder + "/log"};
}

// The lines "name = value" of its credentials file.
signing::Credentials read_credentials(const std::string& file) {
  signing::Credentials credentials;
  std::ifstream in(file);
  for (std::string name, equals, value; in >> name;) {
    if (name.starts_with('[')) continue;
    in >> equals >> value;
    if (name == "aws_access_key_id") credentials.access_key = value;
    if (name == "aws_secret_access_key") credentials.secret_key = value;
  }
  return credentials;
}

}  // namespace

StokerServer::StokerServer(const std::string& program, const std::string& folder)
    : process_(up_command(program, folder)) {
  const std::string line = process_.wait_for_line("is ready at ", kStartPatience);
  ready_after_ = std::chrono::steady_clock::now() - began_;
  endpoint_.port = port_in(line);
  endpoint_.credentials = read_credentials(folder + "/data/credentials");
}

void StokerServer::stop() { process_.stop(kStopPatience); }

unsigned short port_in(const std::string& line) {
  const std::size_t at = line.find("://127.0.0.1:");
  if (at == line.npos) throw std::runtime_error("no address in: " + line);
  return static_cast<unsigned short>(std::stoi(line.substr(at + 13)));
}

}  // namespace bench
