// SPDX-License-Identifier: Apache-2.0
#include "telemetry/logs/source.h"

#include <algorithm>

#include "telemetry/logs/columns.h"

namespace telemetry {
namespace {

constexpr std::int64_t kChunksAPage = 64;

[[noreturn]] void damaged(const char* what, std::int64_t id) {
  throw store::Error(store::ErrorKind::Damaged, std::string(what) + " " + std::to_string(id) + " of a log is damaged");
}

bool wants(const LogRange& range, std::int64_t stream) {
  return range.streams.empty() || std::binary_search(range.streams.begin(), range.streams.end(), stream);
}

std::string read_part(const base::File& file, std::uint64_t offset, std::size_t size) {
  std::string bytes(size, '\0');
  bytes.resize(file.pread(bytes.data(), size, offset));
  return bytes;
}

// The rows that are wanted, in the range's order, the next one last.
std::vector<std::uint32_t> pick(const EventTable& table, const LogRange& range, const Bounds& bounds) {
  std::vector<std::uint32_t> picks = matching_rows(table, range.hint);
  std::erase_if(picks, [&](std::uint32_t index) {
    const EventTable::Row& row = table.rows[index];
    return row.key < bounds.low || row.key > bounds.high || !wants(range, row.stream);
  });
  if (!range.backward) std::reverse(picks.begin(), picks.end());
  return picks;
}

// nullopt where the chunk can't have what the hint requires.
std::optional<EventTable> read_chunk(store::Tx& tx, const ChunkFiles& files, std::int64_t id, const TextHint& hint,
                                     std::uint64_t& read_bytes) {
  struct Place {
    std::optional<std::string> file;
    std::string bytes;
  };
  auto place = tx.query("SELECT file, bytes FROM log_chunks WHERE id = $1", id).one([](const store::Row& row) {
    return row.is_null(0) ? Place{std::nullopt, row.str(1)} : Place{row.str(0), ""};
  });
  if (!place) damaged("chunk", id);
  std::optional<base::File> file;
  std::string bytes = std::move(place->bytes);
  if (place->file) {
    file = files.files.open(*place->file);
    if (!file) damaged("the file of chunk", id);
    bytes = read_part(*file, 0, kMaxHeadBytes);
  }
  auto head = parse_head(bytes);
  if (!head) damaged("chunk", id);
  read_bytes += head->size();
  if (!may_contain(*head, hint)) return std::nullopt;
  if (file) bytes += read_part(*file, bytes.size(), head->size() + head->columns_size + head->text_size - bytes.size());
  head = parse_head(bytes);  // its views point into the bytes, which may have moved
  auto text = decode_text(*head, bytes);
  if (!text) damaged("chunk", id);
  read_bytes += text->size();
  if (!text_has(*text, hint)) return std::nullopt;
  auto rows = decode_rows(*head, bytes);
  if (!rows) damaged("chunk", id);
  return EventTable{std::move(*rows), std::move(*text)};
}

}  // namespace

std::string encode_streams(const std::vector<std::int64_t>& streams) {
  std::string out;
  std::int64_t before = 0;
  for (const std::int64_t stream : streams) {
    put_signed(out, wrapping_difference(stream, before));
    before = stream;
  }
  return out;
}

bool has_stream(std::string_view encoded, const std::vector<std::int64_t>& wanted) {
  ColumnReader reader(encoded);
  std::int64_t stream = 0;
  while (reader.ok() && !reader.rest().empty()) {
    stream = wrapping_sum(stream, reader.signed_varint());
    if (std::binary_search(wanted.begin(), wanted.end(), stream)) return true;
  }
  return false;
}

SourceList::SourceList(store::Tx& tx, const LogRange& range) : tx_(tx), range_(range) {
  last_bound_ = range.backward ? INT64_MAX : INT64_MIN;
  last_id_ = last_bound_;
  load_batches();
}

bool SourceList::comes_first(const SourceRow& a, const SourceRow& b) const {
  return range_.backward ? a.last_ms > b.last_ms : a.first_ms < b.first_ms;
}

void SourceList::load_batches() {
  tx_.query("SELECT id, first_at, last_at, stored_bytes, number, stream, ingested_at FROM log_batches"
            " WHERE group_id = $1 AND last_at >= $2 AND first_at <= $3",
            range_.group, range_.first_ms, range_.last_ms)
      .each([&](const store::Row& row) {
        const SourceRow source{false, row.integer(0), row.integer(1), row.integer(2), row.integer(3),
                               {row.integer(4), row.integer(5), row.integer(6)}};
        if (wants(range_, source.batch.stream)) batches_.push_back(source);
      });
  std::stable_sort(batches_.begin(), batches_.end(),
                   [&](const SourceRow& a, const SourceRow& b) { return comes_first(b, a); });
}

void SourceList::load_chunks() {
  // A chunk that reaches into the range begins at most its greatest span before it.
  static constexpr char kForward[] =
      "SELECT id, first_at, last_at, stored_bytes, streams FROM log_chunks WHERE group_id = $1 AND first_at >= $2"
      " AND last_at >= $3 AND first_at <= $4 AND (first_at, id) > ($5, $6) ORDER BY first_at, id LIMIT $7";
  static constexpr char kBackward[] =
      "SELECT id, first_at, last_at, stored_bytes, streams FROM log_chunks WHERE group_id = $1 AND last_at <= $2"
      " AND first_at <= $3 AND last_at >= $4 AND (last_at, id) < ($5, $6) ORDER BY last_at DESC, id DESC LIMIT $7";
  const std::int64_t begin = range_.first_ms, end = std::min(range_.last_ms, INT64_MAX - kMaxChunkSpanMs);
  std::int64_t found = 0;
  const auto add = [&](const store::Row& row) {
    ++found;
    const SourceRow source{true, row.integer(0), row.integer(1), row.integer(2), row.integer(3), {}};
    last_bound_ = range_.backward ? source.last_ms : source.first_ms;
    last_id_ = source.id;
    if (range_.streams.empty() || has_stream(row.text(4), range_.streams)) chunks_.push_back(source);
  };
  while (more_chunks_ && chunks_.empty()) {
    found = 0;
    if (range_.backward) {
      tx_.query(kBackward, range_.group, end + kMaxChunkSpanMs, end, begin, last_bound_, last_id_, kChunksAPage)
          .each(add);
    } else {
      tx_.query(kForward, range_.group, begin - kMaxChunkSpanMs, begin, end, last_bound_, last_id_, kChunksAPage)
          .each(add);
    }
    more_chunks_ = found == kChunksAPage;
  }
}

const SourceRow* SourceList::front() {
  if (chunks_.empty()) load_chunks();
  if (batches_.empty()) return chunks_.empty() ? nullptr : &chunks_.front();
  if (chunks_.empty() || comes_first(batches_.back(), chunks_.front())) return &batches_.back();
  return &chunks_.front();
}

void SourceList::pop() {
  if (front() == (batches_.empty() ? nullptr : &batches_.back())) {
    batches_.pop_back();
  } else {
    chunks_.pop_front();
  }
}

std::unique_ptr<OpenSource> open_source(store::Tx& tx, const ChunkFiles& files, const SourceRow& row,
                                        const LogRange& range, const Bounds& bounds, std::uint64_t& read_bytes) {
  auto source = std::make_unique<OpenSource>();
  if (row.is_chunk) {
    auto table = read_chunk(tx, files, row.id, range.hint, read_bytes);
    if (!table) return nullptr;
    source->table = std::move(*table);
  } else {
    const auto bytes = tx.query("SELECT bytes FROM log_batches WHERE id = $1", row.id).one([](const store::Row& r) {
      return r.str(0);
    });
    auto table = bytes ? decode_batch(*bytes, row.batch) : std::nullopt;
    if (!table) damaged("batch", row.id);
    read_bytes += table->text.size();
    source->table = std::move(*table);
  }
  source->picks = pick(source->table, range, bounds);
  if (source->picks.empty()) return nullptr;
  source->bytes = source->table.text.size() + source->table.rows.size() * sizeof(EventTable::Row);
  return source;
}

}  // namespace telemetry
