// SPDX-License-Identifier: Apache-2.0
// For tests: a driver whose containers exist only in memory and end on request.
#pragma once

#include <algorithm>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "agent/drivers/driver.h"
#include "agent/signal.h"

namespace agent {

class TestDriver final : public drivers::Driver {
 public:
  struct Box {
    std::string name, task_arn;
    drivers::ContainerSpec spec;
    drivers::Phase phase = drivers::Phase::Created;
    drivers::Exit exit;
    std::string health = "UNKNOWN";
  };

  std::vector<std::string> events;  // "start web", in the order of the calls
  std::map<std::string, Box> boxes;
  std::map<std::string, std::vector<std::string>> pull_errors;  // by image; each is returned once
  std::set<std::string> endless_pulls;
  std::map<std::string, drivers::OnPullProgress> on_pull_progress;  // by image, of its last pull
  std::optional<drivers::PullProgress> first_progress;              // of pulls, all of which are endless then
  std::map<std::string, std::string> create_errors, start_errors;  // by container
  std::set<std::string> endless_stops;                             // containers whose stop never returns
  std::set<std::string> lost_starts;  // containers that run although start() returned an error
  std::set<std::string> stop_errors;  // containers whose stop fails
  std::set<std::string> ended_tasks;
  bool endless_removes = false;       // no remove() returns
  std::string engine_error;           // why the engine does not respond; "": it does
  base::Time now = base::from_seconds(1000);

  void exit(const std::string& name, int code, bool out_of_memory = false) {
    for (auto& [id, box] : boxes) {
      if (box.name != name || box.phase != drivers::Phase::Running) continue;
      box.phase = drivers::Phase::Exited;
      box.exit.code = code;
      box.exit.out_of_memory = out_of_memory;
      box.exit.at = now;
    }
    changed_.notify();
  }
  void set_health(const std::string& name, const std::string& health) {
    for (auto& [id, box] : boxes) {
      if (box.name == name) box.health = health;
    }
    changed_.notify();
  }
  bool runs(const std::string& name) const {
    return std::ranges::any_of(boxes, [&](const auto& entry) {
      return entry.second.name == name && entry.second.phase == drivers::Phase::Running;
    });
  }
  bool happened(const std::string& event) const { return std::ranges::count(events, event) > 0; }
  std::size_t order(const std::string& event) const {
    return static_cast<std::size_t>(std::ranges::find(events, event) - events.begin());
  }

  const drivers::Abilities& abilities() const override { return abilities_; }

  boost::asio::awaitable<base::Result<drivers::Nothing>> ping() override {
    if (!engine_error.empty()) co_return base::Error{engine_error};
    co_return drivers::Nothing();
  }
  boost::asio::awaitable<void> watch_engine() override {
    while (engine_error.empty()) co_await changed_.wait(kLongestWait);
  }

  boost::asio::awaitable<base::Result<drivers::Pulled>> pull(std::string image, drivers::OnPullProgress on_progress) override {
    events.push_back("pull " + image);
    on_pull_progress[image] = std::move(on_progress);
    if (first_progress) on_pull_progress[image](*first_progress);
    while (endless_pulls.contains(image) || first_progress) {
      co_await changed_.wait(kLongestWait);
    }
    std::vector<std::string>& errors = pull_errors[image];
    if (errors.empty()) co_return drivers::Pulled{"sha256:" + image};
    base::Error error{errors.front()};
    errors.erase(errors.begin());
    co_return error;
  }
  boost::asio::awaitable<base::Result<std::string>> create(drivers::ContainerSpec spec) override {
    const std::string name = spec.container.name;
    events.push_back("create " + name);
    if (create_errors.contains(name)) co_return base::Error{create_errors[name]};
    const std::string id = "box-" + std::to_string(boxes.size() + 1);
    Box& box = boxes[id];
    box.name = name;
    box.task_arn = spec.task.arn;
    box.spec = std::move(spec);
    co_return id;
  }
  boost::asio::awaitable<base::Result<drivers::Started>> start(std::string id) override {
    Box& box = boxes.at(id);
    events.push_back("start " + box.name);
    if (start_errors.contains(box.name)) co_return base::Error{start_errors[box.name]};
    box.phase = drivers::Phase::Running;
    if (lost_starts.contains(box.name)) co_return base::Error{"CannotStartContainerError: no answer"};
    drivers::Started started;
    started.at = now;
    co_return started;
  }
  boost::asio::awaitable<base::Result<drivers::Exit>> wait(std::string id) override {
    while (boxes.contains(id) && boxes[id].phase != drivers::Phase::Exited) {
      co_await changed_.wait(kLongestWait);
    }
    if (!boxes.contains(id)) co_return base::Error{"no such container"};
    co_return boxes[id].exit;
  }
  boost::asio::awaitable<base::Result<drivers::Nothing>> stop(std::string id, base::Duration grace) override {
    if (!boxes.contains(id)) co_return drivers::Nothing();
    const std::string name = boxes[id].name;
    events.push_back("stop " + name);
    graces[name] = grace;
    if (stop_errors.contains(name)) co_return base::Error{"the engine is unavailable"};
    while (endless_stops.contains(name)) {
      co_await changed_.wait(kLongestWait);
    }
    exit(name, 143);
    co_return drivers::Nothing();
  }
  boost::asio::awaitable<base::Result<drivers::Nothing>> remove(std::string id) override {
    if (boxes.contains(id)) events.push_back("remove " + boxes[id].name);
    while (endless_removes) {
      co_await changed_.wait(kLongestWait);
    }
    boxes.erase(id);
    co_return drivers::Nothing();
  }
  boost::asio::awaitable<void> end_task(std::string task_arn) override {
    ended_tasks.insert(task_arn);
    co_return;
  }
  boost::asio::awaitable<base::Result<drivers::Nothing>> clean_up(std::string task_arn) override {
    events.push_back("clean_up " + task_arn);
    co_return drivers::Nothing();
  }
  boost::asio::awaitable<base::Result<std::string>> health(std::string id, std::string known) override {
    while (boxes.contains(id) && boxes[id].health == known) {
      co_await changed_.wait(kLongestWait);
    }
    if (!boxes.contains(id)) co_return base::Error{"no such container"};
    co_return boxes[id].health;
  }
  boost::asio::awaitable<base::Result<drivers::Usage>> usage(std::string) override {
    co_return drivers::Usage{50, 1024 * 1024};
  }
  boost::asio::awaitable<base::Result<std::vector<drivers::Found>>> list() override {
    std::vector<drivers::Found> found;
    for (const auto& [id, box] : boxes) found.push_back({id, box.task_arn, box.name, box.phase});
    co_return found;
  }

  boost::asio::awaitable<base::Result<std::unique_ptr<drivers::ExecStream>>> exec(
      std::string id, drivers::ExecRequest request) override {
    if (!on_exec) co_return base::Error{"no commands here"};
    co_return on_exec(boxes.at(id).name, request);
  }
  std::function<std::unique_ptr<drivers::ExecStream>(const std::string& container, const drivers::ExecRequest&)> on_exec;

  std::map<std::string, base::Duration> graces;
  void wake() { changed_.notify(); }

 private:
  drivers::Abilities abilities_{"process", "1.0", {"com.amazonaws.ecs.capability.logging-driver.json-file"}};
  Signal changed_;
};

}  // namespace agent
