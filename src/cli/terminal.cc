// SPDX-License-Identifier: Apache-2.0
#include "cli/terminal.h"

#include <sys/ioctl.h>
#include <unistd.h>

#include <array>
#include <charconv>
#include <iostream>

namespace cli {
namespace {

constexpr std::size_t kFewestColumns = 20, kMostColumns = 10'000;

std::optional<std::size_t> window_columns(int descriptor) {
  if (::isatty(descriptor) == 0) return std::nullopt;
  winsize size{};
  if (::ioctl(descriptor, TIOCGWINSZ, &size) != 0 || size.ws_col < kFewestColumns) return kScreenWidth;
  return size.ws_col;
}

std::optional<std::size_t> columns_in(const client::Environment& environment) {
  const std::string text = environment("COLUMNS").value_or("");
  std::size_t columns = 0;
  const auto parsed = std::from_chars(text.data(), text.data() + text.size(), columns);
  const bool whole = !text.empty() && parsed.ec == std::errc() && parsed.ptr == text.data() + text.size();
  if (!whole || columns < kFewestColumns || columns > kMostColumns) return std::nullopt;
  return columns;
}

struct Meaning {
  std::string_view prefix, colour;
};
constexpr std::string_view kGreen = "32", kYellow = "33", kRed = "31";
constexpr std::array<Meaning, 21> kMeanings = {{{"RUNNING", kGreen},     {"ACTIVE", kGreen},    {"connected", kGreen},
                                               {"steady", kGreen},      {"SUCCEEDED", kGreen}, {"HEALTHY", kGreen},
                                               {"PENDING", kYellow},    {"PROVISIONING", kYellow}, {"DRAINING", kYellow},
                                               {"STOPPING", kYellow},   {"ACTIVATING", kYellow}, {"DEACTIVATING", kYellow},
                                               {"QUEUED", kYellow},     {"deploying", kYellow}, {"draining", kYellow},
                                               {"UNHEALTHY", kRed},     {"FAILED", kRed},      {"lost", kRed},
                                               {"impaired", kRed},      {"failing", kRed},     {"IMPAIRED", kRed}}};

std::string escaped(std::string_view code, const std::string& text) {
  return "\x1b[" + std::string(code) + "m" + text + "\x1b[0m";
}

}  // namespace

Terminal describe_terminal(const client::Environment& environment, std::optional<std::size_t> window) {
  Terminal terminal;
  terminal.columns = columns_in(environment).value_or(window.value_or(kUnlimitedColumns));
  const bool forced = environment("CLICOLOR_FORCE") || environment("FORCE_COLOR");
  const bool shown = window && environment("TERM").value_or("dumb") != "dumb";
  terminal.colour = !environment("NO_COLOR") && (forced || shown);
  return terminal;
}

Terminal terminal_of(const std::ostream& out) {
  const bool output = out.rdbuf() == std::cout.rdbuf();
  if (!output && out.rdbuf() != std::cerr.rdbuf()) return {};
  return describe_terminal(client::process_environment(), window_columns(output ? STDOUT_FILENO : STDERR_FILENO));
}

std::string coloured(const std::string& text, std::string_view meaning) {
  for (const Meaning& known : kMeanings) {
    const bool whole = meaning.starts_with(known.prefix) && (meaning.size() == known.prefix.size() || meaning[known.prefix.size()] == ' ');
    if (whole) return escaped(known.colour, text);
  }
  return text;
}

std::string bold(const std::string& text) { return escaped("1", text); }

}  // namespace cli
