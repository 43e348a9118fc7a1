// SPDX-License-Identifier: Apache-2.0
#include "cli/contexts.h"

#include <algorithm>
#include <filesystem>
#include <stdexcept>
#include <utility>

#include "base/file.h"
#include "base/random.h"
#include "client/shared_files.h"

namespace cli {
namespace {

constexpr std::string_view kPrefix = "context ";
constexpr std::size_t kMaxContexts = 1000;

using Member = std::string Context::*;
constexpr std::pair<const char*, Member> kMembers[] = {
    {"endpoint_url", &Context::endpoint},      {"region", &Context::region},
    {"cluster", &Context::cluster},            {"profile", &Context::profile},
    {"aws_access_key_id", &Context::access_key}, {"aws_secret_access_key", &Context::secret_key},
    {"ca_bundle", &Context::ca_file}};

void check_value(const std::string& value) {
  const bool valid = value.find_first_of("\r\n") == value.npos && (value.empty() || (value.front() != ' ' && value.back() != ' '));
  if (!valid) throw std::runtime_error("a setting of a context is one line without spaces around it");
}

std::string text_of(const Contexts& contexts) {
  std::string text = "[stoker]\ncurrent = " + contexts.current + "\n";
  for (const Context& context : contexts.all) {
    text += "\n[" + std::string(kPrefix) + context.name + "]\n";
    for (const auto& [name, member] : kMembers) {
      check_value(context.*member);
      if (!(context.*member).empty()) text += std::string(name) + " = " + context.*member + "\n";
    }
  }
  return text;
}

}  // namespace

const Context* Contexts::find(const std::string& name) const {
  const auto found = std::ranges::find(all, name, &Context::name);
  return found == all.end() ? nullptr : &*found;
}

std::string contexts_path(const client::Environment& environment) {
  const std::string folder = environment("XDG_CONFIG_HOME").value_or("");
  if (folder.starts_with('/')) return folder + "/stoker/contexts";
  return environment("HOME").value_or(".") + "/.config/stoker/contexts";
}

Contexts read_contexts(const std::string& path) {
  Contexts contexts;
  for (const auto& [title, section] : client::read_shared_file(path)) {
    const auto value = [&](const char* name) {
      const auto found = section.find(name);
      return found == section.end() ? std::string() : found->second;
    };
    if (title == "stoker") contexts.current = value("current");
    if (!title.starts_with(kPrefix)) continue;
    Context context;
    context.name = title.substr(kPrefix.size());
    for (const auto& [name, member] : kMembers) context.*member = value(name);
    contexts.all.push_back(std::move(context));
  }
  return contexts;
}

void write_contexts(const std::string& path, const Contexts& contexts) {
  if (contexts.all.size() > kMaxContexts) throw std::runtime_error("too many contexts: remove some first");
  const std::string text = text_of(contexts);
  const std::filesystem::path folder = std::filesystem::path(path).parent_path();
  std::filesystem::create_directories(folder);
  const std::string temporary = path + "." + base::random_uuid();
  base::File file = base::File::create(temporary);
  file.write_all(text);
  file.sync();
  std::filesystem::rename(temporary, path);
  base::sync_folder(folder.string());
}

std::string check_context_name(const std::string& name) {
  constexpr std::size_t kMaxName = 64;
  const bool valid = std::ranges::all_of(name, [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '.' || c == '_' || c == '-';
  });
  if (name == kLocalContext) return "the name 'local' is that of the server of this machine";
  if (valid && !name.empty() && name.size() <= kMaxName) return "";
  return "invalid name '" + name + "': use up to 64 letters, digits, '.', '_' and '-'";
}

}  // namespace cli
