// SPDX-License-Identifier: Apache-2.0
// Redis as a durable queue: appendfsync always, so that a reply means "on disk".
#include <filesystem>
#include <stdexcept>

#include "sqs.h"
#include "subject.h"

namespace bench {
namespace {

constexpr Seconds kStartPatience{30}, kStopPatience{30};

std::string command(const std::vector<std::string>& words) {
  std::string out = "*" + std::to_string(words.size()) + "\r\n";
  for (const std::string& word : words) out += "$" + std::to_string(word.size()) + "\r\n" + word + "\r\n";
  return out;
}

// The size of the first reply in `bytes`; 0 if it is incomplete.
std::size_t reply_size(std::string_view bytes) {
  const std::size_t end = bytes.find("\r\n");
  if (end == bytes.npos) return 0;
  if (bytes[0] == ':' || bytes[0] == '+') return end + 2;
  if (bytes[0] != '$' || bytes[1] == '-')
    throw std::runtime_error("answered with " + std::string(bytes.substr(0, end)));
  const std::size_t size = end + 2 + std::stoul(std::string(bytes.substr(1, end - 1))) + 2;
  return bytes.size() >= size ? size : 0;
}

// The reliable queue of Redis's documentation: a consumer moves a message to its own list,
// and removes it from that list when it is done.
class RedisTalk : public Conversation {
 public:
  RedisTalk(Work work, int number) : work_(work), held_("held:" + std::to_string(number)) {}

  bool say(std::string& out) override {
    if (work_ == Work::Batch) {
      std::vector<std::string> words = {"RPUSH", "queue"};
      for (int i = 0; i < kBatch; ++i) words.push_back(message_body(sent_++));
      out += command(words);
    } else if (step_ == 0) {
      out += command({"RPUSH", "queue", message_body(sent_++)});
    } else if (step_ == 1) {
      out += command({"LMOVE", "queue", held_, "LEFT", "RIGHT"});
    } else {
      out += command({"LREM", held_, "1", body_});
    }
    return true;
  }

  Heard hear(std::string_view bytes) override {
    const std::size_t size = reply_size(bytes);
    if (size == 0) return {};
    if (work_ != Work::Cycle) return {size, true, true, work_ == Work::Batch ? kBatch : 1};
    if (step_ == 1) body_ = bytes.substr(size - 2 - kBodyBytes, kBodyBytes);
    step_ = (step_ + 1) % 3;
    return {size, true, step_ == 0, step_ == 0 ? 1 : 0};
  }

 private:
  Work work_;
  std::string held_, body_;
  int step_ = 0;
  std::uint64_t sent_ = 0;
};

class Flush : public Conversation {
 public:
  bool say(std::string& out) override {
    if (said_) return false;
    out += command({"FLUSHALL"});
    return said_ = true;
  }
  Heard hear(std::string_view bytes) override {
    const std::size_t size = reply_size(bytes);
    return {size, size > 0, true, 0};
  }

 private:
  bool said_ = false;
};

Command server_command(const std::string& folder, unsigned short port) {
  const std::string program = find_program("redis-server");
  if (program.empty()) throw std::runtime_error("not installed (bench/setup.sh installs it)");
  std::filesystem::remove_all(folder);
  std::filesystem::create_directories(folder);
  return {.arguments = {program, "--port", std::to_string(port), "--bind", "127.0.0.1", "--dir", folder, "--save", "",
                        "--appendonly", "yes", "--appendfsync", "always", "--daemonize", "no",
                        // A rewrite during a load would distort the result.
                        "--auto-aof-rewrite-percentage", "0", "--logfile", folder + "/redis.log"},
          .environment = {},
          .log_file = folder + "/log"};
}

class RedisSubject : public Subject {
 public:
  explicit RedisSubject(const Ground& ground)
      : port_(free_port()), process_(server_command(ground.folder + "/redis", port_)) {
    if (!wait_for_port(port_, kStartPatience)) throw std::runtime_error("did not start");
  }
  ~RedisSubject() override { process_.stop(kStopPatience); }

  const char* name() const override { return "redis"; }
  bool does(Work work) const override { return work == Work::Send || work == Work::Batch || work == Work::Cycle; }
  std::vector<Connection> prepare(Work work, int connections) override {
    std::vector<Connection> made;
    for (int i = 0; i < connections; ++i) made.emplace_back(connect_to(port_), std::make_unique<RedisTalk>(work, i));
    return made;
  }
  void clean_up() override { run_alone(connect_to(port_), std::make_unique<Flush>()); }
  Seconds cpu() const override { return process_.cpu(); }

 private:
  unsigned short port_;
  Process process_;
};

}  // namespace

std::unique_ptr<Subject> redis_subject(const Ground& ground) { return std::make_unique<RedisSubject>(ground); }

}  // namespace bench
