// SPDX-License-Identifier: Apache-2.0
// Test support: all services on one database, without a server, and operations of any of them.
#pragma once

#include <gtest/gtest.h>

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "base/log.h"
#include "base/random.h"
#include "control/modules.h"
#include "services/directory.h"
#include "services/invoke.h"
#include "services/usage.h"
#include "shapes/stoker/pipeline.h"
#include "state/cluster.h"
#include "state/ec2_instance.h"
#include "store/test_store.h"
#include "wire/error.h"

namespace control {

class PipelineTest : public testing::Test {
 protected:
  PipelineTest() : folder_(testing::TempDir() + "pipelines-" + base::random_uuid()) {
    base::set_log_level(base::LogLevel::Off);
    std::filesystem::create_directories(folder_);
    services::Options options;
    options.data = folder_;
    modules_ = all_modules(options);
    std::vector<store::Migrations> migrations{state::cluster_migrations(), state::ec2_instance_migrations(),
                                              services::usage_migrations()};
    for (const services::Module& module : modules_) {
      if (!module.migrations.steps.empty()) migrations.push_back(module.migrations);
      if (module.add_memory) module.add_memory(locals_);
      directory_.add(module.service.wire.name, module.service.operations);
      directory_.add(module.service.wire.name, module.internal_operations);
    }
    store_ = store::open_test_store(folder_, migrations);
    with_call([&](services::Call& call) {
      for (const services::Module& module : modules_) {
        if (module.recover) module.recover(call);
      }
    });
  }
  ~PipelineTest() override {
    store_.reset();
    std::filesystem::remove_all(folder_);
    base::set_log_level(base::LogLevel::Info);
  }

  template <class Fn>
  void with_call(Fn&& fn) {
    store_->write_now([&](store::Tx& tx) {
      services::Call call{tx, caller_, now_, now_, &locals_, &directory_};
      fn(call);
      wakes_ = call.wakes;
    });
  }
  template <class Output, class Input>
  Output run(std::string_view service, std::string_view operation, const Input& input) {
    Output output;
    with_call([&](services::Call& call) {
      output = services::invoke<Output>(call, call.caller, service, operation, input);
    });
    return output;
  }
  template <class Input>
  void run(std::string_view service, std::string_view operation, const Input& input) {
    with_call([&](services::Call& call) { services::invoke(call, call.caller, service, operation, input); });
  }
  template <class Fn>
  std::string error_of(Fn&& fn) {
    try {
      fn();
    } catch (const wire::ApiError& error) {
      return error.code() + ": " + error.message();
    }
    return "";
  }
  // One turn of a loop. True: it has more to do now.
  bool take_turn(const std::string& name) {
    for (const services::Module& module : modules_) {
      for (const services::Loop& loop : module.loops) {
        if (loop.name != name) continue;
        services::Decision decision;
        store_->read_now([&](store::Tx& tx) {
          services::Call call{tx, caller_, now_, now_, &locals_, &directory_};
          decision = loop.look(call);
        });
        if (decision.apply) with_call(decision.apply);
        return decision.next && *decision.next <= now_;
      }
    }
    ADD_FAILURE() << "no loop " << name;
    return false;
  }
  bool woke(std::string_view topic) const {
    for (const services::Wake& wake : wakes_) {
      if (wake.topic == topic) return true;
    }
    return false;
  }

  shapes::stoker::ApplyPipelineResponse apply(const std::string& spec, bool dry_run = false) {
    shapes::stoker::ApplyPipelineRequest request{.spec = spec};
    request.dryRun = dry_run;
    return run<shapes::stoker::ApplyPipelineResponse>("pipelines", "ApplyPipeline", request);
  }
  shapes::stoker::PipelineDescription describe(const std::string& name) {
    return run<shapes::stoker::DescribePipelineResponse>("pipelines", "DescribePipeline",
                                                         shapes::stoker::DescribePipelineRequest{.name = name})
        .pipeline;
  }
  shapes::stoker::DeletePipelineResponse remove(const std::string& name, bool data = false) {
    shapes::stoker::DeletePipelineRequest request{.name = name};
    request.deleteData = data;
    return run<shapes::stoker::DeletePipelineResponse>("pipelines", "DeletePipeline", request);
  }

  std::string folder_;
  std::vector<services::Module> modules_;
  std::unique_ptr<store::Store> store_;
  services::Locals locals_;
  services::Directory directory_;
  services::Caller caller_{.account = "111111111111", .region = "us-east-1", .endpoint = "http://localhost:4566"};
  base::Time now_ = base::from_seconds(1800000000);
  std::vector<services::Wake> wakes_;
};

}  // namespace control
