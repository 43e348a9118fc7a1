// SPDX-License-Identifier: Apache-2.0
// stoker token, stoker token list|revoke
#include <unistd.h>

#include <ostream>

#include "base/words.h"
#include "cli/commands.h"
#include "cli/json.h"
#include "cli/profile.h"
#include "cli/table.h"
#include "client/client.h"
#include "shapes/stoker/join_token.h"
#include "shapes/stoker/names.h"
#include "wire/timestamp.h"

namespace cli {
namespace {

using namespace shapes::stoker;

const client::Target kTokenTarget{kService, "stoker", wire::Protocol::Json11};

struct PrintedToken {
  std::string token, id;
  base::Time expiresAt;
  std::int32_t uses = 1;
  std::string command;
};
BOOST_DESCRIBE_STRUCT(PrintedToken, (), (token, id, expiresAt, uses, command))

// The token is in the environment, because command lines are visible to all users of a machine. The file with the server's
// certificate must be on the machine that joins as well.
std::string join_command(const Options& options, const TokenArguments& arguments, const std::string& token,
                         const client::Profile& server) {
  std::string command = "STOKER_TOKEN=" + token + " stoker agent --join " + base::shell_word(reachable_url(server.endpoint));
  if (!server.ca_file.empty()) command += " --ca " + base::shell_word(server.ca_file);
  if (arguments.cluster.value_or("default") != "default") command += " --cluster " + base::shell_word(*arguments.cluster);
  if (options.region != "us-east-1") command += " --region " + base::shell_word(options.region);
  return command;
}

}  // namespace

std::string reachable_url(const std::string& endpoint) {
  const std::size_t host = endpoint.find("://") + 3;
  const std::size_t bracket = endpoint.find(']', host);  // of an IPv6 address, which has colons
  const std::size_t end = std::min(endpoint.find_first_of(":/", bracket == endpoint.npos ? host : bracket), endpoint.size());
  const std::string name = endpoint.substr(host, end - host);
  if (name != "127.0.0.1" && name != "localhost" && name != "[::1]") return endpoint;
  char own[256] = {};
  if (::gethostname(own, sizeof own - 1) != 0 || own[0] == '\0') return endpoint;
  return endpoint.substr(0, host) + own + endpoint.substr(end);
}

int token_create(const Options& options, const TokenArguments& arguments, std::ostream& out) {
  const client::Profile profile = read_profile(options);
  CreateJoinTokenRequest request;
  request.account = arguments.account;
  request.cluster = arguments.cluster;
  request.uses = arguments.uses;
  request.ttlSeconds = static_cast<std::int32_t>(std::chrono::duration_cast<std::chrono::seconds>(arguments.ttl).count());
  client::Client client(profile);
  const JoinToken made = client.call<CreateJoinTokenResponse>(kTokenTarget, "CreateJoinToken", request).joinToken;
  const std::string token = made.token.value_or("");
  const std::string url = reachable_url(profile.endpoint);
  const std::string command = join_command(options, arguments, token, profile);
  if (options.json) {
    print_json(out, PrintedToken{token, made.id, made.expiresAt, made.uses, command});
    return 0;
  }
  out << token << "\n\nOn the machine that joins, until " << wire::to_iso8601(made.expiresAt) << ":\n  " << command
      << "\n\nThe token is for " << made.uses << (made.uses == 1 ? " machine" : " machines")
      << ". To revoke it: stoker token revoke " << made.id << '\n';
  if (url != profile.endpoint) {
    out << "The server was started on " << profile.endpoint << ": if that machine cannot reach it, restart it with\n"
        << "`--listen :PORT`.\n";
  }
  return 0;
}

int token_list(const Options& options, std::ostream& out) {
  client::Client client(read_profile(options));
  ListJoinTokensResponse all;
  ListJoinTokensRequest request;
  do {
    auto page = client.call<ListJoinTokensResponse>(kTokenTarget, "ListJoinTokens", request);
    for (JoinToken& token : page.joinTokens) all.joinTokens.push_back(std::move(token));
    request.nextToken = page.nextToken;
  } while (request.nextToken);
  if (options.json) {
    print_json(out, all);
    return 0;
  }
  if (all.joinTokens.empty()) {
    out << "no join tokens: `stoker token` creates one\n";
    return 0;
  }
  std::vector<std::vector<std::string>> rows = {{"TOKEN", "STATUS", "USED", "EXPIRES", "CLUSTER"}};
  for (const JoinToken& token : all.joinTokens) {
    rows.push_back({token.id, token.status, std::to_string(token.used) + "/" + std::to_string(token.uses),
                    wire::to_iso8601(token.expiresAt), token.cluster.value_or("any")});
  }
  print_table(out, rows);
  return 0;
}

int token_revoke(const Options& options, const std::string& id, std::ostream& out) {
  client::Client client(read_profile(options));
  client.call(kTokenTarget, "RevokeJoinToken", RevokeJoinTokenRequest{id});
  if (options.json) {
    print_json(out, PrintedId{id});
  } else {
    out << "revoked " << id << "; machines that joined with it stay (see `stoker nodes remove`)\n";
  }
  return 0;
}

}  // namespace cli
