// SPDX-License-Identifier: Apache-2.0
// The head's side of sealing.
#include <algorithm>

#include "telemetry/metrics/head.h"

namespace telemetry {
namespace {

// Points are in the order of their batches. The first that is newer than `batch`.
template <class Points>
auto first_after(Points& points, BatchId batch) {
  return std::partition_point(points.begin(), points.end(), [&](const auto& point) {
    return static_cast<std::int32_t>(point.batch - static_cast<std::uint32_t>(batch)) <= 0;
  });
}

template <class Points>
void copy_after(const Points& from, BatchId batch, Points& to) {
  to.assign(first_after(from, batch), from.end());
}

// The oldest batch of the points that are not sealed; nullopt if there is none.
std::optional<BatchId> oldest_batch(const HeadStream& points, BatchId sealed_to, BatchId newest) {
  std::optional<BatchId> oldest;
  const auto look = [&](const auto& list) {
    const auto first = first_after(list, sealed_to);
    if (first == list.end()) return;
    const BatchId id = newest + static_cast<std::int32_t>(first->batch - static_cast<std::uint32_t>(newest));
    oldest = std::min(oldest.value_or(id), id);
  };
  look(points.points);
  look(points.aggregates);
  return oldest;
}

template <class Points>
void drop_to(BatchId batch, Points& points) {
  points.erase(points.begin(), first_after(points, batch));
  // A series that was busy once must not hold its memory.
  if (points.capacity() > 2 * points.size() + 16) points.shrink_to_fit();
}

}  // namespace

JournalSize Head::journal() const {
  return state_.with([](const State& state) {
    JournalSize size{.bytes = state.journal_bytes, .batches = state.journal.size(), .newest = state.newest};
    size.new_bytes = state.new_bytes;
    size.new_batches = state.new_batches;
    if (state.journal.empty()) return size;
    size.oldest = state.journal.front().id;
    size.oldest_arrived = state.journal.front().arrived;
    return size;
  });
}

void Head::start_pass() {
  state_.with([](State& state) { state.new_bytes = state.new_batches = 0; });
}

BatchId Head::newest_batch_by(base::Time arrived) const {
  return state_.with([&](const State& state) -> BatchId {
    const auto after = std::partition_point(state.journal.begin(), state.journal.end(),
                                            [&](const JournalBatch& batch) { return batch.arrived <= arrived; });
    return after == state.journal.begin() ? 0 : std::prev(after)->id;
  });
}

std::vector<SealCandidate> Head::candidates(const SealRule& rule, std::size_t most_points, std::size_t& cursor) const {
  return state_.with([&](const State& state) {
    std::vector<SealCandidate> found;
    std::size_t points = 0;
    for (; cursor < state.order.size() && points < most_points; ++cursor) {
      const std::int64_t id = state.order[cursor];
      const Series& series = state.series.at(id);
      for (const auto& [unit, stream] : series.streams) {
        const auto oldest = oldest_batch(stream.points, stream.sealed_to, state.newest);
        if (!oldest) continue;
        if (*oldest > rule.oldest && stream.points.size() < rule.points) continue;
        SealCandidate candidate{stream_id(id, unit), state.newest, series.arrived, {}};
        copy_after(stream.points.points, stream.sealed_to, candidate.points.points);
        copy_after(stream.points.aggregates, stream.sealed_to, candidate.points.aggregates);
        if (*oldest > rule.oldest && candidate.points.size() < rule.points) continue;
        points += candidate.points.size();
        found.push_back(std::move(candidate));
      }
    }
    if (cursor >= state.order.size()) cursor = 0;
    return found;
  });
}

void Head::set_sealed(StreamId stream, BatchId to, base::Time now) {
  state_.with([&](State& state) {
    auto series = state.series.find(series_of(stream));
    if (series == state.series.end()) return;
    Stream& sealed = series->second.stream(unit_of(stream));
    sealed.sealed_to = to;
    sealed.sealed_at = now;
  });
}

BatchId Head::sealed_batch() const {
  return state_.with([](const State& state) {
    BatchId sealed = state.newest;
    for (const auto& [id, series] : state.series) {
      for (const auto& [unit, stream] : series.streams) {
        const auto oldest = oldest_batch(stream.points, stream.sealed_to, state.newest);
        if (oldest) sealed = std::min(sealed, *oldest - 1);
      }
    }
    return sealed;
  });
}

void Head::forget_batches(BatchId to) {
  state_.with([&](State& state) {
    while (!state.journal.empty() && state.journal.front().id <= to) {
      state.journal_bytes -= state.journal.front().bytes;
      state.journal.pop_front();
    }
  });
}

bool Head::trim(base::Time sealed_before, base::Time idle_before) {
  return state_.with([&](State& state) {
    bool remain = false;
    std::size_t kept = 0;
    for (std::int64_t id : state.order) {
      Series& series = state.series.at(id);
      bool empty = true;
      for (auto& [unit, stream] : series.streams) {
        if (stream.left_to < stream.sealed_to) {
          if (stream.sealed_at <= sealed_before) {
            drop_to(stream.sealed_to, stream.points.points);
            drop_to(stream.sealed_to, stream.points.aggregates);
            stream.left_to = stream.sealed_to;
          } else {
            remain = true;
          }
        }
        empty = empty && stream.points.size() == 0;
      }
      if (empty && series.arrived <= idle_before && state.ids.find(series.key)->second.used <= idle_before) {
        const auto metric = parse_metric_key(series.key);
        if (metric && --state.active[metric->account] == 0) state.active.erase(metric->account);
        state.ids.erase(series.key);
        state.series.erase(id);
      } else {
        state.order[kept++] = id;
      }
    }
    state.order.resize(kept);
    return remain;
  });
}

void Head::count_deleted(const std::string& account, std::int64_t series) {
  state_.with([&](State& state) { state.stored[account] -= series; });
}

}  // namespace telemetry
