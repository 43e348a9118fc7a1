// SPDX-License-Identifier: Apache-2.0
// A resource policy as it was written, read into structs: what is missing or of no known form in it
// can still be told.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace services::policy {

// What is known of a request, by condition key.
using Context = std::map<std::string, std::string>;

// Principal or NotPrincipal.
struct Principals {
  bool given = false, negated = false;
  bool everybody = false;                         // "*", or "AWS": "*"
  std::vector<std::string> accounts;              // of "AWS", as written
  std::vector<std::string> canonical_users, services;
  std::vector<std::string> other_kinds;           // "Federated", and what is of no known form
};

// Action or NotAction, Resource or NotResource.
struct Patterns {
  bool given = false, negated = false;
  std::vector<std::string> values;
};

// One key of one operator: any of the values will do.
struct Condition {
  std::string name;                 // of the operator as written, "ForAnyValue:StringLike"
  std::string key;                  // "aws:SourceIp"
  std::vector<std::string> values;
  bool readable = true;             // false: not of a form that conditions have
};

struct Statement {
  std::string effect;                 // "Allow", "Deny"; "" where there is none
  Principals principals;
  Patterns actions, resources;
  std::vector<Condition> conditions;
  std::vector<std::string> unknown;   // members that no statement has
  std::vector<std::string> again;     // Action beside NotAction, and so on: which one is meant?
};

struct Document {
  std::string version;
  bool has_statements = false;        // a Statement that is an object or a list of objects
  std::vector<Statement> statements;
  std::vector<std::string> unknown;
};

// nullopt for what is no JSON object.
std::optional<Document> parse(std::string_view text);

}  // namespace services::policy
