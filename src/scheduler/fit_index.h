// SPDX-License-Identifier: Apache-2.0
// Entries in order, from which the first with enough free CPU, memory and GPU memory is found
// without looking at those that have too little.
//
// Each bucket is a row of short blocks, in order by (major, id) within and across; a block knows the most
// of each that any of its entries has, so that a search leaves whole blocks out. Blocks rather than
// a tree: a change touches one of them, and a few neighbouring lines of memory.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "model/ids.h"

namespace scheduler {

class FitIndex {
 public:
  struct Entry {
    std::uint32_t slot = 0;  // the caller's: whom it is about
    std::uint32_t bucket = 0;
    std::int64_t major = 0;                 // entries are ordered by this, then by id
    std::uint64_t id_front = 0;             // front_of(id), to compare without looking it up
    const model::InstanceId* id = nullptr;  // stays where it is as long as the entry is here
    std::int64_t cpu = 0, memory_mib = 0;   // free
    std::int64_t share_mib = 0;             // the largest share of a GPU that could be had
  };

  struct Bound {
    std::size_t bucket = 0;
    std::int64_t major = 0, cpu = 0, memory_mib = 0, share_mib = 0;  // at least
  };

  // In the order of the ids, as far as eight bytes go.
  static std::uint64_t front_of(const model::InstanceId& id);
  static bool before(const Entry& a, const Entry& b) {
    if (a.major != b.major) return a.major < b.major;
    if (a.id_front != b.id_front) return a.id_front < b.id_front;
    return a.id != b.id && *a.id < *b.id;  // the same one, mostly: then it need not be read
  }

  void insert(const Entry& entry);
  // One that is neither before nor after it: of several, which one is all the same.
  void erase(const Entry& entry);
  std::size_t bucket_count() const { return buckets_.size(); }

  // The first entry of a bucket within bounds for which accept(slot) is true, or nullptr. Good until
  // the next change.
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
