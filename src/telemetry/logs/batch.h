// SPDX-License-Identifier: Apache-2.0
// A batch is the events of one PutLogEvents request, as one row: durable when the request is answered. A loop
// moves batches into chunks (seal.h).
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "base/time.h"
#include "store/store.h"
#include "telemetry/logs/event.h"

namespace telemetry {

// Amazon's limits for a request.
inline constexpr std::size_t kMaxBatchEvents = 10000;
inline constexpr std::size_t kMaxBatchBytes = 1048576;

// The tables of log events.
std::string log_tables();

// A new group, whose log is empty. The caller chooses `group`; it must not have been used while events of it remain.
void open_log(store::Tx& tx, std::int64_t group);

struct Appended {
  std::int64_t number = 0;  // of the batch, in its group
  std::int64_t bytes = 0;   // by which stored_bytes() has grown
  bool wake_sealer = false; // the sealer has something to do, or to wait for
};

// `events` is not empty and in order of time.
Appended append_batch(store::Tx& tx, std::int64_t group, std::int64_t stream, base::Time now,
                      std::span<const NewEvent> events);

// Message bytes and kEventOverheadBytes for each event.
std::int64_t counted_bytes(std::span<const NewEvent> events);
// The same of all events that are kept.
std::int64_t stored_bytes(store::Tx& tx, std::int64_t group);

// The bytes of a batch's row, and back. nullopt for damaged bytes.
std::string encode_batch(std::span<const NewEvent> events);
struct BatchHead {
  std::int64_t number = 0, stream = 0, ingested_ms = 0;
};
std::optional<EventTable> decode_batch(std::string_view bytes, const BatchHead& head);

}  // namespace telemetry
