// SPDX-License-Identifier: Apache-2.0
// stoker key create|import|list|delete
#include <istream>
#include <ostream>

#include "cli/commands.h"
#include "cli/json.h"
#include "cli/profile.h"
#include "cli/table.h"
#include "shapes/stoker/key.h"
#include "shapes/stoker/names.h"
#include "wire/timestamp.h"

namespace cli {
namespace {

using namespace shapes::stoker;

const client::Target kKeyTarget{kService, "stoker", wire::Protocol::Json11};

constexpr std::string_view kSpace = " \t\r";
constexpr std::string_view kSeparators = " \t\r,:=";

// The next field: up to a space or a comma, because secrets may contain all else. Removes it from `rest`.
std::string take_field(std::string_view& rest, std::string_view ends) {
  const std::size_t end = std::min(rest.find_first_of(ends), rest.size());
  std::string field(rest.substr(0, end));
  rest.remove_prefix(std::min(rest.find_first_not_of(ends, end), rest.size()));
  return field;
}

// "ID SECRET" or "ID SECRET ACCOUNT"; behind the id there may also be a comma, a colon or an equals sign, behind the
// secret a comma. A # begins a comment at the start of a line or behind a space.
std::optional<KeyPair> parse_key_line(std::string_view line) {
  line.remove_prefix(std::min(line.find_first_not_of(kSpace), line.size()));
  if (line.empty() || line.front() == '#') return std::nullopt;
  line = line.substr(0, std::min(line.find(" #"), line.find("\t#")));
  line = line.substr(0, line.find_last_not_of(kSpace) + 1);
  KeyPair pair{take_field(line, kSeparators), take_field(line, " \t,"), std::nullopt};
  if (!line.empty()) pair.account = std::string(line);
  return pair;
}

}  // namespace

int key_create(const Options& options, const std::optional<std::string>& account, std::ostream& out) {
  client::Client client(read_profile(options.data, options.region));
  auto response = client.call<CreateKeyResponse>(kKeyTarget, "CreateKey", CreateKeyRequest{account});
  if (options.json) {
    print_json(out, response);
  } else {
    out << "account " << response.key.account << "\naws_access_key_id = " << response.key.id
        << "\naws_secret_access_key = " << response.key.secret.value_or("") << '\n';
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
  client::Client client(read_profile(options.data, options.region));
  auto response = client.call<ImportKeysResponse>(kKeyTarget, "ImportKeys", request);
  if (options.json) {
    print_json(out, response);
  } else {
    for (const Key& key : response.keys) out << "imported " << key.id << " into account " << key.account << '\n';
  }
  return 0;
}

int key_list(const Options& options, std::ostream& out) {
  client::Client client(read_profile(options.data, options.region));
  auto response = client.call<ListKeysResponse>(kKeyTarget, "ListKeys", ListKeysRequest{});
  if (options.json) {
    print_json(out, response);
    return 0;
  }
  std::vector<std::vector<std::string>> rows = {{"ACCESS KEY", "ACCOUNT", "CREATED", ""}};
  for (const Key& key : response.keys) {
    rows.push_back({key.id, key.account, wire::to_iso8601(key.createdAt), key.root ? "root" : ""});
  }
  print_table(out, rows);
  return 0;
}

int key_delete(const Options& options, const std::string& id, std::ostream& out) {
  client::Client client(read_profile(options.data, options.region));
  client.call(kKeyTarget, "DeleteKey", DeleteKeyRequest{id});
  if (!options.json) out << "deleted " << id << '\n';
  return 0;
}

}  // namespace cli
