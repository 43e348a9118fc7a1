// SPDX-License-Identifier: Apache-2.0
// The command line's commands, as functions: each answers the exit status and throws
// what has one clear line in what().
#pragma once

#include <iosfwd>
#include <optional>
#include <string>

namespace cli {

struct Options {
  std::string data;
  std::string region = "us-east-1";
  bool json = false;
};

// Exports that point stock clients at this Stoker.
int env(const Options& options, std::ostream& out);
int status(const Options& options, std::ostream& out);

int key_create(const Options& options, const std::optional<std::string>& account, std::ostream& out);
// Lines "ID SECRET" from `in`.
int key_import(const Options& options, const std::optional<std::string>& account, std::istream& in, std::ostream& out);
int key_list(const Options& options, std::ostream& out);
int key_delete(const Options& options, const std::string& id, std::ostream& out);

}  // namespace cli
