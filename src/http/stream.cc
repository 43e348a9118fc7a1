// SPDX-License-Identifier: Apache-2.0
#include "http/stream.h"

#include <poll.h>
#include <sys/sendfile.h>
#include <sys/socket.h>

#include <algorithm>
#include <boost/asio/redirect_error.hpp>
#include <boost/asio/ssl/host_name_verification.hpp>
#include <boost/asio/ssl/stream.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/asio/write.hpp>
#include <cerrno>
#include <stdexcept>

namespace http {
namespace {

namespace asio = boost::asio;

// Bytes to read from a file and encrypt at a time.
constexpr std::size_t kTlsFileBytes = 256 * 1024;

[[noreturn]] void throw_shorter(const base::File& file) {
  throw std::runtime_error(file.path() + " is shorter than expected");
}

class PlainStream final : public Stream {
 public:
  explicit PlainStream(Socket socket) : socket_(std::move(socket)) {
    error_code ignored;
    socket_.non_blocking(true, ignored);
  }

  asio::awaitable<void> handshake(error_code& error) override {
    error = {};
    co_return;
  }
  asio::awaitable<std::size_t> read_some(asio::mutable_buffer into, error_code& error) override {
    return socket_.async_read_some(into, asio::redirect_error(asio::use_awaitable, error));
  }
  std::size_t try_write(const Pieces& pieces, bool more) override {
    error_code error;
    return socket_.send(pieces, more ? MSG_MORE : 0, error);  // write() returns the error again
  }
  asio::awaitable<std::size_t> write(asio::const_buffer bytes, error_code& error) override {
    return asio::async_write(socket_, bytes, asio::redirect_error(asio::use_awaitable, error));
  }
  // The kernel copies the bytes: they never reach this process.
  asio::awaitable<void> send_file(const base::File& file, std::uint64_t offset, std::size_t size,
                                  error_code& error) override {
    error = {};
    auto at = static_cast<off_t>(offset);
    const off_t end = at + static_cast<off_t>(size);
    while (at < end && !error) {
      const ssize_t sent =
          ::sendfile(socket_.native_handle(), file.descriptor(), &at, static_cast<std::size_t>(end - at));
      const int why = errno;
      if (sent > 0 || (sent < 0 && why == EINTR)) continue;
      if (sent == 0) throw_shorter(file);
      if (why == EAGAIN) {
        co_await socket_.async_wait(Socket::wait_write, asio::redirect_error(asio::use_awaitable, error));
      } else {
        error.assign(why, boost::system::system_category());
      }
    }
  }
  bool more_is_there() override {
    error_code ignored;
    return socket_.available(ignored) > 0;
  }
  asio::awaitable<void> shut_down(error_code& error) override {
    socket_.shutdown(Socket::shutdown_send, error);
    co_return;
  }
  Socket& socket() override { return socket_; }

 private:
  Socket socket_;
};

class TlsStream final : public Stream {
 public:
  using Layer = asio::ssl::stream<Socket>;

  TlsStream(Socket socket, asio::ssl::context& context, asio::ssl::stream_base::handshake_type role)
      : layer_(std::move(socket), context), role_(role) {}
  Layer& layer() { return layer_; }

  asio::awaitable<void> handshake(error_code& error) override {
    return layer_.async_handshake(role_, asio::redirect_error(asio::use_awaitable, error));
  }
  asio::awaitable<std::size_t> read_some(asio::mutable_buffer into, error_code& error) override {
    return layer_.async_read_some(into, asio::redirect_error(asio::use_awaitable, error));
  }
  std::size_t try_write(const Pieces&, bool) override { return 0; }
  asio::awaitable<std::size_t> write(asio::const_buffer bytes, error_code& error) override {
    return asio::async_write(layer_, bytes, asio::redirect_error(asio::use_awaitable, error));
  }
  asio::awaitable<void> send_file(const base::File& file, std::uint64_t offset, std::size_t size,
                                  error_code& error) override {
    error = {};
    std::string piece(std::min(size, kTlsFileBytes), '\0');
    while (size > 0 && !error) {
      const std::size_t step = std::min(size, piece.size());
      if (file.pread(piece.data(), step, offset) < step) throw_shorter(file);
      offset += step;
      size -= step;
      const asio::const_buffer bytes(piece.data(), step);
      co_await asio::async_write(layer_, bytes, asio::redirect_error(asio::use_awaitable, error));
    }
  }
  bool more_is_there() override {
    error_code ignored;
    SSL* ssl = layer_.native_handle();
    return SSL_has_pending(ssl) || BIO_ctrl_pending(SSL_get_rbio(ssl)) > 0 || socket().available(ignored) > 0;
  }
  asio::awaitable<void> shut_down(error_code& error) override {
    return layer_.async_shutdown(asio::redirect_error(asio::use_awaitable, error));
  }
  Socket& socket() override { return layer_.next_layer(); }

 private:
  Layer layer_;
  asio::ssl::stream_base::handshake_type role_;
};

}  // namespace

void Stream::cancel() {
  error_code ignored;
  socket().cancel(ignored);
}

bool Stream::peer_gone() {
  // Not a peek for bytes: a TLS client sends close_notify before it closes.
  pollfd poll_entry{socket().native_handle(), POLLRDHUP, 0};
  return ::poll(&poll_entry, 1, 0) > 0 && (poll_entry.revents & (POLLRDHUP | POLLHUP | POLLERR | POLLNVAL)) != 0;
}

std::unique_ptr<Stream> plain_stream(Socket socket) { return std::make_unique<PlainStream>(std::move(socket)); }

std::unique_ptr<Stream> tls_server_stream(Socket socket, asio::ssl::context& context) {
  return std::make_unique<TlsStream>(std::move(socket), context, asio::ssl::stream_base::server);
}

std::unique_ptr<Stream> tls_client_stream(Socket socket, asio::ssl::context& context, const std::string& host) {
  auto stream = std::make_unique<TlsStream>(std::move(socket), context, asio::ssl::stream_base::client);
  stream->layer().set_verify_callback(asio::ssl::host_name_verification(host));
  SSL_set_tlsext_host_name(stream->layer().native_handle(), host.c_str());
  return stream;
}

}  // namespace http
