// SPDX-License-Identifier: Apache-2.0
#include <filesystem>
#include <optional>

#include "sqs.h"
#include "subject.h"
#include "support/stoker_server.h"

namespace bench {
namespace {

constexpr Seconds kStartPatience{120}, kStopPatience{60};

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

std::unique_ptr<Subject> stoker_subject(const std::string& program, const Ground& ground) {
  return std::make_unique<StokerSubject>(program, ground);
}

std::unique_ptr<Subject> echo_subject(const Ground& ground) { return std::make_unique<EchoSubject>(ground); }

}  // namespace bench
