// SPDX-License-Identifier: Apache-2.0
// Shell scripts in user data: what they write into ecs.config with echo, printf, cat and tee, with variables, here
// documents and groups. No other command runs, and a condition counts as true: a script that computes its settings is
// not understood.
#include <algorithm>
#include <utility>
#include <vector>

#include "base/bytes.h"
#include "services/ec2/user_data.h"

namespace services::ec2::detail {
namespace {

// A word of a command, or an operator (">>", "|", ";").
struct ShellToken {
  std::string text;
  bool is_operator = false;
};

// `text` stands for what << reads; the delimiter in quotes keeps $ literal.
struct HereDocument {
  std::string delimiter;
  bool literal = false, strip_tabs = false;
  std::string text;
};

class ShellReader {
 public:
  ShellReader(std::string_view script, ConfigFile& file, int depth) : rest_(script), file_(file), depth_(depth) {}

  void run() {
    while (!rest_.empty()) run_line(take_logical_line());
  }

 private:
  // A line with those that a backslash or an open quote continues.
  std::string take_logical_line() {
    std::string line;
    for (int lines = 0; !rest_.empty() && lines < kMaxContinued; ++lines) {
      const std::size_t end = std::min(rest_.find('\n'), rest_.size());
      std::string_view part = rest_.substr(0, end);
      rest_.remove_prefix(std::min(rest_.size(), end + 1));
      if (part.ends_with('\r')) part.remove_suffix(1);
      line += part;
      if (line.ends_with('\\') && !line.ends_with("\\\\")) {
        line.pop_back();
      } else if (has_open_quote(line)) {
        line += '\n';
      } else {
        break;
      }
    }
    return line;
  }

  static bool has_open_quote(std::string_view line) {
    char quote = 0;
    for (std::size_t i = 0; i < line.size(); ++i) {
      const char c = line[i];
      if (quote == 0 && c == '#' && (i == 0 || line[i - 1] == ' ')) return false;  // a comment
      if (c == '\\' && quote != '\'') {
        ++i;
      } else if (quote == 0 && (c == '"' || c == '\'')) {
        quote = c;
      } else if (c == quote) {
        quote = 0;
      }
    }
    return quote != 0;
  }

  static bool is_name(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
  }

  // Replaces the variable that starts at text[at], a dollar; returns the index behind it.
  std::size_t expand(std::string_view text, std::size_t at, std::string& out) const {
    const bool braces = at + 1 < text.size() && text[at + 1] == '{';
    const std::size_t begin = at + (braces ? 2 : 1);
    std::size_t end = begin;
    while (end < text.size() && is_name(text[end])) ++end;
    const bool closed = !braces || (end < text.size() && text[end] == '}');
    if (end == begin || !closed) {
      out += '$';
      return at + 1;
    }
    const auto found = variables_.find(std::string(text.substr(begin, end - begin)));
    if (found != variables_.end() && file_.spend(found->second.size())) out += found->second;
    return end + (braces ? 1 : 0);
  }

  std::string expand_all(std::string_view text) const {
    std::string out;
    for (std::size_t i = 0; i < text.size();) {
      if (text[i] == '\\' && i + 1 < text.size() && (text[i + 1] == '$' || text[i + 1] == '\\' || text[i + 1] == '`')) {
        out += text[i + 1];
        i += 2;
      } else if (text[i] == '$') {
        i = expand(text, i, out);
      } else {
        out += text[i++];
      }
    }
    return out;
  }

  // Reads a quoted part of a word from line[at], its opening quote; returns the index behind it.
  std::size_t take_quoted(std::string_view line, std::size_t at, std::string& out) const {
    const char quote = line[at++];
    while (at < line.size() && line[at] != quote) {
      const char c = line[at];
      if (quote == '"' && c == '\\' && at + 1 < line.size() && std::string_view("\"\\$`").find(line[at + 1]) != std::string_view::npos) {
        out += line[at + 1];
        at += 2;
      } else if (quote == '"' && c == '$') {
        at = expand(line, at, out);
      } else {
        out += line[at++];
      }
    }
    return std::min(line.size(), at + 1);
  }

  // "<<" and its delimiter at line[at]; the text follows with the next lines.
  std::size_t take_here_document(std::string_view line, std::size_t at) {
    HereDocument document;
    at += 2;
    if (at < line.size() && line[at] == '-') {
      document.strip_tabs = true;
      ++at;
    }
    while (at < line.size() && line[at] == ' ') ++at;
    while (at < line.size() && std::string_view(" \t;|&<>").find(line[at]) == std::string_view::npos) {
      const char c = line[at];
      if (c == '\'' || c == '"' || c == '\\') {
        document.literal = true;
      } else {
        document.delimiter += c;
      }
      ++at;
    }
    documents_.push_back(std::move(document));
    return at;
  }

  std::vector<ShellToken> split(std::string_view line) {
    std::vector<ShellToken> tokens;
    std::string word;
    bool has_word = false;
    const auto end_word = [&] {
      if (has_word) tokens.push_back({word, false});
      word.clear();
      has_word = false;
    };
    for (std::size_t i = 0; i < line.size();) {
      const char c = line[i];
      if (c == ' ' || c == '\t' || c == '\n') {
        end_word();
        ++i;
      } else if (c == '#' && !has_word) {
        break;
      } else if (c == '<' && line.substr(i).starts_with("<<") && !line.substr(i).starts_with("<<<")) {
        end_word();
        i = take_here_document(line, i);
        tokens.push_back({"<<", true});
      } else if (std::string_view(";|&<>(){}").find(c) != std::string_view::npos && !(has_word && (c == '{' || c == '}')) &&
                 !((c == '{' || c == '}') && !stands_alone(line, i))) {
        end_word();
        const bool twice = i + 1 < line.size() && line[i + 1] == c && c != '(' && c != ')';
        tokens.push_back({std::string(twice ? 2 : 1, c), true});
        i += twice ? 2 : 1;
      } else {
        has_word = true;
        if (c == '"' || c == '\'') {
          i = take_quoted(line, i, word);
        } else if (c == '$') {
          i = expand(line, i, word);
        } else if (c == '\\' && i + 1 < line.size()) {
          word += line[i + 1];
          i += 2;
        } else {
          word += line[i++];
        }
      }
    }
    end_word();
    return tokens;
  }

  // Braces group commands only as words of their own.
  static bool stands_alone(std::string_view line, std::size_t at) {
    const auto is_end = [&](std::size_t i) {
      return i >= line.size() || std::string_view(" \t;\n").find(line[i]) != std::string_view::npos;
    };
    return is_end(at + 1) && (at == 0 || is_end(at - 1));
  }

  void read_here_documents() {
    for (HereDocument& document : documents_) {
      while (!rest_.empty()) {
        const std::size_t end = std::min(rest_.find('\n'), rest_.size());
        std::string_view line = rest_.substr(0, end);
        rest_.remove_prefix(std::min(rest_.size(), end + 1));
        if (line.ends_with('\r')) line.remove_suffix(1);
        while (document.strip_tabs && line.starts_with('\t')) line.remove_prefix(1);
        if (line == document.delimiter) break;
        document.text += (document.literal ? std::string(line) : expand_all(line)) + "\n";
      }
    }
  }

  void run_line(std::string_view line) {
    documents_.clear();
    next_document_ = 0;
    const auto tokens = split(line);
    read_here_documents();
    std::vector<ShellToken> command;
    std::string piped;
    for (const ShellToken& token : tokens) {
      const bool separates = token.is_operator && token.text != ">" && token.text != ">>" && token.text != "<" &&
                             token.text != "<<";
      if (!separates) {
        command.push_back(token);
        continue;
      }
      const std::string output = run_command(command, piped);
      piped = token.text == "|" ? output : "";
      if (token.text != "|") group_ += in_group_ ? output : "";
      command.clear();
      if (token.text == "{" || token.text == "(") {
        in_group_ = true;
        group_.clear();
      } else if (token.text == "}" || token.text == ")") {
        in_group_ = false;
        piped = std::exchange(group_, "");  // to the redirection or the pipe behind the group
      }
    }
    const std::string output = run_command(command, piped);
    if (in_group_) group_ += output;
  }

  // What a command writes to its standard output, unless it is redirected.
  std::string run_command(const std::vector<ShellToken>& tokens, const std::string& input) {
    std::vector<std::string> words;
    std::string target, mode, from = input;
    for (std::size_t i = 0; i < tokens.size(); ++i) {
      if (!tokens[i].is_operator) {
        words.push_back(tokens[i].text);
      } else if (tokens[i].text == "<<") {
        if (next_document_ < documents_.size()) from = documents_[next_document_++].text;
      } else if (i + 1 < tokens.size()) {
        if (tokens[i].text != "<") {
          target = tokens[i + 1].text;
          mode = tokens[i].text;
        }
        ++i;
      }
    }
    std::string output = words.empty() ? from : output_of(words, from);
    if (mode.empty()) return output;
    write(target, output, mode == ">>");
    return "";
  }

  void write(const std::string& path, const std::string& text, bool append) {
    if (path != kAgentConfig) return;
    append ? file_.append(text) : file_.replace(text);
  }

  std::string output_of(std::vector<std::string> words, const std::string& input) {
    static constexpr std::string_view kKeywords[] = {"sudo", "then", "else", "do", "if", "!", "-E", "export", "exec"};
    while (!words.empty() && std::find(std::begin(kKeywords), std::end(kKeywords), words.front()) != std::end(kKeywords)) {
      words.erase(words.begin());
    }
    if (words.empty()) return "";
    const std::string name = words.front().substr(words.front().rfind('/') + 1);
    words.erase(words.begin());
    if (name == "echo") return echo(words);
    if (name == "printf") return words.empty() ? "" : print(words);
    if (name == "cat") return words.empty() || words.front() == "-" ? input : "";
    if (name == "tee") return tee(words, input);
    if ((name == "bash" || name == "sh") && words.size() >= 2 && words[0].starts_with('-') && words[0].ends_with('c')) {
      if (depth_ < kMaxDepth) run_shell(words[1], file_, depth_ + 1);
      return "";
    }
    assign(name);
    return "";
  }

  // NAME=VALUE alone sets a variable.
  void assign(const std::string& word) {
    const std::size_t equals = word.find('=');
    if (equals == word.npos || equals == 0 || variables_.size() >= kMaxVariables) return;
    if (!std::all_of(word.begin(), word.begin() + static_cast<std::ptrdiff_t>(equals), is_name)) return;
    std::string value = word.substr(equals + 1);
    if (value.size() <= kMaxVariable) variables_[word.substr(0, equals)] = std::move(value);
  }

  static std::string with_escapes(std::string_view text) {
    std::string out;
    for (std::size_t i = 0; i < text.size(); ++i) {
      if (text[i] == '\\' && i + 1 < text.size()) {
        const char c = text[++i];
        out += c == 'n' ? '\n' : c == 't' ? '\t' : c;
      } else {
        out += text[i];
      }
    }
    return out;
  }

  static std::string echo(std::vector<std::string> words) {
    bool escapes = false, newline = true;
    while (!words.empty() && (words.front() == "-e" || words.front() == "-n" || words.front() == "-ne" || words.front() == "-en")) {
      escapes = escapes || words.front().find('e') != std::string::npos;
      newline = newline && words.front().find('n') == std::string::npos;
      words.erase(words.begin());
    }
    std::string text;
    for (const std::string& word : words) text += (text.empty() ? "" : " ") + word;
    if (escapes) text = with_escapes(text);
    return newline ? text + "\n" : text;
  }

  // The format once, with %s alone.
  static std::string print(const std::vector<std::string>& words) {
    const std::string format = with_escapes(words.front());
    std::string out;
    std::size_t next = 1;
    for (std::size_t i = 0; i < format.size(); ++i) {
      if (format[i] == '%' && i + 1 < format.size()) {
        ++i;
        if (format[i] == 's' && next < words.size()) out += words[next++];
        if (format[i] == '%') out += '%';
      } else {
        out += format[i];
      }
    }
    return out;
  }

  std::string tee(const std::vector<std::string>& words, const std::string& input) {
    const bool append = std::find(words.begin(), words.end(), "-a") != words.end() ||
                        std::find(words.begin(), words.end(), "--append") != words.end();
    for (const std::string& word : words) {
      if (!word.starts_with('-')) write(word, input, append);
    }
    return input;
  }

  static constexpr std::size_t kMaxVariables = 256, kMaxVariable = 4096;
  static constexpr int kMaxContinued = 256;  // lines of a logical line

  std::string_view rest_;
  ConfigFile& file_;
  int depth_;
  std::map<std::string, std::string> variables_;
  std::vector<HereDocument> documents_;  // of the present line
  std::size_t next_document_ = 0;
  bool in_group_ = false;
  std::string group_;  // the output of the group's commands
};

}  // namespace

void run_shell(std::string_view script, ConfigFile& file, int depth) {
  if (depth > kMaxDepth || !file.spend(script.size())) return;
  ShellReader(script, file, depth).run();
}

}  // namespace services::ec2::detail
