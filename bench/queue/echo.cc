// SPDX-License-Identifier: Apache-2.0
#include "echo.h"

#include <pthread.h>
#include <signal.h>

#include <cstdio>
#include <thread>

#include "http/server.h"

namespace bench {
namespace {

constexpr std::size_t kMaxBody = 1 << 20;

boost::asio::awaitable<http::Response> echo(http::Exchange& exchange) {
  http::Response response;
  response.body = co_await exchange.read_body(kMaxBody);
  response.headers.add("Content-Type", "application/x-amz-json-1.0");
  co_return response;
}

}  // namespace

int run_echo_server() {
  sigset_t stop;
  sigemptyset(&stop);
  sigaddset(&stop, SIGTERM);
  pthread_sigmask(SIG_BLOCK, &stop, nullptr);
  // The number of threads of `stoker up`.
  http::IoThreads io(static_cast<int>(std::max(std::thread::hardware_concurrency(), 1u)));
  http::Server server(io, &echo);
  server.listen_tcp("127.0.0.1", 0);
  std::printf("echo is ready at http://127.0.0.1:%d, and keeps nothing\n", server.port());
  std::fflush(stdout);
  int number = 0;
  sigwait(&stop, &number);
  server.drain();
  return 0;
}

}  // namespace bench
