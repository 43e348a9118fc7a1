// SPDX-License-Identifier: Apache-2.0
// stoker context add|use|list|remove
#include <termios.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <iostream>
#include <ostream>
#include <stdexcept>

#include "base/bytes.h"
#include "cli/commands.h"
#include "cli/contexts.h"
#include "cli/json.h"
#include "cli/table.h"
#include "cli/usage_error.h"

namespace cli {
namespace {

struct PrintedContext {
  std::string name, endpoint, region, cluster, profile, accessKeyId;
  bool current = false;
};
BOOST_DESCRIBE_STRUCT(PrintedContext, (), (name, endpoint, region, cluster, profile, accessKeyId, current))
struct PrintedContexts {
  std::vector<PrintedContext> contexts;
};
BOOST_DESCRIBE_STRUCT(PrintedContexts, (), (contexts))

std::string path() { return contexts_path(client::process_environment()); }

std::string shown_value(const std::string& text) { return text.empty() ? "-" : text; }

PrintedContext printed_context(const Context& context, const Contexts& all) {
  return {context.name,    context.endpoint,   context.region,           context.cluster,
          context.profile, context.access_key, context.name == all.current};
}

// Shows a prompt at a terminal, and nothing of what is typed.
class HiddenInput {
 public:
  explicit HiddenInput(const std::string& prompt) : hidden_(::isatty(STDIN_FILENO) != 0 && ::tcgetattr(STDIN_FILENO, &before_) == 0) {
    if (!hidden_) return;
    std::cerr << prompt << std::flush;
    termios silent = before_;
    silent.c_lflag &= ~static_cast<tcflag_t>(ECHO);
    ::tcsetattr(STDIN_FILENO, TCSAFLUSH, &silent);
  }
  ~HiddenInput() {
    if (!hidden_) return;
    ::tcsetattr(STDIN_FILENO, TCSAFLUSH, &before_);
    std::cerr << std::endl;
  }
  HiddenInput(const HiddenInput&) = delete;

 private:
  termios before_{};
  bool hidden_;
};

// The key's secret is read from standard input: other users see the arguments of a process.
std::string read_secret(std::istream& in) {
  const HiddenInput hidden("Secret access key: ");
  std::string line;
  std::getline(in, line);
  const std::string secret(base::trim(line));
  if (secret.empty()) throw std::runtime_error("the secret of --access-key is read from standard input, which has none");
  return secret;
}

}  // namespace

int context_add(const Options& options, const std::string& name, const std::string& access_key, std::istream& in,
                std::ostream& out) {
  if (auto parsed = client::parse_endpoint(options.endpoint); !parsed) throw UsageError(parsed.error());
  Contexts contexts = read_contexts(path());
  Context added{.name = name, .endpoint = options.endpoint};
  if (options.region_is_given) added.region = options.region;
  if (options.cluster_is_given) added.cluster = options.cluster;
  added.profile = options.profile;
  // Commands read it in whatever folder they are called.
  if (!options.ca_file.empty()) added.ca_file = std::filesystem::absolute(options.ca_file).string();
  added.access_key = access_key;
  if (!access_key.empty()) added.secret_key = read_secret(in);
  const bool replaced = std::erase_if(contexts.all, [&](const Context& one) { return one.name == name; }) > 0;
  contexts.all.push_back(added);
  if (contexts.current.empty()) contexts.current = name;
  write_contexts(path(), contexts);
  if (options.json) {
    print_json(out, printed_context(added, contexts));
    return 0;
  }
  out << (replaced ? "replaced context " : "added context ") << name
      << (contexts.current == name ? "; commands use it" : "; to use it: stoker context use " + name) << '\n';
  return 0;
}

int context_use(const Options& options, const std::string& name, std::ostream& out) {
  Contexts contexts = read_contexts(path());
  if (name != kLocalContext && !contexts.find(name)) throw std::runtime_error("no such context: " + name);
  contexts.current = name == kLocalContext ? "" : name;
  write_contexts(path(), contexts);
  if (options.json) {
    const Context* used = contexts.find(name);
    print_json(out, used ? printed_context(*used, contexts) : PrintedContext{.name = name, .current = true});
    return 0;
  }
  out << (contexts.current.empty() ? "commands use the server of this machine" : "commands use " + name) << '\n';
  return 0;
}

int context_remove(const Options& options, const std::string& name, std::ostream& out) {
  Contexts contexts = read_contexts(path());
  const Context* found = contexts.find(name);
  if (!found) throw std::runtime_error("no such context: " + name);
  const Context removed = *found;
  std::erase_if(contexts.all, [&](const Context& one) { return one.name == name; });
  if (contexts.current == name) contexts.current.clear();
  write_contexts(path(), contexts);
  if (options.json) {
    print_json(out, printed_context(removed, contexts));
    return 0;
  }
  out << "removed context " << name << '\n';
  return 0;
}

int context_list(const Options& options, std::ostream& out) {
  const Contexts contexts = read_contexts(path());
  PrintedContexts printed;
  for (const Context& one : contexts.all) {
    printed.contexts.push_back(printed_context(one, contexts));
  }
  if (options.json) {
    print_json(out, printed);
    return 0;
  }
  Rows rows{{"CONTEXT", "ENDPOINT", "REGION", "CLUSTER", "KEY"}};
  rows.push_back({std::string(kLocalContext) + (contexts.current.empty() ? " *" : ""), "the server of this machine", "-", "-", "-"});
  for (const PrintedContext& one : printed.contexts) {
    const std::string key = one.profile.empty() ? one.accessKeyId : "profile " + one.profile;
    rows.push_back({one.name + (one.current ? " *" : ""), one.endpoint, shown_value(one.region), shown_value(one.cluster),
                    key.empty() ? "of the environment" : key});
  }
  print_table(out, rows);
  return 0;
}

}  // namespace cli
