// SPDX-License-Identifier: Apache-2.0
// What reconciliation costs: 1,000 services with 10,000 tasks on simulated machines, in one process, with the store's
// own transactions. A task that ends is replaced, a machine dies, and nothing happens at all.
#include <CLI/CLI.hpp>
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <filesystem>
#include <random>

#include "base/check.h"
#include "base/random.h"
#include "services/ecs/capacity/capacity_index.h"
#include "services/ecs/clusters/cluster_operations.h"
#include "services/ecs/definitions/definition_operations.h"
#include "services/ecs/machines/fleets.h"
#include "services/ecs/machines/instance_operations.h"
#include "services/ecs/module.h"
#include "services/ecs/reconciliation/service_loop.h"
#include "services/ecs/reconciliation/service_queue.h"
#include "services/ecs/services/service_operations.h"
#include "services/ecs/tasks/agent_work.h"
#include "services/ecs/tasks/task_operations.h"
#include "services/shape_json.h"
#include "state/cluster.h"
#include "state/ec2_instance.h"
#include "state/keys.h"
#include "store/store.h"

namespace {

namespace ecs = services::ecs;
using Clock = std::chrono::steady_clock;

constexpr char kExtraColumns[] = "CREATE TABLE bench_commits (id INTEGER PRIMARY KEY, value INTEGER NOT NULL)";

struct Options {
  int services = 1000;
  int tasks = 10;  // of each
  int machines = 200;
  int exits = 500;
  bool quick = false;
};

double since(Clock::time_point began) { return std::chrono::duration<double>(Clock::now() - began).count(); }

double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return values[values.size() / 2];
}

class Bench {
 public:
  explicit Bench(const Options& options)
      : options_(options), folder_(std::filesystem::current_path() / ("services-" + base::random_uuid())) {
    store_ = store::open_sqlite(folder_, {state::key_migrations(), state::cluster_migrations(),
                                          state::ec2_instance_migrations(),
                                          ecs::module({}).migrations, {"bench", {kExtraColumns}}});
  }
  ~Bench() {
    store_.reset();
    std::filesystem::remove_all(folder_);
  }

  void register_machines() {
    write([&](services::Call& call) {
      ecs::create_cluster(call, {});
      ecs::register_task_definition(call, services::from_json<ecs::RegisterTaskDefinitionRequest>(
                                              R"({"family":"web","containerDefinitions":[{"name":"main","image":"web",
                                              "cpu":64,"memory":64}]})"));
      for (int i = 0; i < options_.machines; ++i) machines_.push_back(add_machine(call, i));
    });
  }

  // Returns the seconds until all tasks were written.
  double create_services() {
    const auto began = Clock::now();
    for (int i = 0; i < options_.services; i += 100) {
      write([&](services::Call& call) {
        for (int j = i; j < std::min(i + 100, options_.services); ++j) {
          ecs::CreateServiceRequest request;
          request.serviceName = "service-" + std::to_string(j);
          request.taskDefinition = "web";
          request.desiredCount = options_.tasks;
          // The tasks of one service are few: without this they would all be on the same machines.
          request.placementStrategy = std::vector<ecs::PlacementStrategy>{{.type = "random"}};
          ecs::create_service(call, request);
        }
      });
    }
    settle();
    return since(began);
  }

  // All tasks are RUNNING and have proved themselves.
  void run_all() {
    report(live_tasks(), "RUNNING");
    settle();
    now_ += std::chrono::minutes(1);
    settle();
    now_ += std::chrono::minutes(1);
    settle();
  }

  // One durable transaction, for comparison; microseconds.
  double commit() {
    std::vector<double> took;
    for (int i = 0; i < options_.exits; ++i) {
      const auto began = Clock::now();
      write([](services::Call& call) { call.tx.exec("INSERT INTO bench_commits (value) VALUES (1)"); });
      took.push_back(since(began) * 1e6);
    }
    return median(took);
  }

  struct Exit {
    double whole_us = 0;        // from the report to the replacement's commit
    double replacement_us = 0;  // from the commit of the exit
  };
  // From the report of a task's end until its replacement is durable; the median.
  Exit replace_one() {
    std::vector<double> whole, replacement;
    std::vector<model::TaskId> tasks = live_tasks();
    std::shuffle(tasks.begin(), tasks.end(), random_);
    tasks.resize(std::min(tasks.size(), static_cast<std::size_t>(options_.exits)));
    for (const model::TaskId& task : tasks) {
      now_ += std::chrono::seconds(1);
      const auto began = Clock::now();
      report({task}, "STOPPED");
      const auto ended = Clock::now();
      const int applied = turn();
      replacement.push_back(since(ended) * 1e6);
      whole.push_back(since(began) * 1e6);
      CHECK(applied > 0) << "no replacement";
      settle();
    }
    return {median(whole), median(replacement)};
  }

  // Until all tasks of a machine are replaced elsewhere; how many, and microseconds for each.
  std::pair<std::size_t, double> lose_machine() {
    const std::size_t before = live_tasks().size();
    const model::InstanceId machine = machines_.front();
    std::size_t lost = 0;
    write([&](services::Call& call) { lost = state::list_tasks_on(call.tx, machine).size(); });
    const auto began = Clock::now();
    write([&](services::Call& call) {
      ecs::DeregisterContainerInstanceRequest request;
      request.containerInstance = machine.str();
      request.force = true;
      ecs::deregister_container_instance(call, request);
    });
    settle();
    const double took = since(began) * 1e6;
    CHECK(live_tasks().size() == before) << "not all tasks were replaced";
    return {lost, took / static_cast<double>(std::max<std::size_t>(lost, 1))};
  }

  // Services that the loop would read now, and the time of a turn that finds none; microseconds.
  std::pair<std::size_t, double> idle() {
    const std::size_t due = services_.due(now_, 1000).size();
    std::vector<double> took;
    for (int i = 0; i < 1000; ++i) {
      const auto began = Clock::now();
      turn();
      took.push_back(since(began) * 1e6);
    }
    return {due, median(took)};
  }

  std::size_t count_tasks() { return live_tasks().size(); }

 private:
  template <class Use>
  void write(const Use& use) {
    store_->write_now([&](store::Tx& tx) {
      services::Call call{tx, caller_, now_, now_, &locals_};
      use(call);
    });
  }

  // One turn of the loop. Returns the number of applied decisions.
  int turn() {
    services::Decision decision;
    store_->read_now([&](store::Tx& tx) {
      services::Call call{tx, caller_, now_, now_, &locals_};
      decision = loop_.look(call);
    });
    next_ = decision.next;
    if (!decision.apply) return 0;
    write(decision.apply);
    return 1;
  }
  void settle() {
    while (turn() > 0 || (next_ && *next_ <= now_)) {
    }
  }

  std::vector<model::TaskId> live_tasks() {
    std::vector<model::TaskId> tasks;
    store_->read_now([&](store::Tx& tx) {
      for (const model::InstanceId& machine : machines_) {
        for (const state::Task& task : state::list_tasks_on(tx, machine)) tasks.push_back(task.id);
      }
    });
    return tasks;
  }
  void report(const std::vector<model::TaskId>& tasks, const std::string& status) {
    write([&](services::Call& call) {
      for (const model::TaskId& task : tasks) {
        ecs::SubmitTaskStateChangeRequest request;
        request.task = task.str();
        request.status = status;
        ecs::submit_task_state_change(call, request);
      }
    });
  }

  static model::InstanceId add_machine(services::Call& call, int number) {
    ecs::RegisterContainerInstanceRequest request;
    request.instanceIdentityDocument = R"({"instanceId":"box-)" + std::to_string(number) + "\"}";
    request.totalResources = std::vector<ecs::Resource>{{.name = "CPU", .type = "INTEGER", .integerValue = 65536},
                                                        {.name = "MEMORY", .type = "INTEGER", .integerValue = 524288}};
    const std::string arn = *ecs::register_container_instance(call, request).containerInstance->containerInstanceArn;
    const model::InstanceId id(arn.substr(arn.rfind('/') + 1));
    ecs::set_connected(call, id, true);
    return id;
  }

  Options options_;
  std::filesystem::path folder_;
  services::Locals locals_;
  [[maybe_unused]] ecs::CapacityIndex& capacity_ = locals_.add<ecs::CapacityIndex>();
  ecs::Fleets& fleets_ = locals_.add<ecs::Fleets>();
  ecs::ServiceQueue& services_ = locals_.add<ecs::ServiceQueue>();
  services::Caller caller_{.account = "000000000000", .region = "us-east-1", .endpoint = "http://localhost:4566"};
  std::unique_ptr<store::Store> store_;
  services::Loop loop_ = ecs::service_loop();
  std::optional<base::Time> next_;
  base::Time now_ = base::from_seconds(1800000000);
  std::vector<model::InstanceId> machines_;
  std::mt19937_64 random_{42};
};

const char* verdict(bool good) { return good ? "pass" : "MISS"; }

}  // namespace

int main(int argc, char** argv) {
  Options options;
  CLI::App app("What the loop that reconciles services costs.");
  app.add_option("--services", options.services, "Services")->capture_default_str();
  app.add_option("--tasks", options.tasks, "Tasks of each")->capture_default_str();
  app.add_option("--machines", options.machines, "Machines")->capture_default_str();
  app.add_option("--exits", options.exits, "Tasks that end")->capture_default_str();
  app.add_flag("--quick", options.quick, "Some seconds: does the benchmark still work?");
  CLI11_PARSE(app, argc, argv);
  if (options.quick) options.services = 50, options.machines = 20, options.exits = 20;

  Bench bench(options);
  bench.register_machines();
  const double created = bench.create_services();
  bench.run_all();
  const double commit = bench.commit();
  const auto [due, turn] = bench.idle();
  const auto exit = bench.replace_one();
  bench.run_all();
  const auto [lost, per_task] = bench.lose_machine();
  std::printf("%d services with %zu tasks on %d machines\n", options.services, bench.count_tasks(), options.machines);
  std::printf("from nothing to all tasks     %10.2f s\n", created);
  std::printf("one durable commit            %10.1f us p50\n", commit);
  std::printf("task exit to replacement      %10.1f us p50, of which %.1f us after the exit's own commit\n",
              exit.whole_us, exit.replacement_us);
  std::printf("a machine with %zu tasks dies %10.1f us for each task\n", lost, per_task);
  std::printf("unchanged: services read      %10zu    a turn of the loop %.1f us\n", due, turn);
  std::printf("\nexit to replacement / two commits  %.2f\n", exit.whole_us / (2 * commit));
  std::printf("exit to replacement < 10 ms        %s\n", verdict(exit.whole_us < 10000));
  std::printf("an unchanged service costs nothing %s\n", verdict(due == 0));
  return 0;
}
