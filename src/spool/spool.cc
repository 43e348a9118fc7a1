// SPDX-License-Identifier: Apache-2.0
#include "spool/spool.h"

#include <algorithm>
#include <cerrno>
#include <system_error>

#include "http/part_opener.h"

namespace spool {
namespace asio = boost::asio;
namespace {

using base::Checksum;

services::s3::Upload to_upload(objects::Spooled spooled, services::s3::Spool wanted, base::Headers trailers) {
  services::s3::Upload upload;
  upload.size = spooled.size;
  upload.md5 = spooled.checksums.at(Checksum::Md5);
  for (Checksum kind : wanted.checksums) upload.checksums[kind] = spooled.checksums.at(kind);
  upload.bytes = std::move(spooled.bytes);
  upload.file = std::move(spooled.file);
  upload.trailers = std::move(trailers);
  upload.note = std::move(wanted.note);
  return upload;
}

// So many files of a response are opened before it begins, the others in turn: an object of 10,000 parts needs no
// more descriptors.
constexpr std::size_t kOpenAtOnce = 64;

using OpenFile = std::optional<base::File> (objects::Files::*)(const std::string& name) const;

// Opens the first parts that are not open yet. False where one cannot be opened.
bool open_first(const objects::Files& files, OpenFile open, std::vector<http::BodyPart>& parts) {
  for (std::size_t i = 0; i < parts.size() && i < kOpenAtOnce; ++i) {
    http::BodyPart& part = parts[i];
    if (part.name.empty() || part.file) continue;
    auto file = (files.*open)(part.name);
    if (!file) return false;
    part.file = std::make_shared<const base::File>(std::move(*file));
  }
  return true;
}

// The names of the files that are opened in turn.
std::vector<std::string> names_of_later(const std::vector<http::BodyPart>& parts) {
  std::vector<std::string> names;
  for (std::size_t i = kOpenAtOnce; i < parts.size(); ++i) {
    if (!parts[i].name.empty()) names.push_back(parts[i].name);
  }
  return names;
}

asio::awaitable<std::shared_ptr<const base::File>> open_held(Disk disk, std::shared_ptr<const void>, std::string name) {
  std::optional<base::File> file = disk.files->open_cached(name);
  if (!file) {
    objects::DiskThreads::Work open = [&] { file = disk.files->open(name); };
    co_await disk.threads->run(std::move(open));
  }
  if (!file) co_return nullptr;
  co_return std::make_shared<const base::File>(std::move(*file));
}

std::shared_ptr<const http::PartOpener> opener_of(Disk disk, std::shared_ptr<const void> hold) {
  http::PartOpener opener{std::bind_front(&open_held, disk, std::move(hold))};
  return std::make_shared<const http::PartOpener>(std::move(opener));
}

}  // namespace

HeldUpload::~HeldUpload() {
  if (!disk_.files || upload_.file.empty()) return;
  disk_.threads->post([files = disk_.files, name = upload_.file] { files->drop(name); });
}

void HeldUpload::keep() {
  const Disk disk = std::exchange(disk_, {});
  if (!disk.files || upload_.file.empty()) return;
  disk.threads->post([files = disk.files, name = upload_.file] { files->keep(name); });
}

wire::ApiError too_large(std::uint64_t size, std::uint64_t limit) {
  return wire::ApiError("EntityTooLarge", "Your proposed upload exceeds the maximum allowed size", 400)
      .with("ProposedSize", std::to_string(size))
      .with("MaxSizeAllowed", std::to_string(limit));
}

asio::awaitable<HeldUpload> spool_pieces(Disk disk, NextPiece next, services::s3::Spool wanted, BodyFacts facts) {
  if (facts.size && *facts.size > wanted.max_bytes) throw too_large(*facts.size, wanted.max_bytes);
  objects::SpoolOptions options{services::s3::kInlineBytes, wanted.checksums, facts.size};
  objects::Spooler spooler(*disk.files, *disk.threads, std::move(options));
  std::string kept;
  for (;;) {
    std::string piece = co_await next();
    if (piece.empty()) break;
    if (spooler.size() + piece.size() <= wanted.keep_bytes) kept += piece;
    co_await spooler.write(std::move(piece));
    if (spooler.size() > wanted.max_bytes) throw too_large(spooler.size(), wanted.max_bytes);
  }
  objects::Spooled spooled = co_await spooler.finish();
  base::Headers trailers;
  if (facts.trailers) trailers = facts.trailers();
  const bool keep = !spooled.file.empty() && kept.size() == spooled.size;
  services::s3::Upload upload = to_upload(std::move(spooled), std::move(wanted), std::move(trailers));
  if (keep) upload.kept = std::move(kept);
  HeldUpload held(disk, std::move(upload));
  co_return held;
}

asio::awaitable<std::optional<OpenExtents>> open_extents(Disk disk, std::vector<services::s3::Extent> extents) {
  OpenExtents open;
  for (services::s3::Extent& extent : extents) {
    open.parts.push_back({std::move(extent.bytes), nullptr, std::move(extent.file), extent.offset, extent.length});
  }
  std::vector<std::string> later = names_of_later(open.parts);
  if (!later.empty()) open.opener = opener_of(disk, disk.files->hold(later));
  // A switch to another thread and back takes longer than opening a file that the kernel has cached.
  bool there = later.empty() && open_first(*disk.files, &objects::Files::open_cached, open.parts);
  if (!there) {
    objects::DiskThreads::Work look = [&] {
      there = open_first(*disk.files, &objects::Files::open, open.parts) &&
              std::ranges::all_of(later, [&](const std::string& name) { return disk.files->has(name); });
    };
    co_await disk.threads->run(std::move(look));
  }
  if (!there) co_return std::nullopt;
  co_return open;
}

asio::awaitable<HeldUpload> spool_extents(Disk disk, OpenExtents extents, services::s3::Spool wanted) {
  std::uint64_t size = 0;
  for (const http::BodyPart& part : extents.parts) size += part.size();
  if (size > wanted.max_bytes) throw too_large(size, wanted.max_bytes);
  objects::SpoolOptions options{services::s3::kInlineBytes, wanted.checksums, size};
  objects::Spooler spooler(*disk.files, *disk.threads, std::move(options));
  for (http::BodyPart& each : extents.parts) {
    http::BodyPart part = std::move(each);  // closed once it is copied
    if (part.in_memory()) {
      co_await spooler.write(std::move(part.bytes));
      continue;
    }
    if (!part.file) {
      part.file = co_await extents.opener->open(part.name);
    }
    if (!part.file) throw std::system_error(ENOENT, std::generic_category(), "the file " + part.name + " is missing");
    co_await spooler.copy(*part.file, part.offset, part.length);
  }
  objects::Spooled spooled = co_await spooler.finish();
  HeldUpload held(disk, to_upload(std::move(spooled), std::move(wanted), {}));
  co_return held;
}

}  // namespace spool
