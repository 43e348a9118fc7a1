// SPDX-License-Identifier: Apache-2.0
#include "doors/objects/blob_sweep.h"

#include <exception>
#include <memory>
#include <system_error>
#include <utility>
#include <vector>

#include "services/s3/blobs.h"

namespace doors::objects {
namespace asio = boost::asio;
namespace {

constexpr std::int64_t kBlobsATurn = 200;
constexpr base::Duration kHeldFor = std::chrono::seconds(1);  // the usual minimum

// The position of a round. Files that are held are skipped, so that they do not block the files after them.
struct Round {
  std::int64_t after = 0;
  bool left = false;
};

asio::awaitable<std::optional<base::Time>> sweep_turn(api::Engine* engine, ::objects::Files* files,
                                                     ::objects::DiskThreads* disk, std::shared_ptr<Round> round) {
  if (files->all_held()) co_return engine->clock().now() + kHeldFor;
  std::vector<services::s3::UnusedBlob> unused;
  api::Engine::Work look = [&](services::Call& call) {
    unused = services::s3::unused_blobs(call.tx, kBlobsATurn, round->after);
  };
  services::Caller nobody;
  co_await engine->run(services::Access::Read, nobody, std::move(look));
  if (unused.empty() && round->after == 0) co_return std::nullopt;
  // Again: while this look waited a backup may have begun and copied the database, and what that copy names may have been
  // deleted since. No copy names what was unused before it began.
  if (files->all_held()) co_return engine->clock().now() + kHeldFor;
  // A reader that has the file open is not affected; one that only has its name looks it up again, or holds it. A
  // file that cannot be removed must not block the others.
  std::vector<std::int64_t> gone;
  std::exception_ptr failed;
  ::objects::DiskThreads::Work drop = [&] {
    for (const services::s3::UnusedBlob& blob : unused) {
      try {
        if (files->drop(blob.file)) gone.push_back(blob.id);
      } catch (const std::system_error&) {
        failed = std::current_exception();
      }
    }
  };
  co_await disk->run(std::move(drop));
  api::Engine::Work forget = [&](services::Call& call) {
    for (const std::int64_t id : gone) services::s3::forget_blob(call.tx, id);
  };
  co_await engine->run(services::Access::Write, nobody, std::move(forget));
  const bool done = std::ssize(unused) < kBlobsATurn;
  round->after = done ? 0 : unused.back().id;
  round->left = round->left || gone.size() < unused.size();
  if (failed) std::rethrow_exception(failed);
  const bool waits = done && std::exchange(round->left, false);
  co_return engine->clock().now() + (waits ? kHeldFor : base::Duration(0));
}

}  // namespace

api::Loop sweep_blobs(api::Engine& engine, ::objects::Files& files, ::objects::DiskThreads& disk) {
  auto turn = std::bind_front(&sweep_turn, &engine, &files, &disk, std::make_shared<Round>());
  return {"s3 blobs", services::s3::kBlobSweepTopic, std::move(turn)};
}

}  // namespace doors::objects
