// SPDX-License-Identifier: Apache-2.0
#include "cli/token.h"

#include <unistd.h>

#include <algorithm>
#include <ostream>

#include "base/bytes.h"
#include "cli/commands.h"
#include "cli/json.h"
#include "cli/profile.h"
#include "client/client.h"
#include "shapes/stoker/key.h"
#include "shapes/stoker/names.h"

namespace cli {
namespace {

constexpr std::string_view kTokenPrefix = "stk1.";

struct PrintedToken {
  std::string token, accessKeyId, command;
};
BOOST_DESCRIBE_STRUCT(PrintedToken, (), (token, accessKeyId, command))

// Replaces a loopback host, which other machines cannot reach, by this machine's name.
std::string reachable_url(const std::string& endpoint) {
  const std::size_t host = endpoint.find("://") + 3;
  const std::size_t end = endpoint.rfind(':');
  const std::string name = endpoint.substr(host, end - host);
  if (name != "127.0.0.1" && name != "localhost" && name != "[::1]") return endpoint;
  char own[256] = {};
  if (::gethostname(own, sizeof own - 1) != 0 || own[0] == '\0') return endpoint;
  return endpoint.substr(0, host) + own + endpoint.substr(end);
}

}  // namespace

std::string encode_token(const signing::Credentials& credentials) {
  std::string text = base::to_base64(credentials.access_key + ":" + credentials.secret_key);
  text.resize(std::min(text.find('='), text.size()));
  std::ranges::replace(text, '+', '-');
  std::ranges::replace(text, '/', '_');
  return std::string(kTokenPrefix) + text;
}

base::Result<signing::Credentials> decode_token(std::string_view token) {
  const base::Error invalid{"invalid join token: create one with `stoker token` on the server's machine (stk1....)"};
  if (!token.starts_with(kTokenPrefix)) return invalid;
  std::string text(token.substr(kTokenPrefix.size()));
  if (text.find_first_of("+/=") != text.npos) return invalid;
  std::ranges::replace(text, '-', '+');
  std::ranges::replace(text, '_', '/');
  text.append((4 - text.size() % 4) % 4, '=');
  const auto pair = base::from_base64(text);
  const std::size_t colon = pair ? pair->find(':') : std::string::npos;
  if (colon == std::string::npos || colon == 0 || colon + 1 == pair->size()) return invalid;
  return signing::Credentials{pair->substr(0, colon), pair->substr(colon + 1)};
}

int token(const Options& options, std::ostream& out) {
  using namespace shapes::stoker;
  const client::Profile profile = read_profile(options.data, options.region);
  client::Client client(profile);
  const client::Target target{kService, "stoker", wire::Protocol::Json11};
  const Key key = client.call<CreateKeyResponse>(target, "CreateKey", CreateKeyRequest{}).key;
  const std::string token = encode_token({key.id, key.secret.value_or("")});
  const std::string url = reachable_url(profile.endpoint);
  std::string command = "stoker agent --join " + url + " --token " + token;
  if (options.cluster != "default") command += " --cluster " + options.cluster;
  if (options.region != "us-east-1") command += " --region " + options.region;
  if (options.json) {
    print_json(out, PrintedToken{token, key.id, command});
    return 0;
  }
  out << token << "\n\nOn the machine that joins:\n  " << command << '\n';
  if (url != profile.endpoint) {
    out << "\nThe server was started on " << profile.endpoint << ": if that machine cannot reach it, restart it with\n"
        << "`--listen :PORT`. To revoke the token: stoker key delete " << key.id << '\n';
  } else {
    out << "\nTo revoke the token: stoker key delete " << key.id << '\n';
  }
  return 0;
}

}  // namespace cli
