// SPDX-License-Identifier: Apache-2.0
#include "scheduler/fit_index.h"

#include <algorithm>

#include "base/check.h"

namespace scheduler {
namespace {

// A compromise: a change moves half a block and a search may scan a whole one, but many blocks are slow to skip.
constexpr std::size_t kMaxBlock = 48;

}  // namespace

std::uint64_t FitIndex::front_of(const model::InstanceId& id) {
  const std::string& text = id.str();
  std::uint64_t front = 0;
  for (std::size_t i = 0; i < 8; ++i) front = front << 8 | (i < text.size() ? static_cast<unsigned char>(text[i]) : 0);
  return front;
}

// The first block whose last entry is not before the entry.
FitIndex::Bucket::iterator FitIndex::block_of(Bucket& bucket, const Entry& entry) {
  return std::partition_point(bucket.begin(), bucket.end(), [&](const Block& block) {
    if (block.last_major != entry.major) return block.last_major < entry.major;
    if (block.last_front != entry.id_front) return block.last_front < entry.id_front;
    return before(block.entries.back(), entry);
  });
}

void FitIndex::refresh(Block& block) {
  block.last_major = block.entries.back().major;
  block.last_front = block.entries.back().id_front;
  block.most = {block.entries[0].cpu, block.entries[0].memory_mib, block.entries[0].share_mib};
  for (const Entry& entry : block.entries) {
    block.most.cpu = std::max(block.most.cpu, entry.cpu);
    block.most.memory_mib = std::max(block.most.memory_mib, entry.memory_mib);
    block.most.share_mib = std::max(block.most.share_mib, entry.share_mib);
  }
}

void FitIndex::insert(const Entry& entry) {
  if (buckets_.size() <= entry.bucket) buckets_.resize(entry.bucket + 1);
  Bucket& bucket = buckets_[entry.bucket];
  auto block = block_of(bucket, entry);
  if (block == bucket.end()) {
    if (bucket.empty()) bucket.emplace_back();
    block = std::prev(bucket.end());
  }
  std::vector<Entry>& entries = block->entries;
  entries.insert(std::lower_bound(entries.begin(), entries.end(), entry, before), entry);
  if (entries.size() > kMaxBlock) {
    Block half;
    half.entries.reserve(kMaxBlock + 1);
    const auto middle = entries.begin() + static_cast<std::ptrdiff_t>(entries.size() / 2);
    half.entries.assign(middle, entries.end());
    entries.erase(middle, entries.end());
    refresh(half);
    block = std::prev(bucket.insert(std::next(block), std::move(half)));
  }
  refresh(*block);
}

void FitIndex::erase(const Entry& entry) {
  Bucket& bucket = buckets_[entry.bucket];
  auto block = block_of(bucket, entry);
  CHECK(block != bucket.end()) << "erased an entry that is not in its bucket";
  std::vector<Entry>& entries = block->entries;
  auto found = std::lower_bound(entries.begin(), entries.end(), entry, before);
  CHECK(found != entries.end() && !before(entry, *found)) << "erased an entry that is not in its bucket";
  entries.erase(found);
  // Merges small blocks into the next one.
  const auto next = std::next(block);
  if (next != bucket.end() && entries.size() + next->entries.size() <= kMaxBlock / 2) {
    next->entries.insert(next->entries.begin(), entries.begin(), entries.end());
    refresh(*next);
    entries.clear();
  }
  if (entries.empty()) {
    bucket.erase(block);
  } else {
    refresh(*block);
  }
}

}  // namespace scheduler
