// SPDX-License-Identifier: Apache-2.0
// Stores bodies in files or memory before their handler runs, and opens stored bytes for responses: for all doors that
// move objects.
#pragma once

#include <boost/asio/awaitable.hpp>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/headers.h"
#include "http/message.h"
#include "objects/disk_threads.h"
#include "objects/files.h"
#include "objects/spooler.h"
#include "services/s3/bytes.h"
#include "wire/error.h"

namespace spool {

// The files, and the threads that read and write them. Both outlive all users.
struct Disk {
  objects::Files* files = nullptr;
  objects::DiskThreads* threads = nullptr;
};

// A body that no row names yet. The destructor drops its file, unless keep() or leave() was called.
class HeldUpload {
 public:
  HeldUpload(Disk disk, services::s3::Upload upload) : disk_(disk), upload_(std::move(upload)) {}
  HeldUpload(HeldUpload&& other) noexcept
      : disk_(std::exchange(other.disk_, {})), upload_(std::move(other.upload_)) {}
  HeldUpload& operator=(HeldUpload&&) = delete;
  ~HeldUpload();

  const services::s3::Upload& get() const { return upload_; }
  // The handler shall see only the checksums that it asked for.
  void forget_checksum(base::Checksum kind) { upload_.checksums.erase(kind); }
  // A row that names it has been committed.
  void keep();
  // Whether one was committed is unknown: the recovery at the next start decides.
  void leave() { disk_ = {}; }

 private:
  Disk disk_;
  services::s3::Upload upload_;
};

// The next piece of the client's bytes; "" at the end.
using NextPiece = std::function<boost::asio::awaitable<std::string>()>;

// What else is known of a body.
struct BodyFacts {
  std::optional<std::uint64_t> size = {};
  std::function<const base::Headers&()> trailers = {};  // after the end
};

// These, and spool_extents(), throw ApiError EntityTooLarge for a body that is too large, and std::system_error.
boost::asio::awaitable<HeldUpload> spool_pieces(Disk disk, NextPiece next, services::s3::Spool wanted, BodyFacts facts = {});

wire::ApiError too_large(std::uint64_t size, std::uint64_t limit);

// An object's bytes, ready to be sent. The first files are open; the opener opens the others by name, and keeps them
// from being deleted as long as it lives.
struct OpenExtents {
  std::vector<http::BodyPart> parts;
  std::shared_ptr<const http::PartOpener> opener;  // where there are others
};
// nullopt where a file was deleted since its name was looked up.
boost::asio::awaitable<std::optional<OpenExtents>> open_extents(Disk disk, std::vector<services::s3::Extent> extents);

boost::asio::awaitable<HeldUpload> spool_extents(Disk disk, OpenExtents extents, services::s3::Spool wanted);

}  // namespace spool
