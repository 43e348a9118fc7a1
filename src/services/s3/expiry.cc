// SPDX-License-Identifier: Apache-2.0
#include "services/s3/expiry.h"

#include <algorithm>

#include "base/bytes.h"
#include "services/s3/events.h"
#include "services/s3/key_walk.h"
#include "services/s3/lifecycle.h"
#include "services/shape_json.h"

namespace services::s3 {
namespace {

// Of one turn, so that nobody waits long behind it.
constexpr std::int64_t kRows = 1000;
constexpr int kDeletions = 100;
constexpr base::Duration kBetweenSlices = std::chrono::milliseconds(5);

constexpr char kDelete[] = "LifecycleExpiration:Delete", kMarker[] = "LifecycleExpiration:DeleteMarkerCreated";

struct Slice {
  Call& call;
  const Bucket& bucket;
  const LifecycleRules& rules;
  ExpiryPlace& place;
  std::string from, end;  // keys of this range that are not done yet
  int deletions = 0;

  bool is_due(const std::optional<Due>& due) const { return due && due->at <= call.now; }
  bool full() const { return deletions >= kDeletions; }
};

Tags read_tags(std::string_view text) { return text.empty() ? Tags() : from_json<Tags>(text); }

// Latest versions; `marker`: delete markers.
std::vector<Object> latest_rows(Slice& slice, bool marker) {
  return slice.call.tx
      .query("SELECT key, id, tag, modified_at, size, tags FROM s3_objects WHERE bucket = $1 AND marker = $2"
             " AND latest = 1 AND key >= $3 AND key < $4 ORDER BY key LIMIT $5",
             slice.bucket.id, marker, base::Blob{slice.from}, base::Blob{slice.end}, kRows)
      .all([&](const store::Row& row) {
        Object object;
        object.key = row.str(0);
        object.id = row.integer(1);
        object.tag = row.maybe_integer(2);
        object.marker = marker;
        object.modified_at = row.time(3);
        object.size = row.integer(4);
        object.tags = read_tags(row.text(5));
        return object;
      });
}

// Each of these answers whether it came to the range's end.
bool sweep_objects(Slice& slice) {
  const std::vector<Object> rows = latest_rows(slice, false);
  for (const Object& object : rows) {
    slice.place.after = object.key;
    if (!slice.is_due(expiry_of(slice.rules, object))) continue;
    const Deleted deleted = delete_latest(slice.call, slice.bucket, object.key);
    if (deleted.marker) {
      tell(slice.call, slice.bucket, kMarker, *deleted.marker);
    } else if (deleted.removed) {
      tell(slice.call, slice.bucket, kDelete, *deleted.removed);
    }
    ++slice.deletions;
    if (slice.full()) return false;
  }
  return rows.size() < kRows;
}

bool sweep_markers(Slice& slice) {
  const std::vector<Object> rows = latest_rows(slice, true);
  for (const Object& marker : rows) {
    slice.place.after = marker.key;
    if (!slice.is_due(marker_expiry_of(slice.rules, marker))) continue;
    const bool covers = slice.call.tx
                            .query("SELECT 1 FROM s3_objects WHERE bucket = $1 AND key = $2 AND latest = 0 LIMIT 1",
                                   slice.bucket.id, base::Blob{marker.key})
                            .integer() != 0;
    if (covers) continue;
    delete_version(slice.call, slice.bucket, marker);
    tell(slice.call, slice.bucket, kDelete, marker);
    ++slice.deletions;
    if (slice.full()) return false;
  }
  return rows.size() < kRows;
}

struct OlderRow {
  Object object;
  base::Time latest_at;  // when the key's latest version was written
};

#define S3_OLDER_ROWS                                                                                       \
  "SELECT o.key, o.id, o.tag, o.marker, o.modified_at, o.size, o.tags,"                                     \
  " (SELECT n.modified_at FROM s3_objects n WHERE n.bucket = $1 AND n.marker IN (0, 1) AND n.key = o.key"   \
  " AND n.latest = 1) FROM s3_objects o WHERE o.bucket = $1 AND o.latest = 0"

OlderRow read_older(const store::Row& row) {
  OlderRow out;
  out.object.key = row.str(0);
  out.object.id = row.integer(1);
  out.object.tag = row.maybe_integer(2);
  out.object.latest = false;
  out.object.marker = row.boolean(3);
  out.object.modified_at = row.time(4);
  out.object.size = row.integer(5);
  out.object.tags = read_tags(row.text(6));
  out.latest_at = row.time(7);
  return out;
}

// Newest first: what is passed on the way tells since when a version is not the latest any more, and
// how many are newer.
std::vector<OlderRow> older_rows(Slice& slice) {
  std::vector<OlderRow> rows;
  const ExpiryPlace& place = slice.place;
  if (place.after_id != 0) {
    rows = slice.call.tx
               .query(S3_OLDER_ROWS " AND o.key = $2 AND o.id < $3 ORDER BY o.id DESC LIMIT $4", slice.bucket.id,
                      base::Blob{place.after}, place.after_id, kRows)
               .all(&read_older);
  }
  if (rows.size() == kRows) return rows;
  slice.call.tx
      .query(S3_OLDER_ROWS " AND o.key >= $2 AND o.key < $3 ORDER BY o.key, o.id DESC LIMIT $4", slice.bucket.id,
             base::Blob{slice.from}, base::Blob{slice.end}, kRows - static_cast<std::int64_t>(rows.size()))
      .each([&](const store::Row& row) { rows.push_back(read_older(row)); });
  return rows;
}

bool sweep_older(Slice& slice) {
  const std::vector<OlderRow> rows = older_rows(slice);
  ExpiryPlace& place = slice.place;
  for (const OlderRow& row : rows) {
    const Object& object = row.object;
    const bool same_key = place.after_id != 0 && place.after == object.key;
    const base::Time since = same_key ? place.since : row.latest_at;
    const std::int64_t newer = same_key ? place.newer + 1 : 0;
    place.after = object.key;
    place.after_id = object.id;
    place.newer = newer;
    place.since = object.modified_at;
    if (!slice.is_due(noncurrent_expiry_of(slice.rules, object, since, newer))) continue;
    auto whole = load_version(slice.call.tx, slice.bucket, object.key, object.version());
    if (!whole) continue;
    delete_version(slice.call, slice.bucket, *whole);
    tell(slice.call, slice.bucket, kDelete, *whole);
    ++slice.deletions;
    if (slice.full()) return false;
  }
  return rows.size() < kRows;
}

bool sweep_uploads(Slice& slice) {
  struct UploadRow {
    std::string key;
    std::int64_t id = 0;
    base::Time initiated_at;
  };
  const std::string from = slice.place.after_id != 0 ? slice.place.after : slice.from;
  const auto rows = slice.call.tx
                        .query("SELECT key, id, initiated_at FROM s3_uploads WHERE bucket = $1 AND (key, id) > ($2, $3)"
                               " AND key < $4 ORDER BY key, id LIMIT $5",
                               slice.bucket.id, base::Blob{from}, slice.place.after_id, base::Blob{slice.end}, kRows)
                        .all([](const store::Row& row) { return UploadRow{row.str(0), row.integer(1), row.time(2)}; });
  for (const UploadRow& row : rows) {
    slice.place.after = row.key;
    slice.place.after_id = row.id;
    if (!slice.is_due(abort_of(slice.rules, row.key, row.initiated_at))) continue;
    delete_upload(slice.call, row.id);
    ++slice.deletions;
    if (slice.full()) return false;
  }
  return rows.size() < kRows;
}

// Does a rule ask for anything at this stage?
bool asks(const LifecycleRule& rule, ExpiryStage stage) {
  switch (stage) {
    case ExpiryStage::Objects: return rule.days || rule.date;
    case ExpiryStage::Older: return rule.noncurrent_days.has_value();
    case ExpiryStage::Markers: return rule.lone_markers || rule.days;
    case ExpiryStage::Uploads: return rule.abort_days.has_value();
    case ExpiryStage::Done: break;
  }
  return false;
}

// The prefixes of keys that a stage has to look at, none of them within another.
std::vector<std::string> ranges_of(const LifecycleRules& rules, ExpiryStage stage) {
  std::vector<std::string> prefixes;
  for (const LifecycleRule& rule : rules) {
    if (asks(rule, stage)) prefixes.push_back(rule.prefix);
  }
  std::sort(prefixes.begin(), prefixes.end());
  std::vector<std::string> ranges;
  for (std::string& prefix : prefixes) {
    if (ranges.empty() || !prefix.starts_with(ranges.back())) ranges.push_back(std::move(prefix));
  }
  return ranges;
}

bool sweep_stage(Slice& slice) {
  switch (slice.place.stage) {
    case ExpiryStage::Objects: return sweep_objects(slice);
    case ExpiryStage::Older: return sweep_older(slice);
    case ExpiryStage::Markers: return sweep_markers(slice);
    case ExpiryStage::Uploads: return sweep_uploads(slice);
    case ExpiryStage::Done: break;
  }
  return true;
}

// A slice of the bucket that the place is in.
void sweep_bucket(Call& call, const Bucket& bucket, const LifecycleRules& rules, ExpiryPlace& place) {
  const std::vector<std::string> ranges = ranges_of(rules, place.stage);
  if (place.range < ranges.size()) {
    const std::string& prefix = ranges[place.range];
    Slice slice{call, bucket, rules, place, place.after.empty() ? prefix : after_key(place.after), after_prefix(prefix)};
    if (!sweep_stage(slice)) return;
  }
  place.after.clear();
  place.after_id = 0;
  if (++place.range < ranges.size()) return;
  place.range = 0;
  place.stage = static_cast<ExpiryStage>(static_cast<int>(place.stage) + 1);
}

ExpiryPass pass_of(base::Time now, std::string_view configuration) {
  return {std::chrono::floor<std::chrono::days>(now).time_since_epoch().count(),
          std::hash<std::string_view>()(configuration)};
}

// The next bucket that was not gone through today with the configuration that it has.
std::optional<ExpiryPlace> next_place(Call& call, ExpiryState& state) {
  std::map<std::int64_t, ExpiryPass> still;
  std::optional<ExpiryPlace> next;
  call.tx.query("SELECT id, name, lifecycle FROM s3_buckets WHERE lifecycle IS NOT NULL ORDER BY id")
      .each([&](const store::Row& row) {
        const ExpiryPass pass = pass_of(call.now, row.text(2));
        auto found = state.done.find(row.integer(0));
        if (found != state.done.end()) still.insert(*found);
        if (!next && (found == state.done.end() || found->second != pass)) next = ExpiryPlace{row.str(1), pass};
      });
  state.done = std::move(still);  // without buckets that are gone
  return next;
}

}  // namespace

std::optional<base::Time> expire_objects(Call& call, ExpiryState& state) {
  call.tx.on_end([&state, before = state](bool committed) {
    if (!committed) state = before;
  });
  if (!state.place) state.place = next_place(call, state);
  if (!state.place) return midnight_after(call.now + base::Duration(1), 0);
  ExpiryPlace& place = *state.place;
  const std::optional<Bucket> bucket = load_bucket(call.tx, place.bucket);
  const bool same = bucket && bucket->lifecycle && pass_of(call.now, *bucket->lifecycle).second == place.pass.second;
  if (same) {
    const auto rules = call.local<LifecycleCache>().get(bucket->id, *bucket->lifecycle, &read_lifecycle);
    sweep_bucket(call, *bucket, *rules, place);
    if (place.stage != ExpiryStage::Done) return call.now + kBetweenSlices;
    state.done[bucket->id] = place.pass;
  }
  state.place.reset();  // done, or to be begun anew with another configuration
  return call.now + kBetweenSlices;
}

}  // namespace services::s3
