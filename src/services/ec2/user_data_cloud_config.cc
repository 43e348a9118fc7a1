// SPDX-License-Identifier: Apache-2.0
// cloud-config in user data: its files and commands. Reads the forms of YAML that cloud-config is written in: block
// lists and mappings, plain, quoted and block scalars, flow lists of commands. Anything else is skipped.
#include <algorithm>
#include <vector>

#include "base/bytes.h"
#include "base/words.h"
#include "services/ec2/user_data.h"

namespace services::ec2::detail {
namespace {

struct YamlLine {
  std::size_t indent = 0;
  std::string_view text;  // without the indent
};

std::vector<YamlLine> yaml_lines(std::string_view yaml) {
  std::vector<YamlLine> lines;
  while (!yaml.empty()) {
    const std::size_t end = std::min(yaml.find('\n'), yaml.size());
    std::string_view line = yaml.substr(0, end);
    yaml.remove_prefix(std::min(yaml.size(), end + 1));
    if (line.ends_with('\r')) line.remove_suffix(1);
    const std::size_t indent = std::min(line.find_first_not_of(' '), line.size());
    lines.push_back({indent, line.substr(indent)});
  }
  return lines;
}

bool is_blank(const YamlLine& line) { return line.text.empty() || line.text.starts_with('#'); }

// A plain or quoted scalar on one line.
std::string scalar(std::string_view text) {
  text = base::trim(text);
  if (text.size() >= 2 && text.front() == '\'' && text.back() == '\'') {
    std::string plain;
    for (std::size_t i = 1; i + 1 < text.size(); ++i) {
      if (text[i] == '\'' && text[i + 1] == '\'' && i + 2 < text.size()) ++i;
      plain += text[i];
    }
    return plain;
  }
  if (text.size() < 2 || text.front() != '"' || text.back() != '"') return std::string(text.substr(0, text.find(" #")));
  std::string plain;
  for (std::size_t i = 1; i + 1 < text.size(); ++i) {
    if (text[i] == '\\' && i + 2 < text.size()) {
      ++i;
      plain += text[i] == 'n' ? '\n' : text[i] == 't' ? '\t' : text[i];
    } else {
      plain += text[i];
    }
  }
  return plain;
}

class CloudConfigReader {
 public:
  CloudConfigReader(std::string_view yaml, ConfigFile& file, int depth)
      : lines_(yaml_lines(yaml)), file_(file), depth_(depth) {}

  // cloud-init runs boot commands first and other commands last.
  void run() {
    read();
    for (const std::string& command : boot_commands_) run_shell(command, file_, depth_ + 1);
    for (const WrittenFile& written : files_) write(written);
    for (const std::string& command : commands_) run_shell(command, file_, depth_ + 1);
  }

 private:
  struct WrittenFile {
    std::string path, content, encoding;
    bool append = false;
  };

  void read() {
    while (at_ < lines_.size()) {
      const YamlLine line = lines_[at_++];
      if (is_blank(line) || line.indent > 0) continue;
      if (line.text.starts_with("write_files:")) read_files();
      if (line.text.starts_with("bootcmd:")) read_commands(boot_commands_);
      if (line.text.starts_with("runcmd:")) read_commands(commands_);
    }
  }

  // Whether the next line belongs to a list below a top-level key.
  bool in_list() {
    while (at_ < lines_.size() && is_blank(lines_[at_])) ++at_;
    return at_ < lines_.size() && (lines_[at_].indent > 0 || lines_[at_].text.starts_with('-'));
  }

  // The lines of a block scalar, deeper than `indent`.
  std::string block(std::size_t indent, std::string_view style) {
    std::string text;
    std::size_t own = 0;
    const bool folded = style.starts_with('>');
    while (at_ < lines_.size()) {
      const YamlLine& line = lines_[at_];
      if (!line.text.empty() && line.indent <= indent) break;
      if (own == 0 && !line.text.empty()) own = line.indent;
      const std::size_t extra = line.indent > own ? line.indent - own : 0;
      text += line.text.empty() ? std::string() : std::string(extra, ' ') + std::string(line.text);
      text += folded && !line.text.empty() ? ' ' : '\n';
      ++at_;
    }
    while (text.ends_with("\n\n")) text.pop_back();
    if (style.ends_with('-') && text.ends_with('\n')) text.pop_back();
    return text;
  }

  // A scalar that starts on the line before the next one.
  std::string value(std::string_view text, std::size_t indent) {
    text = base::trim(text);
    if (text.starts_with('|') || text.starts_with('>')) return block(indent, text);
    return scalar(text);
  }

  void read_commands(std::vector<std::string>& commands) {
    while (in_list()) {
      const YamlLine line = lines_[at_++];
      if (!line.text.starts_with('-')) continue;
      const std::string_view text = base::trim(line.text.substr(1));
      if (text.starts_with('[')) {
        commands.push_back(flow_command(text));
      } else if (text.starts_with("- ")) {
        commands.push_back(nested_command(text, line.indent));
      } else {
        commands.push_back(value(text, line.indent));
      }
    }
  }

  // "'first' 'second'": a command of words that a shell does not interpret.
  static std::string quote_word(const std::string& word) {
    return base::shell_quoted(word) + " ";
  }

  // [ sh, -c, "echo ..." ]
  static std::string flow_command(std::string_view text) {
    std::string command, word;
    char quote = 0;
    text.remove_prefix(1);
    for (std::size_t i = 0; i < text.size(); ++i) {
      const char c = text[i];
      if (quote == '"' && c == '\\' && i + 1 < text.size()) {
        word += {c, text[++i]};
      } else if (quote == 0 && (c == ',' || c == ']')) {
        command += quote_word(scalar(word));
        word.clear();
        if (c == ']') return command;
      } else {
        if (quote == 0 && (c == '"' || c == '\'')) {
          quote = c;
        } else if (c == quote) {
          quote = 0;
        }
        word += c;
      }
    }
    return command;
  }

  // - - sh
  //   - -c
  std::string nested_command(std::string_view first, std::size_t indent) {
    std::string command = quote_word(value(first.substr(2), indent + 2));
    while (in_list() && lines_[at_].indent > indent && lines_[at_].text.starts_with("- ")) {
      const YamlLine line = lines_[at_++];
      command += quote_word(value(line.text.substr(2), line.indent));
    }
    return command;
  }

  void read_files() {
    while (in_list()) {
      YamlLine line = lines_[at_++];
      if (line.text.starts_with('-')) {
        files_.emplace_back();
        const std::size_t skip = std::min(line.text.find_first_not_of(' ', 1), line.text.size());
        line = {line.indent + skip, line.text.substr(skip)};
      }
      const std::size_t colon = line.text.find(':');
      if (files_.empty() || colon == line.text.npos) continue;
      const std::string name(base::trim(line.text.substr(0, colon)));
      const std::string text = value(line.text.substr(colon + 1), line.indent);
      if (name == "path") files_.back().path = text;
      if (name == "content") files_.back().content = text;
      if (name == "encoding") files_.back().encoding = text;
      if (name == "append") files_.back().append = text == "true";
    }
  }

  void write(const WrittenFile& written) {
    if (written.path != kAgentConfig) return;
    std::string content = written.content;
    if (written.encoding == "b64" || written.encoding == "base64") {
      std::erase_if(content, [](char c) { return c == '\n' || c == '\r' || c == ' '; });
      content = base::from_base64(content).value_or("");
    }
    if (!content.ends_with('\n')) content += '\n';
    written.append ? file_.append(content) : file_.replace(content);
  }

  std::vector<YamlLine> lines_;
  std::size_t at_ = 0;
  ConfigFile& file_;
  int depth_;
  std::vector<WrittenFile> files_;
  std::vector<std::string> boot_commands_, commands_;
};

}  // namespace

void run_cloud_config(std::string_view yaml, ConfigFile& file, int depth) {
  if (depth > kMaxDepth || !file.spend(yaml.size())) return;
  CloudConfigReader(yaml, file, depth).run();
}

}  // namespace services::ec2::detail
