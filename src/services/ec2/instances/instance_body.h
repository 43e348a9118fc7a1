// SPDX-License-Identifier: Apache-2.0
// What only EC2 interprets of an instance: state::Ec2Instance::body_json.
#pragma once

#include <boost/describe/class.hpp>
#include <string>

#include "services/call.h"
#include "services/ec2/filters.h"
#include "shapes/ec2/instance.h"
#include "state/ec2_instance.h"

namespace services::ec2 {

struct InstanceBody {
  shapes::ec2::Instance shape;  // as clients see it, without what the row and the tags have
  std::string reservation;
  std::string requester;             // the service that launched it; "": a client
  std::string user_data;             // base64, as the client sent it
  bool termination_protected = false, stop_protected = false;
  bool terminates_on_shutdown = false;  // a machine that ends by itself leaves a terminated, not a stopped instance
  bool launched = false;             // a machine has run: a failed start leaves it stopped, not terminated
  bool rebooting = false;            // when its machine has stopped, another one starts
};
BOOST_DESCRIBE_STRUCT(InstanceBody, (), (shape, reservation, requester, user_data, termination_protected,
    stop_protected, terminates_on_shutdown, launched, rebooting))

InstanceBody body_of(const state::Ec2Instance& instance);
void set_body(state::Ec2Instance& instance, const InstanceBody& body);

std::string instance_arn(const state::Ec2Instance& instance);
shapes::ec2::InstanceState shown_state(state::Ec2State state);
shapes::ec2::Instance shown_instance(const state::Ec2Instance& instance, const InstanceBody& body, const Tags& tags);

// An instance of the caller's account and region; throws where there is none.
state::Ec2Instance get_instance(Call& call, const std::string& id);
// The same for several. The error names all that do not exist.
std::vector<state::Ec2Instance> get_instances(Call& call, const std::vector<std::string>& ids);

}  // namespace services::ec2
