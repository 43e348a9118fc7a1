// SPDX-License-Identifier: Apache-2.0
#include "cli/submit_inputs.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>
#include <filesystem>
#include <map>
#include <stdexcept>
#include <system_error>

#include "base/bytes.h"
#include "base/checksum.h"
#include "base/random.h"
#include "cli/usage_error.h"

namespace cli {
namespace {

constexpr std::uint64_t kMaxInputBytes = std::uint64_t{5} * 1024 * 1024 * 1024;  // of one object
constexpr std::size_t kCopyBytes = 256 * 1024;

std::runtime_error too_large(const std::string& path) {
  return std::runtime_error(path + " is larger than 5 GiB, the limit of an input");
}

void check_path(const std::string& path) {
  if (path == "-") return;
  std::error_code error;
  const auto status = std::filesystem::status(path, error);
  if (!std::filesystem::exists(status)) throw std::runtime_error("cannot read " + path + ": no such file");
  if (std::filesystem::is_directory(status)) {
    throw std::runtime_error(path + " is a folder: name its files, for example " + path +
                             (path.ends_with('/') ? "*" : "/*"));
  }
  if (::access(path.c_str(), R_OK) != 0) {
    throw std::runtime_error("cannot read " + path + ": " + std::generic_category().message(errno));
  }
  if (!std::filesystem::is_regular_file(status)) return;
  if (std::filesystem::file_size(path, error) > kMaxInputBytes) throw too_large(path);
}

// Copies a stream, which has no size before its end.
base::File copy_of_stream(int from, const std::string& path) {
  const std::string copy = (std::filesystem::temp_directory_path() / ("stoker-" + base::random_uuid())).string();
  base::File file = base::File::create(copy);
  ::unlink(copy.c_str());
  std::string piece(kCopyBytes, '\0');
  for (std::uint64_t total = 0;;) {
    const ssize_t got = ::read(from, piece.data(), piece.size());
    if (got == 0) return file;
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) throw std::runtime_error("cannot read " + path + ": " + std::generic_category().message(errno));
    total += static_cast<std::uint64_t>(got);
    if (total > kMaxInputBytes) throw too_large(path);
    file.write_all(std::string_view(piece).substr(0, static_cast<std::size_t>(got)));
  }
}

std::string sha256_of(const base::File& file) {
  base::Hasher hasher(base::Checksum::Sha256);
  std::string piece(kCopyBytes, '\0');
  for (std::uint64_t at = 0;;) {
    const std::size_t got = file.pread(piece.data(), piece.size(), at);
    hasher.update(std::string_view(piece).substr(0, got));
    at += got;
    if (got < piece.size()) return base::to_hex(hasher.finish());
  }
}

}  // namespace

std::vector<SubmitInput> check_inputs(const SubmitArguments& arguments) {
  if (arguments.id && arguments.files.size() > 1) {
    throw UsageError("--id names one job, but there are " + std::to_string(arguments.files.size()) + " files");
  }
  std::vector<SubmitInput> inputs;
  std::map<std::string, std::string> paths_by_name;
  for (const std::string& path : arguments.files) {
    check_path(path);
    SubmitInput input{path, path == "-" ? "stdin" : std::filesystem::path(path).filename().string(), ""};
    input.output = (std::filesystem::path(arguments.output) / (input.name + ".json")).string();
    const auto [other, added] = paths_by_name.emplace(input.name, path);
    if (!added && arguments.wait) {
      throw std::runtime_error("the results of " + other->second + " and " + path + " would both be " + input.output +
                               ": submit them separately");
    }
    inputs.push_back(std::move(input));
  }
  return inputs;
}

OpenInput open_input(const SubmitInput& input, int standard_input) {
  const bool is_file = input.path != "-" && std::filesystem::is_regular_file(input.path);
  base::File file = is_file ? base::File::open(input.path)
                    : input.path == "-"
                        ? copy_of_stream(standard_input, "standard input")
                        : copy_of_stream(base::File::open(input.path).descriptor(), input.path);
  std::string hash = sha256_of(file);
  return {std::make_shared<base::File>(std::move(file)), std::move(hash)};
}

}  // namespace cli
