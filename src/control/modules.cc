// SPDX-License-Identifier: Apache-2.0
#include "control/modules.h"

#include "services/ecs/module.h"
#include "services/s3/module.h"
#include "services/sqs/door.h"
#include "services/sqs/lot.h"
#include "services/sqs/move_tasks.h"
#include "services/sqs/schema.h"
#include "services/sqs/service.h"
#include "services/stoker/service.h"
#include "services/sts/service.h"
#include "state/keys.h"

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

services::Module sqs_module() {
  services::Module m;
  m.service = services::sqs::service();
  m.migrations = services::sqs::migrations();
  m.add_memory = [](services::Locals& locals) { locals.add<services::QueueDoor>(services::sqs::queue_door()); };
  auto after = std::make_shared<std::int64_t>(0);
  m.loops = {writing("sqs sweep", services::sqs::kSweepTopic,
                     [after](services::Call& call) -> std::optional<base::Time> {
                       const auto swept = services::sqs::sweep(call.tx, call.now, *after);
                       *after = swept.after;
                       return call.now + (swept.more ? base::Duration(5) : base::Duration(10000));
                     }),
             writing("sqs moves", services::sqs::kMoveTopic, &services::sqs::advance_move_tasks)};
  return m;
}

services::Module sts_module() {
  services::Module m;
  m.service = services::sts::service();
  m.migrations = state::key_migrations();
  m.loops = {writing("key sweep", "keys/sweep", [](services::Call& call) -> std::optional<base::Time> {
    state::delete_expired_keys(call.tx, call.now);
    return call.now + std::chrono::minutes(10);
  })};
  return m;
}

services::Module stoker_module() {
  services::Module m;
  m.service = services::stoker::service();
  return m;
}

}  // namespace

std::vector<services::Module> all_modules(const services::Options& options) {
  return {sts_module(), sqs_module(), services::ecs::module(options), services::s3::module(options), stoker_module()};
}

}  // namespace control
