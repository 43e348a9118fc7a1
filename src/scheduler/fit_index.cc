// SPDX-License-Identifier: Apache-2.0
#include "scheduler/fit_index.h"

#include <algorithm>

#include "base/check.h"

namespace scheduler {
namespace {

// In the order of the ids, as far as eight bytes go.
std::uint64_t front_of(const std::string& id) {
  std::uint64_t front = 0;
  for (std::size_t i = 0; i < 8; ++i) front = front << 8 | (i < id.size() ? static_cast<unsigned char>(id[i]) : 0);
  return front;
}

std::uint32_t priority_of(FitIndex::Handle handle) {
  std::uint64_t x = (handle + 1) * 0x9e3779b97f4a7c15ULL;
  x = (x ^ (x >> 29)) * 0xbf58476d1ce4e5b9ULL;
  return static_cast<std::uint32_t>(x >> 32);
}

}  // namespace

bool FitIndex::before(const Node& a, const Node& b) const {
  if (a.entry.major != b.entry.major) return a.entry.major < b.entry.major;
  return a.id_front != b.id_front ? a.id_front < b.id_front : *a.entry.id < *b.entry.id;
}

FitIndex::Handle FitIndex::insert(const Entry& entry) {
  if (roots_.size() <= entry.bucket) roots_.resize(entry.bucket + 1, kNone);
  Handle handle = static_cast<Handle>(nodes_.size());
  if (unused_.empty()) {
    nodes_.emplace_back();
  } else {
    handle = unused_.back();
    unused_.pop_back();
  }
  nodes_[handle] = {.entry = entry, .id_front = front_of(entry.id->str()), .priority = priority_of(handle)};
  refresh(handle);
  roots_[entry.bucket] = insert_below(roots_[entry.bucket], handle);
  return handle;
}

void FitIndex::erase(Handle handle) {
  std::size_t bucket = nodes_[handle].entry.bucket;
  roots_[bucket] = erase_below(roots_[bucket], handle);
  unused_.push_back(handle);
}

void FitIndex::refresh(Handle at) {
  Node& node = nodes_[at];
  node.most_cpu = node.entry.cpu;
  node.most_memory_mib = node.entry.memory_mib;
  node.most_share_mib = node.entry.share_mib;
  for (Handle child : {node.left, node.right}) {
    if (child == kNone) continue;
    node.most_cpu = std::max(node.most_cpu, nodes_[child].most_cpu);
    node.most_memory_mib = std::max(node.most_memory_mib, nodes_[child].most_memory_mib);
    node.most_share_mib = std::max(node.most_share_mib, nodes_[child].most_share_mib);
  }
}

FitIndex::Halves FitIndex::split(Handle at, const Node& key) {
  if (at == kNone) return {};
  if (before(nodes_[at], key)) {
    Halves halves = split(nodes_[at].right, key);
    nodes_[at].right = halves.before;
    refresh(at);
    return {at, halves.after};
  }
  Halves halves = split(nodes_[at].left, key);
  nodes_[at].left = halves.after;
  refresh(at);
  return {halves.before, at};
}

FitIndex::Handle FitIndex::merge(Handle left, Handle right) {
  if (left == kNone) return right;
  if (right == kNone) return left;
  if (nodes_[left].priority > nodes_[right].priority) {
    nodes_[left].right = merge(nodes_[left].right, right);
    refresh(left);
    return left;
  }
  nodes_[right].left = merge(left, nodes_[right].left);
  refresh(right);
  return right;
}

FitIndex::Handle FitIndex::insert_below(Handle at, Handle node) {
  if (at == kNone) return node;
  if (nodes_[node].priority > nodes_[at].priority) {
    Halves halves = split(at, nodes_[node]);
    nodes_[node].left = halves.before;
    nodes_[node].right = halves.after;
    refresh(node);
    return node;
  }
  if (before(nodes_[node], nodes_[at])) {
    nodes_[at].left = insert_below(nodes_[at].left, node);
  } else {
    nodes_[at].right = insert_below(nodes_[at].right, node);
  }
  refresh(at);
  return at;
}

FitIndex::Handle FitIndex::erase_below(Handle at, Handle node) {
  CHECK(at != kNone) << "erased an entry that is not in its bucket";
  if (at == node) return merge(nodes_[at].left, nodes_[at].right);
  if (before(nodes_[node], nodes_[at])) {
    nodes_[at].left = erase_below(nodes_[at].left, node);
  } else {
    nodes_[at].right = erase_below(nodes_[at].right, node);
  }
  refresh(at);
  return at;
}

}  // namespace scheduler
