// SPDX-License-Identifier: Apache-2.0
#include "state/hold_text.h"

#include <algorithm>
#include <charconv>

#include "base/check.h"

namespace state {
namespace {

constexpr char kHexDigits[] = "0123456789ABCDEF";

void append_number(std::string& text, std::int64_t number) {
  char digits[20];
  const auto end = std::to_chars(digits, digits + sizeof digits, number).ptr;
  text.append(digits, end);
}

bool is_plain(char c) { return c > ' ' && c < 0x7f && c != '%' && c != ':'; }

void append_word(std::string& text, std::string_view word) {
  if (std::all_of(word.begin(), word.end(), is_plain)) {
    text += word;
    return;
  }
  for (char c : word) {
    const auto byte = static_cast<unsigned char>(c);
    if (is_plain(c)) {
      text += c;
    } else {
      text += '%';
      text += kHexDigits[byte >> 4];
      text += kHexDigits[byte & 15];
    }
  }
}

void append_ports(std::string& text, const std::set<std::uint16_t>& ports) {
  if (ports.empty()) text += '-';
  for (auto port = ports.begin(); port != ports.end(); ++port) {
    if (port != ports.begin()) text += ',';
    append_number(text, *port);
  }
}

// Cuts off what comes before the first `end`, or all.
std::string_view take_until(std::string_view& text, char end) {
  const std::size_t at = text.find(end);
  const std::string_view taken = text.substr(0, at);
  text.remove_prefix(at == text.npos ? text.size() : at + 1);
  return taken;
}

std::int64_t parse_number(std::string_view digits) {
  std::int64_t number = 0;
  const char* end = digits.data() + digits.size();
  const auto parsed = std::from_chars(digits.data(), end, number);
  CHECK(parsed.ec == std::errc() && parsed.ptr == end) << "a stored hold with an invalid number: " << digits;
  return number;
}

std::set<std::uint16_t> parse_ports(std::string_view text) {
  std::set<std::uint16_t> ports;
  if (text == "-") return ports;
  while (!text.empty()) ports.insert(static_cast<std::uint16_t>(parse_number(take_until(text, ','))));
  return ports;
}

std::string parse_word(std::string_view text) {
  std::string word;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '%') {
      word += text[i];
      continue;
    }
    unsigned byte = 0;
    CHECK(i + 2 < text.size()) << "a stored hold with an incomplete escape";
    std::from_chars(text.data() + i + 1, text.data() + i + 3, byte, 16);
    word += static_cast<char>(byte);
    i += 2;
  }
  return word;
}

model::GpuHold parse_gpu(std::string_view text) {
  model::GpuHold gpu;
  gpu.gpu = model::GpuId(parse_word(take_until(text, ':')));
  gpu.container = parse_word(take_until(text, ':'));
  gpu.shared_memory_mib = parse_number(text);
  return gpu;
}

}  // namespace

void append_hold(std::string& text, const model::TaskHold& hold) {
  append_number(text, hold.cpu);
  text += ' ';
  append_number(text, hold.memory_mib);
  text += ' ';
  append_number(text, hold.dynamic_ports);
  text += ' ';
  append_ports(text, hold.ports.tcp);
  text += ' ';
  append_ports(text, hold.ports.udp);
  for (const model::GpuHold& gpu : hold.gpus) {
    text += ' ';
    append_word(text, gpu.gpu.str());
    text += ':';
    append_word(text, gpu.container);
    text += ':';
    append_number(text, gpu.shared_memory_mib);
  }
  text += '\n';
}

std::string replace_hold(std::string_view text, std::size_t place, const model::TaskHold& hold) {
  std::string out;
  for (std::size_t i = 0; i < place; ++i) out.append(take_until(text, '\n')) += '\n';
  take_until(text, '\n');
  append_hold(out, hold);
  return out.append(text);
}

model::TaskHold parse_hold(std::string_view text, std::size_t place) {
  for (std::size_t i = 0; i < place; ++i) take_until(text, '\n');
  std::string_view line = take_until(text, '\n');
  CHECK(!line.empty()) << "a launch without a hold for its task at place " << place;
  model::TaskHold hold;
  hold.cpu = parse_number(take_until(line, ' '));
  hold.memory_mib = parse_number(take_until(line, ' '));
  hold.dynamic_ports = static_cast<int>(parse_number(take_until(line, ' ')));
  hold.ports.tcp = parse_ports(take_until(line, ' '));
  hold.ports.udp = parse_ports(take_until(line, ' '));
  while (!line.empty()) hold.gpus.push_back(parse_gpu(take_until(line, ' ')));
  return hold;
}

}  // namespace state
