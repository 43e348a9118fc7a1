// SPDX-License-Identifier: Apache-2.0
#include "objects/disk_threads.h"

#include <algorithm>
#include <boost/asio/async_result.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <exception>
#include <thread>

#include "base/log.h"

namespace objects {
namespace asio = boost::asio;

// Used on the coroutine's thread only: the end of the work is posted there.
struct DiskThreads::Pending::State {
  bool done = false;
  std::exception_ptr error;
  std::function<void(std::exception_ptr)> resume;  // resumes the waiter

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

bool DiskThreads::Pending::ended() const { return state_->done; }

asio::awaitable<void> DiskThreads::Pending::wait() {
  auto state = state_;
  if (state->done) {
    if (state->error) std::rethrow_exception(std::exchange(state->error, nullptr));
    co_return;
  }
  auto start = [state](auto handler) {
    // Shared because std::function must be copyable; it has one user.
    auto resume = std::make_shared<decltype(handler)>(std::move(handler));
    state->resume = [resume](std::exception_ptr error) { std::move (*resume)(std::move(error)); };
  };
  co_await asio::async_initiate<const asio::use_awaitable_t<>, void(std::exception_ptr)>(std::move(start),
                                                                                         asio::use_awaitable);
}

int DiskThreads::default_workers() {
  constexpr int kLeast = 4;
  return std::max(kLeast, static_cast<int>(std::thread::hardware_concurrency()));
}

DiskThreads::DiskThreads(int workers) : workers_(static_cast<std::size_t>(workers)), waiters_(kWaiters) {}

// Joins both before either is destroyed: a work on one may start a work on the other.
DiskThreads::~DiskThreads() {
  workers_.join();
  waiters_.join();
}

DiskThreads::Pending DiskThreads::start(asio::any_io_executor executor, Work work) {
  return started(workers_, std::move(executor), std::move(work));
}

DiskThreads::Pending DiskThreads::start_wait(asio::any_io_executor executor, Work work) {
  return started(waiters_, std::move(executor), std::move(work));
}

DiskThreads::Pending DiskThreads::started(asio::thread_pool& threads, asio::any_io_executor executor, Work work) {
  Pending pending;
  pending.state_ = std::make_shared<Pending::State>();
  asio::post(threads, [state = pending.state_, executor = std::move(executor), work = std::move(work)]() mutable {
    std::exception_ptr error = run_caught(work);
    work = nullptr;  // destroys its captures here, not on the coroutine's thread
    asio::post(executor,
               [state = std::move(state), error = std::move(error)]() mutable { state->end(std::move(error)); });
  });
  return pending;
}

asio::awaitable<void> DiskThreads::run(Work work) {
  auto executor = co_await asio::this_coro::executor;
  Pending pending = start_wait(executor, std::move(work));
  co_await pending.wait();
}

asio::awaitable<void> DiskThreads::compute(Work work) {
  auto executor = co_await asio::this_coro::executor;
  Pending pending = start(executor, std::move(work));
  co_await pending.wait();
}

void DiskThreads::post(Work work) {
  asio::post(waiters_, [work = std::move(work)] {
    try {
      work();
    } catch (const std::exception& error) {
      base::log_error("work on the disk failed", {{"error", error.what()}});
    }
  });
}

}  // namespace objects
