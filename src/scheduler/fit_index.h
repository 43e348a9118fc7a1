// SPDX-License-Identifier: Apache-2.0
// Entries in order, from which the first with enough free CPU, memory and GPU memory is found
// without looking at those that have too little.
//
// A treap per bucket: a search tree by (major, id) that also has, in each node, the most of
// each of all below it, so that a search leaves whole branches out. Priorities come from
// the node's number: the same history gives the same tree.
#pragma once

#include <cstdint>
#include <limits>
#include <vector>

#include "model/ids.h"

namespace scheduler {

class FitIndex {
 public:
  using Handle = std::uint32_t;
  static constexpr Handle kNone = std::numeric_limits<Handle>::max();

  struct Entry {
    std::uint32_t slot = 0;  // the caller's: whom it is about
    std::size_t bucket = 0;
    std::int64_t major = 0;                 // entries are ordered by this, then by id
    const model::InstanceId* id = nullptr;  // stays where it is as long as the entry is here
    std::int64_t cpu = 0, memory_mib = 0;   // free
    std::int64_t share_mib = 0;             // the largest share of a GPU that could be had
  };

  struct Bound {
    std::size_t bucket = 0;
    std::int64_t major = 0, cpu = 0, memory_mib = 0, share_mib = 0;  // at least
  };

  Handle insert(const Entry& entry);
  void erase(Handle handle);
  const Entry& entry(Handle handle) const { return nodes_[handle].entry; }
  std::size_t bucket_count() const { return roots_.size(); }

  // The first entry of a bucket within bounds for which accept(slot) is true.
  template <class Accept>
  Handle first(const Bound& bound, const Accept& accept) const {
    return bound.bucket < roots_.size() ? first_below(roots_[bound.bucket], bound, accept) : kNone;
  }

  static bool before(const Entry& a, const Entry& b) { return a.major != b.major ? a.major < b.major : *a.id < *b.id; }

 private:
  struct Node {
    Entry entry;
    std::int64_t most_cpu = 0, most_memory_mib = 0, most_share_mib = 0;
    std::uint64_t id_front = 0;  // the id's first bytes, to compare without looking it up
    std::uint32_t priority = 0;
    Handle left = kNone, right = kNone;
  };
  struct Halves {
    Handle before = kNone, after = kNone;
  };

  template <class Accept>
  Handle first_below(Handle at, const Bound& bound, const Accept& accept) const {
    while (at != kNone) {
      const Node& node = nodes_[at];
      if (node.most_cpu < bound.cpu || node.most_memory_mib < bound.memory_mib) return kNone;
      if (node.most_share_mib < bound.share_mib) return kNone;
      if (node.entry.major >= bound.major) {
        Handle found = first_below(node.left, bound, accept);
        if (found != kNone) return found;
        bool fits = node.entry.cpu >= bound.cpu && node.entry.memory_mib >= bound.memory_mib &&
                    node.entry.share_mib >= bound.share_mib;
        if (fits && accept(node.entry.slot)) return at;
      }
      at = node.right;
    }
    return kNone;
  }

  bool before(const Node& a, const Node& b) const;
  void refresh(Handle at);
  Halves split(Handle at, const Node& key);
  Handle merge(Handle left, Handle right);
  Handle insert_below(Handle at, Handle node);
  Handle erase_below(Handle at, Handle node);

  std::vector<Node> nodes_;
  std::vector<Handle> unused_;
  std::vector<Handle> roots_;  // by bucket
};

}  // namespace scheduler
