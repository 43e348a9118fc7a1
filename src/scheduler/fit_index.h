// SPDX-License-Identifier: Apache-2.0
// An ordered index that finds the first entry with enough free CPU, memory and GPU memory.
//
// Each bucket is a sequence of short blocks, ordered by (major, id). A block stores the maximum of each free resource
// over its entries, so that a search skips blocks. Blocks instead of a tree: a change touches one block, which is a
// few cache lines.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "model/ids.h"

namespace scheduler {

class FitIndex {
 public:
  struct Entry {
    std::uint32_t slot = 0;  // chosen by the caller
    std::uint32_t bucket = 0;
    std::int64_t major = 0;                 // entries are ordered by this, then by id
    std::uint64_t id_front = 0;             // front_of(id), which is compared before the id
    const model::InstanceId* id = nullptr;  // must outlive the entry
    std::int64_t cpu = 0, memory_mib = 0;   // free
    std::int64_t share_mib = 0;             // the largest available share of a GPU
  };

  struct Bound {
    std::size_t bucket = 0;
    std::int64_t major = 0, cpu = 0, memory_mib = 0, share_mib = 0;  // at least
  };

  // Orders like the ids, by their first eight bytes.
  static std::uint64_t front_of(const model::InstanceId& id);
  static bool before(const Entry& a, const Entry& b) {
    if (a.major != b.major) return a.major < b.major;
    if (a.id_front != b.id_front) return a.id_front < b.id_front;
    return a.id != b.id && *a.id < *b.id;  // usually the same object: then there is nothing to compare
  }

  void insert(const Entry& entry);
  // Erases one entry that is equal in order.
  void erase(const Entry& entry);
  std::size_t bucket_count() const { return buckets_.size(); }

  // The first entry of a bucket within the bounds for which accept(slot) is true, or nullptr. Valid until the next
  // change.
  template <class Accept>
  const Entry* first(const Bound& bound, const Accept& accept) const {
    if (bound.bucket >= buckets_.size()) return nullptr;
    for (const Block& block : buckets_[bound.bucket]) {
      if (block.last_major < bound.major || !enough(block.most, bound)) continue;
      for (const Entry& entry : block.entries) {
        if (entry.major < bound.major) continue;
        if (enough({entry.cpu, entry.memory_mib, entry.share_mib}, bound) && accept(entry.slot)) return &entry;
      }
    }
    return nullptr;
  }

 private:
  struct Most {
    std::int64_t cpu = 0, memory_mib = 0, share_mib = 0;
  };
  struct Block {
    std::vector<Entry> entries;  // never empty
    Most most;
    std::int64_t last_major = 0;
    std::uint64_t last_front = 0;
  };
  using Bucket = std::vector<Block>;

  static bool enough(const Most& most, const Bound& bound) {
    return most.cpu >= bound.cpu && most.memory_mib >= bound.memory_mib && most.share_mib >= bound.share_mib;
  }
  static Bucket::iterator block_of(Bucket& bucket, const Entry& entry);
  static void refresh(Block& block);

  std::vector<Bucket> buckets_;
};

}  // namespace scheduler
