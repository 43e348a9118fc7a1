// SPDX-License-Identifier: Apache-2.0
// Durable placements of tasks per second: the handler of RunTask, in the store's
// transactions, on a fleet of 10,000 machines with 8 GPUs, while tasks start and end.
#include <CLI/CLI.hpp>
#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdio>
#include <deque>
#include <filesystem>
#include <mutex>
#include <random>

#include "base/random.h"
#include "services/ecs/capacity/capacity_index.h"
#include "services/ecs/tasks/agent_work.h"
#include "services/ecs/machines/fleets.h"
#include "services/ecs/clusters/cluster_operations.h"
#include "services/ecs/definitions/definition_operations.h"
#include "services/ecs/machines/instance_operations.h"
#include "services/ecs/tasks/task_operations.h"
#include "services/ecs/tasks/launch.h"
#include "services/ecs/module.h"
#include "services/ecs/reconciliation/service_queue.h"
#include "services/shape_json.h"
#include "state/cluster.h"
#include "state/ec2_instance.h"
#include "state/keys.h"
#include "state/task.h"
#include "store/store.h"

namespace {

namespace ecs = services::ecs;
using Clock = std::chrono::steady_clock;

constexpr int kGpus = 8;
// Each machine's agent sends its own reports: a tenth of 10,000 at once is realistic.
constexpr std::size_t kInFlight = 1024;
constexpr char kFamilies[][8] = {"gpu1", "gpu2", "gpu4", "gpu8", "share"};
// Of a hundred requests: mostly small ones, as in real clusters.
constexpr int kShares[] = {45, 20, 15, 5, 15};

struct Options {
  int machines = 10000;
  double seconds = 5;
  int count = 10;
  bool quick = false;
};

struct Rate {
  double per_second = 0;
  double cpu_us = 0;  // of the store's writer, for one operation
};

double since(Clock::time_point began) { return std::chrono::duration<double>(Clock::now() - began).count(); }

class Bench {
 public:
  explicit Bench(const Options& options)
      : options_(options), folder_(std::filesystem::current_path() / ("schedule-" + base::random_uuid())) {
    store_ = store::open_sqlite(folder_, {state::key_migrations(), state::cluster_migrations(),
                                          state::ec2_instance_migrations(), ecs::module({}).migrations});
  }
  ~Bench() {
    store_.reset();
    std::filesystem::remove_all(folder_);
  }

  void register_all() {
    call([&](services::Call& call) {
      ecs::create_cluster(call, {});
      for (const char* family : kFamilies) register_family(call, family);
    });
    for (int i = 0; i < options_.machines; i += 100) {
      call([&](services::Call& call) {
        for (int j = i; j < std::min(i + 100, options_.machines); ++j) add_machine(call, j);
      });
    }
  }

  // Fills half of the fleet.
  Rate fill_half() {
    const Stopwatch watch = start();
    while (live() < capacity() / 2) {
      wait_for_room();
      submit_run();
    }
    drain();
    return stop(watch, placed_);
  }

  // Starts and ends the same number of tasks, for a while.
  Rate churn() {
    const Stopwatch watch = start();
    placed_ = 0;
    while (since(watch.began) < options_.seconds) {
      wait_for_room();
      submit_ends();
      wait_for_room();
      submit_run();
    }
    drain();
    return stop(watch, placed_);
  }

  // The upper bound: the same rows, written by the same store, without decisions.
  Rate insert_only() {
    const Stopwatch watch = start();
    std::atomic<std::int64_t> rows = 0;
    while (since(watch.began) < options_.seconds / 2) {
      wait_for_room();
      submit([this, &rows](services::Call& call) {
        const auto launch = state::LaunchNumber(++rows_);
        std::vector<state::Task> tasks;
        for (int i = 0; i < options_.count; ++i) tasks.push_back(row_of(state::new_task_name(launch, i)));
        state::insert_tasks(call.tx, tasks);
        rows += options_.count;
      });
    }
    drain();
    const Rate rate = stop(watch, rows);
    call([&](services::Call& call) {
      call.tx.exec("DELETE FROM ecs_holds");
      call.tx.exec("DELETE FROM ecs_tasks");
    });
    return rate;
  }

  // One decision on the current fleet; microseconds.
  std::vector<double> decide(int times) {
    std::vector<scheduler::Request> requests;
    call([&](services::Call& call) {
      for (const char* family : kFamilies) {
        const auto definition = ecs::launchable(call, family);
        ecs::StoredLaunch launch;
        launch.group = std::string("family:") + family;
        requests.push_back(ecs::scheduler_request(definition, launch));
      }
    });
    std::vector<double> took;
    for (int i = 0; i < times; ++i) {
      scheduler::Request& request = requests[pick()];
      request.task = model::TaskId("probe");
      const auto began = Clock::now();
      fleets_.with(state::ClusterNumber(1), [&](scheduler::Fleet& fleet) {
        auto decision = fleet.place(request);
        if (auto* plan = std::get_if<scheduler::Plan>(&decision); plan && fleet.hold(*plan)) {
          fleet.unhold(request.task);
        }
      });
      took.push_back(since(began) * 1e6);
    }
    std::sort(took.begin(), took.end());
    return took;
  }

  std::int64_t live() {
    std::lock_guard lock(mutex_);
    return static_cast<std::int64_t>(running_.size());
  }
  std::int64_t capacity() const { return static_cast<std::int64_t>(options_.machines) * kGpus / 2; }
  std::int64_t refused() const { return refused_; }

 private:
  using Use = std::function<void(services::Call&)>;

  struct Stopwatch {
    Clock::time_point began;
    double cpu = 0;
  };
  Stopwatch start() { return {Clock::now(), writer_cpu()}; }
  Rate stop(const Stopwatch& watch, std::int64_t count) {
    const double took = since(watch.began);
    const auto many = static_cast<double>(count);
    return {many / took, (writer_cpu() - watch.cpu) / many * 1e6};
  }
  // The CPU time of the store's thread, which runs every call.
  double writer_cpu() {
    timespec used{};
    call([&](services::Call&) { clock_gettime(CLOCK_THREAD_CPUTIME_ID, &used); });
    return static_cast<double>(used.tv_sec) + static_cast<double>(used.tv_nsec) * 1e-9;
  }

  void call(const Use& use) {
    store_->write_now([&](store::Tx& tx) { run(tx, use); });
  }
  void run(store::Tx& tx, const Use& use) {
    const base::Time now = base::SystemClock().now();
    services::Call call{tx, caller_, now, now, &locals_};
    use(call);
  }

  void submit(Use use) {
    {
      std::lock_guard lock(mutex_);
      ++in_flight_;
    }
    store_->write([this, use = std::move(use)](store::Tx& tx) { run(tx, use); },
                  [this](std::exception_ptr error) {
                    CHECK(!error) << "a call failed";
                    std::lock_guard lock(mutex_);
                    --in_flight_;
                    room_.notify_one();
                  });
  }

  void submit_run() {
    ecs::RunTaskRequest request;
    request.taskDefinition = kFamilies[pick()];
    request.count = options_.count;
    submit([this, request](services::Call& call) {
      auto response = ecs::run_task(call, request);
      placed_ += static_cast<std::int64_t>(response.tasks->size());
      if (!response.failures->empty()) ++refused_;
      std::lock_guard lock(mutex_);
      for (const ecs::Task& task : *response.tasks) running_.push_back(*task.taskArn);
    });
  }

  void submit_ends() {
    std::vector<std::string> ending;
    {
      std::lock_guard lock(mutex_);
      for (int i = 0; i < options_.count && !running_.empty(); ++i) {
        const std::size_t which = random_() % running_.size();
        ending.push_back(std::move(running_[which]));
        running_[which] = std::move(running_.back());
        running_.pop_back();
      }
    }
    submit([ending](services::Call& call) {
      for (const std::string& arn : ending) {
        ecs::SubmitTaskStateChangeRequest request;
        request.task = arn;
        request.status = "STOPPED";
        ecs::submit_task_state_change(call, request);
      }
    });
  }

  void wait_for_room() {
    std::unique_lock lock(mutex_);
    room_.wait(lock, [&] { return in_flight_ < kInFlight; });
  }
  void drain() {
    std::unique_lock lock(mutex_);
    room_.wait(lock, [&] { return in_flight_ == 0; });
  }

  std::size_t pick() {
    int at = static_cast<int>(random_() % 100);
    for (std::size_t i = 0; i < std::size(kShares); ++i) {
      if ((at -= kShares[i]) < 0) return i;
    }
    return 0;
  }

  static void register_family(services::Call& call, const std::string& family) {
    const std::string gpu = family == "share" ? R"("sharingStrategy":{"nvidiaMps":{"memory":4096}})"
                                              : R"("value":")" + family.substr(3) + "\"";
    ecs::register_task_definition(
        call, services::from_json<ecs::RegisterTaskDefinitionRequest>(
                  R"({"family":")" + family + R"(","containerDefinitions":[{"name":"main","image":"train","cpu":64,
                  "memory":256,"command":["train"],"resourceRequirements":[{"type":"GPU",)" + gpu + "}]}]}"));
  }

  static void add_machine(services::Call& call, int number) {
    ecs::RegisterContainerInstanceRequest request;
    const std::string name = "box-" + std::to_string(number);
    request.instanceIdentityDocument = R"({"instanceId":")" + name + "\"}";
    request.totalResources = std::vector<ecs::Resource>{{.name = "CPU", .type = "INTEGER", .integerValue = 65536},
                                                        {.name = "MEMORY", .type = "INTEGER", .integerValue = 524288}};
    request.platformDevices.emplace();
    shapes::agent::StokerGpus gpus;
    for (int i = 0; i < kGpus; ++i) {
      gpus.gpus.push_back({"GPU-" + name + "-" + std::to_string(i), "Tesla V100-SXM2-16GB", 16384});
      request.platformDevices->push_back({gpus.gpus.back().id, "GPU"});
    }
    const std::string arn = *ecs::register_container_instance(call, request).containerInstance->containerInstanceArn;
    const model::InstanceId id(arn.substr(arn.rfind('/') + 1));
    ecs::store_gpus(call, id, gpus);
    ecs::set_connected(call, id, true);
  }

  state::Task row_of(const state::TaskName& name) {
    state::Task task;
    task.name = name;
    task.machine_number = 1 + static_cast<std::int64_t>(random_() % static_cast<std::size_t>(options_.machines));
    task.hold = {.cpu = 64, .memory_mib = 256};
    task.hold.gpus = {{model::GpuId("GPU-box-1234-0"), "main", 0}};
    return task;
  }

  Options options_;
  std::filesystem::path folder_;
  services::Locals locals_;
  [[maybe_unused]] ecs::CapacityIndex& capacity_ = locals_.add<ecs::CapacityIndex>();
  ecs::Fleets& fleets_ = locals_.add<ecs::Fleets>();
  ecs::ServiceQueue& services_ = locals_.add<ecs::ServiceQueue>();
  services::Caller caller_{.account = "000000000000", .region = "us-east-1", .endpoint = "http://localhost:4566"};
  std::unique_ptr<store::Store> store_;
  std::mt19937_64 random_{42};

  std::mutex mutex_;
  std::condition_variable room_;
  std::size_t in_flight_ = 0;
  std::vector<std::string> running_;
  std::atomic<std::int64_t> placed_ = 0, refused_ = 0, rows_ = 0;
};

double at(const std::vector<double>& sorted, double part) {
  return sorted[static_cast<std::size_t>(static_cast<double>(sorted.size() - 1) * part)];
}

const char* verdict(bool good) { return good ? "pass" : "MISS"; }

}  // namespace

int main(int argc, char** argv) {
  Options options;
  CLI::App app("Durable placements a second, through RunTask's own code.");
  app.add_option("--machines", options.machines, "Machines of 8 GPUs")->capture_default_str();
  app.add_option("--seconds", options.seconds, "How long to place")->capture_default_str();
  app.add_option("--count", options.count, "Tasks of one RunTask, 1 to 10")->capture_default_str();
  app.add_flag("--quick", options.quick, "Some seconds: does the benchmark still work?");
  CLI11_PARSE(app, argc, argv);
  if (options.quick) options.machines = 500, options.seconds = 0.5;

  Bench bench(options);
  const auto began = Clock::now();
  bench.register_all();
  std::printf("%d machines, %d GPUs registered in %.1f s\n", options.machines, options.machines * kGpus, since(began));
  const Rate ceiling = bench.insert_only();
  const Rate filling = bench.fill_half();
  const Rate churn = bench.churn();
  const auto decisions = bench.decide(options.quick ? 1000 : 20000);
  std::printf("                 a second  writer's us\n");
  std::printf("rows alone      %9.0f  %8.1f   the ceiling: the same rows, nothing decided\n", ceiling.per_second,
              ceiling.cpu_us);
  std::printf("filling         %9.0f  %8.1f   durable placements, %d tasks a RunTask\n", filling.per_second,
              filling.cpu_us, options.count);
  std::printf("churn           %9.0f  %8.1f   the same, and as many ends; %lld live, %lld calls refused\n",
              churn.per_second, churn.cpu_us, static_cast<long long>(bench.live()),
              static_cast<long long>(bench.refused()));
  std::printf("one decision    %9.1f us p50, %.1f us p99, %.1f us p99.9\n", at(decisions, 0.5), at(decisions, 0.99),
              at(decisions, 0.999));
  std::printf("\nfilling / rows alone      %.2f\n", filling.per_second / ceiling.per_second);
  std::printf("churn / rows alone        %.2f\n", churn.per_second / ceiling.per_second);
  std::printf("at least 50,000 /s        filling %s, churn %s\n", verdict(filling.per_second >= 50000),
              verdict(churn.per_second >= 50000));
  std::printf("p99 of a decision < 1 ms  %s\n", verdict(at(decisions, 0.99) < 1000));
  return 0;
}
