// SPDX-License-Identifier: Apache-2.0
#include "telemetry/metrics/head.h"

#include <algorithm>

namespace telemetry {
namespace {

std::uint32_t low_bits(BatchId id) { return static_cast<std::uint32_t>(id); }

// The id of a batch in memory, from its low bits and an id that is at most 2^31 batches away.
BatchId full_id(std::uint32_t batch, BatchId near) { return near + static_cast<std::int32_t>(batch - low_bits(near)); }

bool is_newer(std::uint32_t batch, BatchId than) { return full_id(batch, than) > than; }


template <class Points>
void copy_range(const Points& from, BatchId after, std::int64_t first, std::int64_t until, Points& to) {
  auto begin = std::partition_point(from.begin(), from.end(),
                                    [&](const auto& point) { return !is_newer(point.batch, after); });
  std::copy_if(begin, from.end(), std::back_inserter(to), [&](const auto& point) {
    return static_cast<std::int64_t>(point.second) >= first && static_cast<std::int64_t>(point.second) < until;
  });
}

std::string account_of(const std::string& key) {
  const auto metric = parse_metric_key(key);
  return metric ? metric->account : "";
}

}  // namespace

Head::Stream& Head::Series::stream(Unit unit) {
  for (auto& [known, stream] : streams) {
    if (known == unit) return stream;
  }
  return streams.emplace_back(unit, Stream()).second;
}

std::int64_t Head::find(std::string_view key) const {
  return state_.with([&](const State& state) {
    auto found = state.ids.find(key);
    return found == state.ids.end() ? 0 : found->second.id;
  });
}

std::vector<std::int64_t> Head::use(std::span<const std::string_view> keys, base::Time now) {
  return state_.with([&](State& state) {
    std::vector<std::int64_t> ids;
    ids.reserve(keys.size());
    for (std::string_view key : keys) {
      auto found = state.ids.find(key);
      ids.push_back(found == state.ids.end() ? 0 : found->second.id);
      if (found != state.ids.end()) found->second.used = now;
    }
    return ids;
  });
}

void Head::append(Batch batch) {
  state_.with([&](State& state) {
    for (ActiveSeries& added : batch.new_series) {
      if (!state.series.try_emplace(added.id, Series{added.key, batch.arrived}).second) continue;
      ++state.active[account_of(added.key)];
      state.order.push_back(added.id);
      state.ids.emplace(std::move(added.key), KnownSeries{added.id, batch.arrived});
    }
    for (const auto& [account, count] : batch.created) state.stored[account] += count;
    const std::uint32_t id = low_bits(batch.id);
    for (StreamPoint& point : batch.points) {
      Series& series = state.series.at(series_of(point.stream));
      series.arrived = batch.arrived;
      HeadStream& points = series.stream(unit_of(point.stream)).points;
      const auto second = static_cast<std::uint32_t>(point.second);
      if (point.aggregate) {
        points.aggregates.push_back({second, id, std::move(point.aggregate)});
      } else {
        points.points.push_back({second, id, point.value});
      }
    }
    state.journal_bytes += batch.bytes;
    state.new_bytes += batch.bytes;
    ++state.new_batches;
    state.journal.push_back({batch.id, batch.bytes, batch.arrived});
    state.newest = std::max(state.newest, batch.id);
  });
}

void Head::set_stored(std::map<std::string, std::int64_t> series_by_account) {
  state_.with([&](State& state) { state.stored = std::move(series_by_account); });
}

Head::Size Head::size(const std::string& account) const {
  return state_.with([&](const State& state) {
    Size size{.journal_bytes = state.journal_bytes, .series = state.series.size()};
    if (auto found = state.active.find(account); found != state.active.end()) size.account_series = found->second;
    if (auto found = state.stored.find(account); found != state.stored.end()) size.account_stored = found->second;
    return size;
  });
}

std::optional<HeadStream> Head::read(StreamId stream, BatchId after, std::int64_t first, std::int64_t until) const {
  return state_.with([&](const State& state) -> std::optional<HeadStream> {
    auto series = state.series.find(series_of(stream));
    if (series == state.series.end()) return HeadStream();
    for (const auto& [unit, known] : series->second.streams) {
      if (unit != unit_of(stream)) continue;
      if (known.left_to > after) return std::nullopt;
      HeadStream copy;
      copy_range(known.points.points, after, first, until, copy.points);
      copy_range(known.points.aggregates, after, first, until, copy.aggregates);
      return copy;
    }
    return HeadStream();
  });
}

std::vector<Unit> Head::units(std::int64_t series) const {
  return state_.with([&](const State& state) {
    std::vector<Unit> units;
    auto found = state.series.find(series);
    if (found == state.series.end()) return units;
    for (const auto& entry : found->second.streams) units.push_back(entry.first);
    return units;
  });
}

std::optional<base::Time> Head::last_arrival(std::int64_t series) const {
  return state_.with([&](const State& state) -> std::optional<base::Time> {
    auto found = state.series.find(series);
    if (found == state.series.end()) return std::nullopt;
    return found->second.arrived;
  });
}

}  // namespace telemetry
