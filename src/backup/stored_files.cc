// SPDX-License-Identifier: Apache-2.0
#include "backup/stored_files.h"

#include <algorithm>
#include <set>
#include <stdexcept>

#include "services/s3/blobs.h"
#include "telemetry/logs/seal.h"

namespace backup {
namespace {

constexpr std::int64_t kNamesAtOnce = 1000;
constexpr std::size_t kCopyBytes = 1 << 20;

std::uint64_t copy_file(const base::File& from, base::File to) {
  std::string buffer(kCopyBytes, '\0');
  std::uint64_t at = 0;
  for (;;) {
    const std::size_t got = from.pread(buffer.data(), buffer.size(), at);
    if (got == 0) break;
    to.write_all(std::string_view(buffer).substr(0, got));
    at += got;
  }
  to.sync();
  return at;
}

void for_each_name(store::Tx& tx, const FileKind& kind, const std::function<void(const std::string&)>& each) {
  for (std::string after;;) {
    const std::vector<std::string> names = kind.names(tx, after, kNamesAtOnce);
    if (names.empty()) return;
    for (const std::string& name : names) each(name);
    after = names.back();
  }
}

}  // namespace

const std::vector<FileKind>& file_kinds() {
  static const std::vector<FileKind> kinds{{"objects", &services::s3::stored_files},
                                           {"chunks", &telemetry::chunk_files_after}};
  return kinds;
}

FileCounts copy_files(store::Tx& tx, const FileKind& kind, const objects::Files& from, objects::Files& to) {
  to.recover([](const std::string&) { return false; });  // what a broken copy left
  FileCounts counts;
  std::vector<std::string> copied;
  // The names first, in one sync, then the moves: a file in its place is whole.
  const auto settle = [&] {
    if (!copied.empty()) to.sync_names();
    for (const std::string& name : copied) to.keep(name);
    copied.clear();
  };
  for_each_name(tx, kind, [&](const std::string& name) {
    const auto existing = to.open(name);
    const auto source = from.open(name);
    if (!source) throw std::runtime_error("the file " + name + " is missing in " + from.folder() + ": see `stoker scrub`");
    counts.bytes += static_cast<std::int64_t>(source->size());
    if (existing && existing->size() == source->size()) {
      ++counts.kept;
      return;
    }
    if (existing) to.drop(name);
    counts.copied_bytes += static_cast<std::int64_t>(copy_file(*source, to.create(name)));
    ++counts.copied;
    copied.push_back(name);
    if (std::ssize(copied) >= kNamesAtOnce) settle();
  });
  settle();
  return counts;
}

std::int64_t remove_unnamed(store::Tx& tx, const FileKind& kind, objects::Files& files) {
  std::set<std::string> named;
  for_each_name(tx, kind, [&](const std::string& name) { named.insert(name); });
  std::int64_t removed = 0;
  for (int folder = 0; folder < objects::Files::kFolders; ++folder) {
    for (const std::string& name : files.names(folder)) {
      if (named.contains(name)) continue;
      files.drop(name);
      ++removed;
    }
  }
  return removed;
}

}  // namespace backup
