// SPDX-License-Identifier: Apache-2.0
#include "stoker.h"

#include <filesystem>
#include <fstream>
#include <optional>
#include <stdexcept>

#include "subject.h"

namespace bench {
namespace {

constexpr Seconds kStartPatience{120}, kStopPatience{60};
constexpr int kFillConnections = 32;

Command up_command(const std::string& program, const std::string& folder) {
  std::filesystem::create_directories(folder);
  return {.arguments = {program, "server", "--data", folder + "/data", "--listen", "127.0.0.1:0"},
          .environment = {},
          .log_file = folder + "/log"};
}

// The lines "name = value" of its credentials file.
http::Credentials read_credentials(const std::string& file) {
  http::Credentials credentials;
  std::ifstream in(file);
  for (std::string name, equals, value; in >> name;) {
    if (name.starts_with('[')) continue;
    in >> equals >> value;
    if (name == "aws_access_key_id") credentials.access_key = value;
    if (name == "aws_secret_access_key") credentials.secret_key = value;
  }
  return credentials;
}

class StokerSubject : public Subject {
 public:
  StokerSubject(std::string program, Ground ground) : program_(std::move(program)), ground_(std::move(ground)) {}

  const char* name() const override { return "stoker"; }
  bool does(Work) const override { return true; }

  std::vector<Connection> prepare(Work work, int connections) override {
    clean_up();
    server_.emplace(program_, folder());
    SqsQueue queue(server_->endpoint(), "bench");
    if (work == Work::Receive1 || work == Work::Receive10) fill(queue, ground_.prefill);
    std::vector<Connection> made;
    for (int i = 0; i < connections; ++i) made.emplace_back(connect_to(queue.port()), talk(queue, work));
    return made;
  }
  void clean_up() override {
    if (server_) server_->stop();
    server_.reset();
    std::filesystem::remove_all(folder());
  }
  Seconds cpu() const override { return server_->cpu(); }

 private:
  static std::unique_ptr<Conversation> talk(SqsQueue& queue, Work work) {
    switch (work) {
      case Work::Send: return queue.sender();
      case Work::Batch: return queue.batch_sender();
      case Work::Receive1: return queue.receiver(1);
      case Work::Receive10: return queue.receiver(kBatch);
      case Work::Cycle: return queue.cycler();
    }
    return nullptr;
  }
  std::string folder() const { return ground_.folder + "/stoker"; }

  std::string program_;
  Ground ground_;
  std::optional<StokerServer> server_;
};

class EchoSubject : public Subject {
 public:
  explicit EchoSubject(const Ground& ground)
      : process_({{"/proc/self/exe", "--echo-server"}, {}, ground.folder + "/echo.log"}) {
    endpoint_.port = port_in(process_.wait_for_line("is ready at ", kStartPatience));
    endpoint_.credentials = {"AKIAIOSFODNN7EXAMPLE", "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY", ""};
  }
  ~EchoSubject() override { process_.stop(kStopPatience); }

  const char* name() const override { return "echo"; }
  bool does(Work work) const override { return work == Work::Send; }
  std::vector<Connection> prepare(Work, int connections) override {
    SqsQueue queue = SqsQueue::unmade(endpoint_, "bench");
    std::vector<Connection> made;
    for (int i = 0; i < connections; ++i) made.emplace_back(connect_to(endpoint_.port), queue.sender());
    return made;
  }
  void clean_up() override {}
  Seconds cpu() const override { return process_.cpu(); }

 private:
  Process process_;
  Endpoint endpoint_;
};

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

void fill(SqsQueue& queue, std::int64_t messages) {
  std::vector<Connection> connections;
  for (int i = 0; i < kFillConnections; ++i) {
    connections.emplace_back(connect_to(queue.port()), queue.batch_sender(&messages));
  }
  run_load(connections, Seconds(0), Seconds(3600));
}

std::unique_ptr<Subject> stoker_subject(const std::string& program, const Ground& ground) {
  return std::make_unique<StokerSubject>(program, ground);
}

std::unique_ptr<Subject> echo_subject(const Ground& ground) { return std::make_unique<EchoSubject>(ground); }

}  // namespace bench
