// SPDX-License-Identifier: Apache-2.0
#include "objects/disk_threads.h"

#include <boost/asio/async_result.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <exception>

#include "base/log.h"

namespace objects {
namespace asio = boost::asio;

// Touched only on the coroutine's thread: the work's end is posted there.
struct DiskThreads::Pending::State {
  bool done = false;
  std::exception_ptr error;
  std::function<void(std::exception_ptr)> resume;  // whoever waits

  void end(std::exception_ptr thrown) {
    done = true;
    error = std::move(thrown);
    if (resume) std::exchange(resume, nullptr)(std::move(error));
  }
};

namespace {

std::exception_ptr run_caught(const DiskThreads::Work& work) {
  try {
    work();
    return nullptr;
  } catch (...) {
    return std::current_exception();
  }
}

}  // namespace

asio::awaitable<void> DiskThreads::Pending::wait() {
  auto state = state_;
  if (state->done) {
    if (state->error) std::rethrow_exception(std::exchange(state->error, nullptr));
    co_return;
  }
  auto start = [state](auto handler) {
    // Shared, because std::function wants to be copyable; it has one user.
    auto resume = std::make_shared<decltype(handler)>(std::move(handler));
    state->resume = [resume](std::exception_ptr error) { std::move (*resume)(std::move(error)); };
  };
  co_await asio::async_initiate<const asio::use_awaitable_t<>, void(std::exception_ptr)>(std::move(start),
                                                                                         asio::use_awaitable);
}

DiskThreads::DiskThreads(int threads) : threads_(static_cast<std::size_t>(threads)) {}

DiskThreads::~DiskThreads() { threads_.join(); }

DiskThreads::Pending DiskThreads::start(asio::any_io_executor executor, Work work) {
  Pending pending;
  pending.state_ = std::make_shared<Pending::State>();
  asio::post(threads_, [state = pending.state_, executor = std::move(executor), work = std::move(work)]() mutable {
    std::exception_ptr error = run_caught(work);
    work = nullptr;  // what it holds ends here, not on the coroutine's thread
    asio::post(executor, [state = std::move(state), error = std::move(error)]() mutable {
      state->end(std::move(error));
    });
  });
  return pending;
}

asio::awaitable<void> DiskThreads::run(Work work) {
  auto executor = co_await asio::this_coro::executor;
  Pending pending = start(executor, std::move(work));
  co_await pending.wait();
}

void DiskThreads::post(Work work) {
  asio::post(threads_, [work = std::move(work)] {
    try {
      work();
    } catch (const std::exception& error) {
      base::log_error("work on the disk failed", {{"error", error.what()}});
    }
  });
}

}  // namespace objects
