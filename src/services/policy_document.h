// SPDX-License-Identifier: Apache-2.0
// A resource policy parsed into structs. They also keep what is missing, unknown or malformed, for those who
// report it.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace services::policy {

// The condition keys of a request and their values.
using Context = std::map<std::string, std::string>;

// Principal or NotPrincipal.
struct Principals {
  bool given = false, negated = false;
  bool everybody = false;                         // "*", or "AWS": "*"
  std::vector<std::string> accounts;              // of "AWS", as written
  std::vector<std::string> canonical_users, services;
  std::vector<std::string> other_kinds;           // "Federated", and malformed ones
};

// Action or NotAction, Resource or NotResource.
struct Patterns {
  bool given = false, negated = false;
  std::vector<std::string> values;
};

// One key of one operator: it holds for any of the values.
struct Condition {
  std::string name;                 // of the operator as written, "ForAnyValue:StringLike"
  std::string key;                  // "aws:SourceIp"
  std::vector<std::string> values;
  bool readable = true;             // false: malformed
};

struct Statement {
  std::string effect;                 // "Allow", "Deny"; "" where absent
  Principals principals;
  Patterns actions, resources;
  std::vector<Condition> conditions;
  std::vector<std::string> unknown;   // unknown members
  std::vector<std::string> again;     // those that contradict another: Action beside NotAction
};

struct Document {
  std::string version;
  bool has_statements = false;        // Statement is an object or a list of objects
  std::vector<Statement> statements;
  std::vector<std::string> unknown;
};

// nullopt for text that is not a JSON object.
std::optional<Document> parse(std::string_view text);

}  // namespace services::policy
