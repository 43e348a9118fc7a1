// SPDX-License-Identifier: Apache-2.0
// Which alarms to evaluate next: those whose metrics have new points, and those whose time has come. In memory, because
// an evaluation that changes nothing must cost no write; a start of the server evaluates every alarm once.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include "base/guarded.h"
#include "base/time.h"

namespace services::cloudwatch {

// Of an account in a region. Amazon's default is 5,000.
inline constexpr std::size_t kMaxAlarms = 50'000;

class AlarmSchedule {
 public:
  using AlarmId = std::int64_t;

  // An alarm that is due, and the last change of its entry by then.
  struct Due {
    AlarmId id = 0;
    std::uint64_t change = 0;
  };

  // Adds an alarm, or replaces its metrics. `owner` is its account and region. Returns the metrics that it had.
  std::vector<std::string> set(AlarmId id, const std::string& owner, std::vector<std::string> metrics);
  // Returns the metrics that it had.
  std::vector<std::string> remove(AlarmId id);
  std::size_t count(const std::string& owner) const;

  // Something that the alarm depends on has changed.
  void mark(AlarmId id);
  void mark_metrics(const std::vector<std::string>& metrics);
  // To be evaluated at this time and not before, unless it is marked.
  void postpone(AlarmId id, base::Time at);

  // Some of the alarms to evaluate now. They stay due until done(). Each call continues behind the marked alarms of the
  // call before, and leaves room for those whose time has come: alarms that are marked all the time do not delay others.
  std::vector<Due> due(base::Time now, std::size_t most);
  // The alarm was evaluated; `next`: when it is due again. If it was marked, postponed or replaced meanwhile, then the
  // evaluation is out of date, and nothing changes.
  void done(const Due& due, std::optional<base::Time> next);
  // When an alarm is due: `now` if one is marked.
  std::optional<base::Time> next(base::Time now) const;

 private:
  struct Entry {
    std::string owner;
    std::vector<std::string> metrics = {};
    std::uint64_t change = 0;  // of State::changes: an alarm may get the id of a deleted one
    std::optional<base::Time> due = {};
  };
  struct State {
    std::unordered_map<AlarmId, Entry> alarms = {};
    std::unordered_map<std::string, std::unordered_set<AlarmId>> by_metric = {};
    std::set<AlarmId> marked = {};
    std::uint64_t changes = 0;
    AlarmId last_marked = 0;  // that due() returned
    std::set<std::pair<base::Time, AlarmId>> by_time = {};
    std::map<std::string, std::size_t> owned = {};
  };

  static void set_time(State& state, AlarmId id, Entry& entry, std::optional<base::Time> at);
  static std::vector<std::string> drop_metrics(State& state, AlarmId id, Entry& entry);

  base::Guarded<State> state_;
};

}  // namespace services::cloudwatch
