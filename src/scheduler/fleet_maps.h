// SPDX-License-Identifier: Apache-2.0
// A Fleet's hash maps.
#pragma once

#include <boost/unordered/unordered_flat_map.hpp>
#include <string>
#include <unordered_map>

#include "scheduler/fleet.h"

namespace scheduler {

struct Fleet::Maps {
  struct HashOf {
    using is_avalanching = void;  // std::hash of a string is
    template <class Tag>
    std::size_t operator()(const base::Id<Tag>& id) const {
      return std::hash<std::string>{}(id.str());
    }
  };

  boost::unordered_flat_map<model::InstanceId, Slot, HashOf> slot_of;  // the same entries as slots_
  boost::unordered_flat_map<model::TaskId, Whereabouts, HashOf> tasks;
  std::unordered_map<std::string, boost::unordered_flat_map<Slot, int>> groups;  // live tasks of each group
};

}  // namespace scheduler
