// SPDX-License-Identifier: Apache-2.0
#include "http/byte_stream.h"

#include <algorithm>
#include <boost/asio/this_coro.hpp>

#include "http/link.h"
#include "http/writer.h"

namespace http {

namespace asio = boost::asio;

struct ByteStream::State {
  Endpoint endpoint;
  LinkPtr link;
  std::string early;  // bytes that came with the head of the response
  bool closed = false;
};

ByteStream::ByteStream(std::unique_ptr<State> state) : state_(std::move(state)) {}
ByteStream::~ByteStream() { close(); }

asio::awaitable<base::Result<std::string>> ByteStream::read(std::size_t most) {
  State& state = *state_;
  std::string bytes = state.early.substr(0, most);
  state.early.erase(0, bytes.size());
  if (!bytes.empty()) co_return bytes;
  if (state.closed) co_return base::Error{"the stream is closed"};
  bytes.resize(most);
  error_code error;
  const asio::mutable_buffer room = asio::buffer(bytes);
  const std::size_t got = co_await state.link->stream->read_some(room, error);
  if (error == asio::error::eof) co_return std::string();
  if (error) co_return failure(state.link, state.endpoint, error);
  bytes.resize(got);
  co_return bytes;
}

asio::awaitable<base::Result<bool>> ByteStream::write(std::string bytes) {
  State& state = *state_;
  if (state.closed) co_return base::Error{"the stream is closed"};
  error_code error;
  const asio::const_buffer all = asio::buffer(bytes);
  co_await state.link->stream->write(all, error);
  if (error) co_return failure(state.link, state.endpoint, error);
  co_return true;
}

void ByteStream::end_output() {
  error_code ignored;
  if (!state_->closed) state_->link->stream->socket().shutdown(Socket::shutdown_send, ignored);
}

void ByteStream::close() {
  if (std::exchange(state_->closed, true)) return;
  error_code ignored;
  state_->link->stream->socket().close(ignored);
}

asio::awaitable<base::Result<ByteStreamReply>> open_byte_stream(Endpoint endpoint, Request request,
                                                                base::Duration deadline) {
  base::Result<TlsContext> tls = client_tls(endpoint);
  if (!tls) co_return base::Error{tls.error()};
  base::Result<Request> prepared = prepare(std::move(request), endpoint);
  if (!prepared) co_return base::Error{prepared.error()};
  asio::any_io_executor executor = co_await asio::this_coro::executor;
  LinkPtr link = std::make_shared<Link>(executor);
  arm(link, end_of(deadline));
  error_code error;
  co_await connect(link, endpoint, *tls, error);
  if (error) co_return failure(link, endpoint, error);

  prepared->head.headers.set("Upgrade", "tcp");
  std::string out;
  write_head(prepared->head, prepared->body.size(), out);
  // write_head() omits Connection, so insert it before the empty line.
  out.insert(out.size() - 2, "Connection: Upgrade\r\n");
  out += prepared->body;
  base::Result<Response> response = co_await ask_for_upgrade(link, endpoint, std::move(out));
  if (!response) co_return base::Error{response.error()};
  disarm(link);
  ByteStreamReply reply;
  if (response->status != 101) {
    reply.rejection = std::move(*response);
    co_return reply;
  }
  auto state = std::make_unique<ByteStream::State>();
  state->endpoint = std::move(endpoint);
  state->early = std::string(link->buffered());
  state->link = std::move(link);
  reply.stream = std::make_unique<ByteStream>(std::move(state));
  co_return reply;
}

}  // namespace http
