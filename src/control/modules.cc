// SPDX-License-Identifier: Apache-2.0
#include "control/modules.h"

#include "services/ecs/departure.h"
#include "services/ecs/fleets.h"
#include "services/ecs/live_gpus.h"
#include "services/ecs/schema.h"
#include "services/ecs/service.h"
#include "services/ecs/task.h"
#include "services/s3/expiry.h"
#include "services/s3/schema.h"
#include "services/s3/service.h"
#include "services/s3/settings.h"
#include "services/sqs/module.h"
#include "services/stoker/module.h"
#include "services/sts/module.h"

namespace control {
namespace {

// TEMPORARY, until each service has its module(): a turn that takes the writer.
services::Loop writing(std::string name, std::string topic,
                       std::function<std::optional<base::Time>(services::Call&)> turn) {
  auto next = std::make_shared<std::optional<base::Time>>();
  services::Loop loop{std::move(name), std::move(topic), {}};
  loop.look = [turn, next](services::Call& call) {
    services::Decision d;
    d.apply = [turn, next](services::Call& c) { *next = turn(c); };
    d.next = *next ? std::optional(std::max(**next, call.now)) : std::nullopt;
    return d;
  };
  return loop;
}

services::Module ecs_module(const services::Options& options) {
  services::Module m;
  m.service = services::ecs::service();
  m.migrations = services::ecs::migrations();
  m.add_memory = [](services::Locals& locals) {
    locals.add<services::ecs::LiveGpus>();
    locals.add<services::ecs::Fleets>();
  };
  m.recover = [](services::Call& call) {
    services::ecs::disconnect_all(call.tx, call.now);
    call.local<services::ecs::Fleets>().load(call.tx);
  };
  m.loops = {writing("ecs sweep", std::string(services::ecs::kTaskSweepTopic),
                     [lost = options.lost_after](services::Call& call) { return services::ecs::sweep_tasks(call, lost); })};
  return m;
}

services::Module s3_module(const services::Options& options) {
  services::Module m;
  m.service = services::s3::service();
  m.migrations = services::s3::migrations();
  m.add_memory = [options](services::Locals& locals) {
    services::s3::add_locals(locals, {.test_events = options.test_events});
  };
  auto state = std::make_shared<services::s3::ExpiryState>();
  m.loops = {writing("s3 expiry", services::s3::kExpiryTopic,
                     [state](services::Call& call) { return services::s3::expire_objects(call, *state); })};
  return m;
}

}  // namespace

std::vector<services::Module> all_modules(const services::Options& options) {
  return {services::sts::module(options), services::sqs::module(options), ecs_module(options), s3_module(options),
          services::stoker::module(options)};
}

}  // namespace control
