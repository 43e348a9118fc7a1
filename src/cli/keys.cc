// SPDX-License-Identifier: Apache-2.0
// stoker key create|import|list|delete
#include <istream>
#include <ostream>

#include "cli/commands.h"
#include "cli/json.h"
#include "cli/profile.h"
#include "cli/table.h"
#include "shapes/stoker/join_token.h"
#include "shapes/stoker/names.h"
#include "wire/timestamp.h"

namespace cli {
namespace {

using namespace shapes::stoker;

const client::Target kKeyTarget{kService, "stoker", wire::Protocol::Json11};

constexpr std::string_view kSpace = " \t\r";

void skip_space(std::string_view& rest) {
  rest.remove_prefix(std::min(rest.find_first_not_of(kSpace), rest.size()));
}

// The next field, and what separates it from the one behind it: spaces and at most one of `separators`, because a field may
// begin with another. Removes both from `rest`.
std::string take_field(std::string_view& rest, std::string_view separators) {
  const std::string ends = std::string(kSpace) + std::string(separators);
  const std::size_t end = std::min(rest.find_first_of(ends, 1), rest.size());
  std::string field(rest.substr(0, end));
  rest.remove_prefix(end);
  skip_space(rest);
  if (!rest.empty() && separators.find(rest.front()) != separators.npos) rest.remove_prefix(1);
  skip_space(rest);
  return field;
}

// "ID SECRET" or "ID SECRET ACCOUNT"; behind the id there may also be a comma, a colon or an equals sign, behind the
// secret a comma. A # begins a comment at the start of a line, and behind the secret and a space.
std::optional<KeyPair> parse_key_line(std::string_view line) {
  skip_space(line);
  if (line.empty() || line.front() == '#') return std::nullopt;
  KeyPair pair{take_field(line, ",:="), take_field(line, ","), std::nullopt};
  if (pair.secret == "#") pair.secret.clear();
  if (line.starts_with('#')) return pair;
  line = line.substr(0, std::min(line.find(" #"), line.find("\t#")));
  line = line.substr(0, line.find_last_not_of(kSpace) + 1);
  if (!line.empty()) pair.account = std::string(line);
  return pair;
}

std::string kind_of(const Key& key) {
  if (key.root) return "root";
  if (!key.machine) return "account";
  return key.machine->empty() ? "machine, unregistered" : "machine " + *key.machine;
}

}  // namespace

int key_create(const Options& options, const std::optional<std::string>& account, std::ostream& out) {
  client::Client client(read_profile(options));
  auto response = client.call<CreateKeyResponse>(kKeyTarget, "CreateKey", CreateKeyRequest{account});
  if (options.json) {
    print_json(out, response);
  } else {
    out << "account " << response.key.account << "\naws_access_key_id = " << response.key.id
        << "\naws_secret_access_key = " << response.key.secret.value_or("") << '\n';
  }
  return 0;
}

int key_create_for_agent(const Options& options, const std::optional<std::string>& account,
                         const std::optional<std::string>& cluster, std::ostream& out) {
  client::Client client(read_profile(options));
  const CreateMachineKeyRequest request{account, cluster};
  auto response = client.call<CreateMachineKeyResponse>(kKeyTarget, "CreateMachineKey", request);
  if (options.json) {
    print_json(out, response);
  } else {
    out << "AWS_ACCESS_KEY_ID=" << response.key.id << "\nAWS_SECRET_ACCESS_KEY=" << response.key.secret.value_or("")
        << '\n';
  }
  return 0;
}

int key_import(const Options& options, const std::optional<std::string>& account, std::istream& in, std::ostream& out) {
  ImportKeysRequest request{.account = account};
  int number = 0;
  for (std::string line; std::getline(in, line);) {
    ++number;
    auto pair = parse_key_line(line);
    if (!pair) continue;
    if (pair->secret.empty()) {
      throw std::runtime_error("line " + std::to_string(number) + " is not `ID SECRET` or `ID SECRET ACCOUNT`; nothing was imported");
    }
    request.keys.push_back(std::move(*pair));
  }
  if (request.keys.empty()) throw std::runtime_error("no keys on standard input: expected lines of `ID SECRET` or `ID SECRET ACCOUNT`");
  client::Client client(read_profile(options));
  auto response = client.call<ImportKeysResponse>(kKeyTarget, "ImportKeys", request);
  if (options.json) {
    print_json(out, response);
  } else {
    for (const Key& key : response.keys) out << "imported " << key.id << " into account " << key.account << '\n';
  }
  return 0;
}

int key_list(const Options& options, std::ostream& out) {
  client::Client client(read_profile(options));
  auto response = client.call<ListKeysResponse>(kKeyTarget, "ListKeys", ListKeysRequest{});
  if (options.json) {
    print_json(out, response);
    return 0;
  }
  std::vector<std::vector<std::string>> rows = {{"ACCESS KEY", "ACCOUNT", "CREATED", "KIND"}};
  for (const Key& key : response.keys) {
    // Whole seconds: ids must not be cut at 80 columns.
    const base::Time created = std::chrono::floor<std::chrono::seconds>(key.createdAt);
    rows.push_back({key.id, key.account, wire::to_iso8601(created), kind_of(key)});
  }
  print_table(out, rows);
  return 0;
}

int key_delete(const Options& options, const std::string& id, std::ostream& out) {
  client::Client client(read_profile(options));
  client.call(kKeyTarget, "DeleteKey", DeleteKeyRequest{id});
  if (options.json) {
    print_json(out, PrintedId{id});
  } else {
    out << "deleted " << id << '\n';
  }
  return 0;
}

}  // namespace cli
