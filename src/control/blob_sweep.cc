// SPDX-License-Identifier: Apache-2.0
#include "control/blob_sweep.h"

#include <exception>
#include <system_error>
#include <vector>

#include "services/s3/blobs.h"

namespace control {
namespace asio = boost::asio;
namespace {

constexpr std::int64_t kBlobsATurn = 200;
constexpr base::Duration kHeldFor = std::chrono::seconds(1);  // at least, mostly

asio::awaitable<std::optional<base::Time>> take_turn(api::Engine* engine, objects::Files* files,
                                                     objects::DiskThreads* disk) {
  std::vector<services::s3::UnusedBlob> unused;
  api::Engine::Work look = [&](services::Call& call) { unused = services::s3::unused_blobs(call.tx, kBlobsATurn); };
  services::Caller nobody;
  co_await engine->run(services::Access::Read, nobody, std::move(look));
  if (unused.empty()) co_return std::nullopt;
  // Whoever has such a file open still reads it; whoever only knows its name looks again, or holds it. One
  // that can't be removed must not keep all others.
  std::vector<std::int64_t> gone;
  std::exception_ptr failed;
  objects::DiskThreads::Work drop = [&] {
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
  if (failed) std::rethrow_exception(failed);
  co_return engine->clock().now() + (gone.size() < unused.size() ? kHeldFor : base::Duration(0));
}

}  // namespace

Loop sweep_blobs(api::Engine& engine, objects::Files& files, objects::DiskThreads& disk) {
  return {"s3 blobs", services::s3::kBlobSweepTopic, {}, std::bind_front(&take_turn, &engine, &files, &disk)};
}

}  // namespace control
