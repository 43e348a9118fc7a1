// SPDX-License-Identifier: Apache-2.0
#include "api/transaction.h"

#include <boost/asio/async_result.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>

#include "store/account_work.h"

namespace api {
namespace asio = boost::asio;
namespace {

constexpr char kAnonymous[] = "anonymous";

struct Start {
  store::Store& store;
  services::Access access;
  store::Store::Work work;
  asio::any_io_executor executor;

  template <class Handler>
  void operator()(Handler handler) {
    // Shared, because std::function must be copyable; it has one user at a time.
    auto resume = std::make_shared<Handler>(std::move(handler));
    auto done = [resume, executor = executor](std::exception_ptr error) {
      asio::post(executor, [resume, error = std::move(error)]() mutable { std::move (*resume)(std::move(error)); });
    };
    if (access == services::Access::Write) {
      store.write(std::move(work), std::move(done));
    } else {
      store.read(std::move(work), std::move(done));
    }
  }
};

}  // namespace

// The server's own works have a caller without an address.
store::Store::Work for_caller(const services::Caller& caller, store::Store::Work work) {
  if (caller.account.empty() && caller.address.empty()) return work;
  return store::AccountWork{caller.account.empty() ? kAnonymous : caller.account, std::move(work)};
}

asio::awaitable<void> transact(store::Store& store, services::Access access, store::Store::Work work) {
  auto executor = co_await asio::this_coro::executor;
  Start start{store, access, std::move(work), executor};
  co_await asio::async_initiate<const asio::use_awaitable_t<>, void(std::exception_ptr)>(std::move(start),
                                                                                         asio::use_awaitable);
}

}  // namespace api
