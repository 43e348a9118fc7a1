// SPDX-License-Identifier: Apache-2.0
#include "agent/machine_key.h"

#include <algorithm>
#include <stdexcept>

#include "agent/durable_file.h"
#include "base/bytes.h"
#include "base/hash.h"
#include "base/log.h"
#include "base/random.h"
#include "client/request.h"
#include "http/client.h"
#include "shapes/stoker/join_token.h"
#include "wire/error.h"
#include "wire/json.h"
#include "wire/type_of.h"

namespace agent {
namespace {

using shapes::stoker::JoinRequest;
using shapes::stoker::JoinResponse;

constexpr std::string_view kTokenPrefix = "stk1.", kKeyPrefix = "stkkey1.";
constexpr char kHowToJoin[] = "create a join token with `stoker token` on the server's machine, and pass it in a file "
                              "(--token-file) or in the environment (STOKER_TOKEN)";
constexpr base::Duration kJoinDeadline = std::chrono::seconds(30);
constexpr base::Duration kFirstJoinPause = std::chrono::seconds(1), kLongestJoinPause = std::chrono::seconds(10);

struct ErrorBody {
  std::optional<std::string> message;
};
BOOST_DESCRIBE_STRUCT(ErrorBody, (), (message))

template <class T>
std::string to_json_text(const T& value) {
  std::string text;
  wire::write_json(wire::type_of<T>(), &value, text);
  return text;
}

// Throws wire::ApiError.
template <class T>
T from_json_text(const std::string& text) {
  T value;
  wire::read_json(wire::type_of<T>(), text, &value);
  return value;
}

signing::Credentials parse_key_word(std::string_view word) {
  const std::size_t dot = word.find('.', kKeyPrefix.size());
  if (dot == word.npos || dot == kKeyPrefix.size() || dot + 1 == word.size()) throw std::runtime_error("invalid machine key");
  return {std::string(word.substr(kKeyPrefix.size(), dot - kKeyPrefix.size())), std::string(word.substr(dot + 1)), ""};
}

std::string error_text(const http::Response& response) {
  try {
    return from_json_text<ErrorBody>(response.body).message.value_or("");
  } catch (const wire::ApiError&) {
    return "";
  }
}

// One attempt. The error is for a retry; throws where the server rejects the token.
base::Result<JoinResponse> exchange_token(http::Client& client, const JoinRequest& join) {
  http::Request request;
  request.head.method = "POST";
  request.head.target = "/stoker/join";
  request.head.headers.set("Content-Type", "application/json");
  request.body = to_json_text(join);
  const base::Result<http::Response> response = client.send_now(std::move(request), kJoinDeadline);
  if (!response) return base::Error{response.error()};
  if (response->status >= 500) return base::Error{"status " + std::to_string(response->status)};
  if (response->status != 200) {
    const std::string reason = error_text(*response);
    throw std::runtime_error("the server rejected the join token: " +
                             (reason.empty() ? "status " + std::to_string(response->status) : reason));
  }
  try {
    JoinResponse key = from_json_text<JoinResponse>(response->body);
    if (!key.accessKeyId.empty() && !key.secretAccessKey.empty()) return key;
  } catch (const wire::ApiError&) {
    // not a server of ours
  }
  return base::Error{"the response has no key"};
}

// A machine that was removed sends the same secret again, and is rejected.
void prepare_exchange(const JoinOptions& options, MachineKeyFile& file) {
  const std::string hash = base::to_hex(base::sha256(options.token));
  if (file.tokenHash == hash && !file.machine.empty()) return;
  file = {};
  file.tokenHash = hash;
  file.machine = base::to_hex(base::random_bytes(32));
  write_machine_key(options.data, file);
}

std::optional<JoinResponse> exchange_until_answered(const JoinOptions& options, const MachineKeyFile& file,
                                                    const Pause& pause) {
  http::IoThreads io{1};
  client::Profile profile;
  profile.endpoint = options.server;
  profile.ca_file = options.ca_file;
  http::Client client(io, client::endpoint_of(profile));
  const JoinRequest request{options.token, file.machine};
  for (base::Duration wait = kFirstJoinPause;; wait = std::min(wait * 2, kLongestJoinPause)) {
    base::Result<JoinResponse> key = exchange_token(client, request);
    if (key) return std::move(*key);
    base::log_warn("join failed, retrying", {{"server", options.server}, {"error", key.error()}});
    if (!pause(wait)) return std::nullopt;
  }
}

}  // namespace

std::string machine_key_path(const std::string& data) { return data + "/machine_key.json"; }

MachineKeyFile read_machine_key(const std::string& data) {
  const std::optional<std::string> text = read_file(machine_key_path(data));
  if (!text) return {};
  try {
    return from_json_text<MachineKeyFile>(*text);
  } catch (const wire::ApiError&) {
    throw std::runtime_error("damaged file " + machine_key_path(data) + ": remove it to join again with a new token");
  }
}

void write_machine_key(const std::string& data, const MachineKeyFile& file) {
  write_durably(machine_key_path(data), to_json_text(file));
}

void forget_machine_key(const std::string& data) {
  MachineKeyFile file = read_machine_key(data);
  if (file.accessKeyId.empty()) return;
  file.accessKeyId.clear();
  file.secretAccessKey.clear();
  write_machine_key(data, file);
}

std::optional<signing::Credentials> known_credentials(const JoinOptions& options) {
  if (options.token.starts_with(kKeyPrefix)) return parse_key_word(options.token);
  const MachineKeyFile file = read_machine_key(options.data);
  if (file.accessKeyId.empty()) return std::nullopt;
  return signing::Credentials{file.accessKeyId, file.secretAccessKey, ""};
}

std::optional<signing::Credentials> machine_credentials(const JoinOptions& options, const Pause& pause) {
  create_folder(options.data);
  const FolderLock lock(options.data);
  if (auto known = known_credentials(options)) return known;
  if (options.token.empty()) throw std::runtime_error("this machine has no key: " + std::string(kHowToJoin));
  if (!options.token.starts_with(kTokenPrefix)) throw std::runtime_error("invalid join token: " + std::string(kHowToJoin));
  MachineKeyFile file = read_machine_key(options.data);
  prepare_exchange(options, file);
  std::optional<JoinResponse> key = exchange_until_answered(options, file, pause);
  if (!key) return std::nullopt;
  file.accessKeyId = std::move(key->accessKeyId);
  file.secretAccessKey = std::move(key->secretAccessKey);
  write_machine_key(options.data, file);
  return signing::Credentials{file.accessKeyId, file.secretAccessKey, ""};
}

}  // namespace agent
