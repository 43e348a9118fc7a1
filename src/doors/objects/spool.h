// SPDX-License-Identifier: Apache-2.0
// Bodies into files or memory before their handler runs, and back out of them.
#pragma once

#include <boost/asio/awaitable.hpp>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "doors/objects/request_body.h"
#include "http/message.h"
#include "objects/disk_threads.h"
#include "objects/files.h"
#include "objects/spooler.h"
#include "services/s3/bytes.h"

namespace doors::objects {

// Where they are, and who reads and writes them. Both outlive whoever is given it.
struct Disk {
  ::objects::Files* files = nullptr;
  ::objects::DiskThreads* threads = nullptr;
};

// A body that nobody's row names yet: its file is dropped unless it is said what became of it.
class HeldUpload {
 public:
  HeldUpload(Disk disk, services::s3::Upload upload) : disk_(disk), upload_(std::move(upload)) {}
  HeldUpload(HeldUpload&& other) noexcept
      : disk_(std::exchange(other.disk_, {})), upload_(std::move(other.upload_)) {}
  HeldUpload& operator=(HeldUpload&&) = delete;
  ~HeldUpload();

  const services::s3::Upload& get() const { return upload_; }
  // A row that names it has been committed.
  void keep();
  // Whether one was is not known: the next start finds out.
  void leave() { disk_ = {}; }

 private:
  Disk disk_;
  services::s3::Upload upload_;
};

// The client's bytes, as they come: the next piece, "" at their end.
using NextPiece = std::function<boost::asio::awaitable<std::string>()>;

// These, and spool_extents(), throw ApiError where it is too large, and std::system_error.
boost::asio::awaitable<HeldUpload> spool_body(Disk disk, RequestBody& body, services::s3::Spool wanted,
                                              const signing::Claim* claim);
boost::asio::awaitable<HeldUpload> spool_file(Disk disk, NextPiece next, services::s3::Spool wanted);

// What an object's bytes are read from. The first files are open, the others have their names and stay as
// long as the opener lives, whoever deletes the object.
struct OpenExtents {
  std::vector<http::BodyPart> parts;
  std::shared_ptr<const http::PartOpener> opener;  // where there are such others
};
// nullopt where a file is gone: who deleted it was faster than who has looked up its name.
boost::asio::awaitable<std::optional<OpenExtents>> open_extents(Disk disk, std::vector<services::s3::Extent> extents);

boost::asio::awaitable<HeldUpload> spool_extents(Disk disk, OpenExtents extents, services::s3::Spool wanted);

}  // namespace doors::objects
