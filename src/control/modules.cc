// SPDX-License-Identifier: Apache-2.0
#include "control/modules.h"

#include "services/application_autoscaling/module.h"
#include "services/autoscaling/module.h"
#include "services/cloudwatch/module.h"
#include "services/ec2/module.h"
#include "services/ecs/module.h"
#include "services/events/module.h"
#include "services/logs/module.h"
#include "services/pipelines/module.h"
#include "services/s3/module.h"
#include "services/sqs/module.h"
#include "services/stoker/module.h"
#include "services/ssm/module.h"
#include "services/sts/module.h"

namespace control {

std::vector<services::Module> all_modules(const services::Options& options) {
  return {services::sts::module(options), services::sqs::module(options), services::ecs::module(options),
          services::s3::module(options), services::cloudwatch::module(options), services::logs::module(options),
          services::events::module(options), services::ec2::module(options), services::autoscaling::module(options),
          services::application_autoscaling::module(options), services::pipelines::module(options), services::stoker::module(options),
          services::ssm::module(options)};
}

}  // namespace control
