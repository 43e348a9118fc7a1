// SPDX-License-Identifier: Apache-2.0
#include "services/s3/expiry.h"

#include <algorithm>

#include "services/s3/buckets/lifecycle_rules.h"
#include "services/s3/events.h"
#include "services/s3/expiry_scan.h"
#include "services/s3/key_walk.h"

namespace services::s3 {
namespace {

constexpr base::Duration kBetweenSlices = std::chrono::milliseconds(5);
constexpr std::int64_t kMaxNewerVersions = 1000;  // no rule counts further
constexpr char kExpired[] = "LifecycleExpiration:Delete";
constexpr char kMarkerCreated[] = "LifecycleExpiration:DeleteMarkerCreated";

bool names_stage(const LifecycleRule& rule, ExpiryStage stage) {
  switch (stage) {
    case ExpiryStage::Objects: return rule.days || rule.date;
    case ExpiryStage::Noncurrent: return rule.noncurrent_days.has_value();
    case ExpiryStage::Markers: return rule.lone_markers || rule.days;
    case ExpiryStage::Uploads: return rule.abort_days.has_value();
    case ExpiryStage::Done: break;
  }
  return false;
}

// The prefixes that a stage has to scan. None of them begins with another.
std::vector<std::string> ranges_of(const LifecycleRules& rules, ExpiryStage stage) {
  std::vector<std::string> prefixes;
  for (const LifecycleRule& rule : rules) {
    if (names_stage(rule, stage)) prefixes.push_back(rule.prefix);
  }
  std::sort(prefixes.begin(), prefixes.end());
  std::vector<std::string> ranges;
  for (std::string& prefix : prefixes) {
    if (ranges.empty() || !prefix.starts_with(ranges.back())) ranges.push_back(std::move(prefix));
  }
  return ranges;
}

// Moves `position` past one slice, and returns what is due in it.
std::vector<ExpiredRow> scan_bucket(Call& call, const Bucket& bucket, const LifecycleRules& rules,
                                    ExpiryPosition& position) {
  const std::vector<std::string> ranges = ranges_of(rules, position.stage);
  std::vector<ExpiredRow> expired;
  if (position.range < ranges.size()) {
    const std::string& prefix = ranges[position.range];
    const std::string from = position.after.empty() ? prefix : after_key(position.after);
    ExpiryScan scan{call.tx, call.now, bucket, rules, position, from, after_prefix(prefix), {}};
    const bool at_end = scan.run();
    expired = std::move(scan.expired);
    if (!at_end) return expired;
  }
  position.after.clear();
  position.after_id = 0;
  if (++position.range < ranges.size()) return expired;
  position.range = 0;
  position.stage = static_cast<ExpiryStage>(static_cast<int>(position.stage) + 1);
  return expired;
}

ExpiryPass pass_of(base::Time now, std::string_view lifecycle) {
  return {std::chrono::floor<std::chrono::days>(now).time_since_epoch().count(),
          std::hash<std::string_view>()(lifecycle)};
}

// The begin of the next bucket that was not scanned today with the lifecycle that it has.
std::optional<ExpiryPosition> next_bucket(Call& call, ExpiryState& state) {
  std::map<std::int64_t, ExpiryPass> existing;
  std::optional<ExpiryPosition> next;
  call.tx.query("SELECT id, name, lifecycle FROM s3_buckets WHERE lifecycle IS NOT NULL ORDER BY id")
      .each([&](const store::Row& row) {
        const ExpiryPass pass = pass_of(call.now, row.text(2));
        auto found = state.done.find(row.integer(0));
        if (found != state.done.end()) existing.insert(*found);
        if (!next && (found == state.done.end() || found->second != pass)) next = ExpiryPosition{row.str(1), pass};
      });
  state.done = std::move(existing);
  return next;
}

// What a noncurrent version's expiry depends on, beside the version itself.
struct NewerVersions {
  base::Time since;        // when the version became noncurrent
  std::int64_t count = 0;  // noncurrent versions of the key that are newer
};

NewerVersions newer_versions(store::Tx& tx, const Bucket& bucket, const Object& version) {
  const base::Blob key{version.key};
  NewerVersions newer;
  newer.count = tx.query("SELECT count(*) FROM (SELECT 1 FROM s3_objects WHERE bucket = $1 AND key = $2 AND id > $3"
                         " AND latest = 0 LIMIT $4) AS newer",
                         bucket.id, key, version.id, kMaxNewerVersions)
                    .integer();
  auto replaced_at = tx.query("SELECT modified_at FROM s3_objects WHERE bucket = $1 AND key = $2 AND id > $3"
                              " AND latest = 0 ORDER BY id LIMIT 1",
                              bucket.id, key, version.id)
                         .one([](const store::Row& row) { return row.time(0); });
  if (!replaced_at) {
    auto latest = load_latest_summary(tx, bucket, version.key);
    replaced_at = latest ? latest->modified_at : version.modified_at;
  }
  newer.since = *replaced_at;
  return newer;
}

// The version, where it is still due: others may have written, tagged or deleted since the snapshot.
std::optional<Object> find_if_due(Call& call, const Bucket& bucket, const LifecycleRules& rules,
                                  const ExpiredRow& row) {
  auto object = load_version(call.tx, bucket, row.key, row.version);
  if (!object || object->id != row.id) return std::nullopt;
  std::optional<Due> due;
  if (row.stage == ExpiryStage::Objects) {
    if (object->latest && !object->marker) due = expiry_of(rules, *object);
  } else if (row.stage == ExpiryStage::Markers) {
    if (object->latest && object->marker && !has_noncurrent_versions(call.tx, bucket, row.key)) {
      due = marker_expiry_of(rules, *object);
    }
  } else if (!object->latest) {
    const NewerVersions newer = newer_versions(call.tx, bucket, *object);
    if (!object->lock.protects(call.now, false)) due = noncurrent_expiry_of(rules, *object, newer.since, newer.count);
  }
  return due && due->at <= call.now ? object : std::nullopt;
}

void expire_latest(Call& call, const Bucket& bucket, const std::string& key) {
  const Deleted deleted = delete_latest(call, bucket, key);
  if (deleted.marker) {
    publish_event(call, bucket, kMarkerCreated, *deleted.marker);
  } else if (deleted.removed) {
    publish_event(call, bucket, kExpired, *deleted.removed);
  }
}

// What a look at a slice found.
struct ExpirySlice {
  std::int64_t bucket = 0;
  std::string bucket_name, lifecycle;
  std::vector<ExpiredRow> expired;
};

void apply_slice(Call& call, const ExpirySlice& slice) {
  const std::optional<Bucket> bucket = load_bucket(call.tx, slice.bucket_name);
  if (!bucket || bucket->id != slice.bucket || bucket->lifecycle != slice.lifecycle) return;
  const auto rules = call.local<LifecycleCache>().get(bucket->id, *bucket->lifecycle, &read_lifecycle);
  // All are checked before any is deleted: a version's expiry depends on its neighbours.
  std::vector<std::pair<ExpiryStage, Object>> due;
  for (const ExpiredRow& row : slice.expired) {
    if (row.stage == ExpiryStage::Uploads) {
      delete_upload(call, *bucket, row.id);  // nothing about an upload changes but that it ends
    } else if (auto object = find_if_due(call, *bucket, *rules, row)) {
      due.emplace_back(row.stage, std::move(*object));
    }
  }
  for (const auto& [stage, object] : due) {
    if (stage == ExpiryStage::Objects) {
      expire_latest(call, *bucket, object.key);
    } else {
      delete_version(call, *bucket, object);
      publish_event(call, *bucket, kExpired, object);
    }
  }
}

}  // namespace

Decision look_for_expired(Call& call, const std::shared_ptr<ExpiryState>& state) {
  ExpiryState next = *state;
  if (!next.position) next.position = next_bucket(call, next);
  if (!next.position) {
    *state = std::move(next);
    return {.next = midnight_after(call.now + base::Duration(1), 0)};
  }
  ExpiryPosition& position = *next.position;
  const std::optional<Bucket> bucket = load_bucket(call.tx, position.bucket);
  const bool same = bucket && bucket->lifecycle && pass_of(call.now, *bucket->lifecycle).second == position.pass.second;
  ExpirySlice slice;
  if (same) {
    slice = {bucket->id, bucket->name, *bucket->lifecycle, {}};
    const auto rules = call.local<LifecycleCache>().get(bucket->id, *bucket->lifecycle, &read_lifecycle);
    slice.expired = scan_bucket(call, *bucket, *rules, position);
    if (position.stage == ExpiryStage::Done) next.done[bucket->id] = position.pass;
  }
  // Done, or to be started again with another lifecycle.
  if (!same || position.stage == ExpiryStage::Done) next.position.reset();
  Decision decision{.next = call.now + kBetweenSlices};
  if (slice.expired.empty()) {
    *state = std::move(next);
    return decision;
  }
  decision.apply = [state, slice = std::move(slice), next = std::move(next)](Call& write) {
    write.tx.on_end([state, next](bool committed) {
      if (committed) *state = next;
    });
    apply_slice(write, slice);
  };
  return decision;
}

Loop expiry_loop() {
  auto state = std::make_shared<ExpiryState>();  // shared with the decisions that are under way
  return {"s3 expiry", kExpiryTopic, [state](Call& call) { return look_for_expired(call, state); }};
}

}  // namespace services::s3
