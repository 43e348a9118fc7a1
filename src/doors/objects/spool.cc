// SPDX-License-Identifier: Apache-2.0
#include "doors/objects/spool.h"

#include <algorithm>
#include <cerrno>
#include <system_error>

#include "doors/objects/checksum_headers.h"
#include "doors/objects/errors.h"
#include "base/bytes.h"
#include "http/part_opener.h"

namespace doors::objects {
namespace asio = boost::asio;
namespace {

using base::Checksum;

services::s3::Upload to_upload(::objects::Spooled spooled, services::s3::Spool wanted, base::Headers trailers) {
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

// As many files of one answer are opened before it begins. Others wait for their turn, so that an object of
// 10,000 parts takes no more descriptors.
constexpr std::size_t kOpenAtOnce = 64;

using OpenFile = std::optional<base::File> (::objects::Files::*)(const std::string& name) const;

// Of the first parts, those that are not open yet. False where one can't be opened so.
bool open_first(const ::objects::Files& files, OpenFile open, std::vector<http::BodyPart>& parts) {
  for (std::size_t i = 0; i < parts.size() && i < kOpenAtOnce; ++i) {
    http::BodyPart& part = parts[i];
    if (part.name.empty() || part.file) continue;
    auto file = (files.*open)(part.name);
    if (!file) return false;
    part.file = std::make_shared<const base::File>(std::move(*file));
  }
  return true;
}

// Of those that are opened when their turn comes.
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
    ::objects::DiskThreads::Work open = [&] { file = disk.files->open(name); };
    co_await disk.threads->run(std::move(open));
  }
  if (!file) co_return nullptr;
  co_return std::make_shared<const base::File>(std::move(*file));
}

std::shared_ptr<const http::PartOpener> opener_of(Disk disk, std::shared_ptr<const void> hold) {
  http::PartOpener opener{std::bind_front(&open_held, disk, std::move(hold))};
  return std::make_shared<const http::PartOpener>(std::move(opener));
}

asio::awaitable<::objects::Spooled> spool_all(Disk disk, NextPiece next, ::objects::SpoolOptions options,
                                            std::uint64_t max_bytes) {
  ::objects::Spooler spooler(*disk.files, *disk.threads, std::move(options));
  for (;;) {
    std::string piece = co_await next();
    if (piece.empty()) break;
    co_await spooler.write(std::move(piece));
    if (spooler.size() > max_bytes) throw too_large(spooler.size(), max_bytes);
  }
  ::objects::Spooled spooled = co_await spooler.finish();
  co_return spooled;
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

asio::awaitable<HeldUpload> spool_body(Disk disk, RequestBody& body, services::s3::Spool wanted,
                                       const signing::Claim* claim) {
  if (body.size() && *body.size() > wanted.max_bytes) throw too_large(*body.size(), wanted.max_bytes);
  for (const std::string& name : body.announced()) {
    if (auto kind = announced_checksum(name)) wanted.checksums.insert(*kind);
  }
  ::objects::SpoolOptions options{services::s3::kInlineBytes, wanted.checksums, body.size()};
  const bool signed_hash = claim && claim->names_body_hash();
  if (signed_hash) options.checksums.insert(Checksum::Sha256);
  NextPiece next = std::bind_front(&RequestBody::next, &body);
  ::objects::Spooled spooled = co_await spool_all(disk, std::move(next), std::move(options), wanted.max_bytes);
  const std::string computed = signed_hash ? base::to_hex(spooled.checksums.at(Checksum::Sha256)) : "";
  HeldUpload held(disk, to_upload(std::move(spooled), std::move(wanted), body.trailers()));
  if (signed_hash && computed != claim->payload_hash) throw payload_hash_error(claim->payload_hash, computed);
  co_return held;
}

asio::awaitable<HeldUpload> spool_file(Disk disk, NextPiece next, services::s3::Spool wanted) {
  ::objects::SpoolOptions options{services::s3::kInlineBytes, wanted.checksums, std::nullopt};
  ::objects::Spooled spooled = co_await spool_all(disk, std::move(next), std::move(options), wanted.max_bytes);
  HeldUpload held(disk, to_upload(std::move(spooled), std::move(wanted), {}));
  co_return held;
}

asio::awaitable<std::optional<OpenExtents>> open_extents(Disk disk, std::vector<services::s3::Extent> extents) {
  OpenExtents open;
  for (services::s3::Extent& extent : extents) {
    open.parts.push_back({std::move(extent.bytes), nullptr, std::move(extent.file), extent.offset, extent.length});
  }
  std::vector<std::string> later = names_of_later(open.parts);
  if (!later.empty()) open.opener = opener_of(disk, disk.files->hold(later));
  // Going to another thread and back takes longer than opening a file that the kernel remembers.
  bool there = later.empty() && open_first(*disk.files, &::objects::Files::open_cached, open.parts);
  if (!there) {
    ::objects::DiskThreads::Work look = [&] {
      there = open_first(*disk.files, &::objects::Files::open, open.parts) &&
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
  ::objects::SpoolOptions options{services::s3::kInlineBytes, wanted.checksums, size};
  ::objects::Spooler spooler(*disk.files, *disk.threads, std::move(options));
  for (http::BodyPart& each : extents.parts) {
    http::BodyPart part = std::move(each);  // it is closed when it has been copied
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
  ::objects::Spooled spooled = co_await spooler.finish();
  HeldUpload held(disk, to_upload(std::move(spooled), std::move(wanted), {}));
  co_return held;
}

}  // namespace doors::objects
