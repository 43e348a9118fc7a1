// SPDX-License-Identifier: Apache-2.0
#include "ocr/pdf.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <system_error>

#include "base/duration.h"
#include "base/utf8.h"

namespace ocr {
namespace {

constexpr std::size_t kMaxInfoBytes = 8 << 20;   // 1,000 pages take 70 KB
constexpr std::size_t kMaxErrorBytes = 4 << 10;  // that are read of what poppler complains about
constexpr std::size_t kMaxReasonLength = 160;
constexpr std::int64_t kHeaderBytes = 64;  // of a PGM

Descriptor new_memory_file(const char* name) {
  Descriptor made(::memfd_create(name, MFD_CLOEXEC));
  if (!made) throw std::system_error(errno, std::generic_category(), "memfd_create");
  return made;
}

std::string read_beginning(int file, std::size_t size) {
  std::string text(size, '\0');
  const ssize_t got = ::pread(file, text.data(), size, 0);
  text.resize(got > 0 ? std::size_t(got) : 0);
  return text;
}

// A run of one of poppler's programs.
struct PopplerRun {
  bool ended = false;  // before the deadline
  int status = 0;
  Descriptor output;
  std::string errors;
};

PopplerRun run_poppler(std::vector<std::string> arguments, int file, std::int64_t output_bytes, const Limits& limits, Deadline deadline) {
  PopplerRun run;
  run.output = new_memory_file("output");
  const Descriptor errors = new_memory_file("errors");
  ::lseek(file, 0, SEEK_SET);
  ChildCommand command;
  command.arguments = std::move(arguments);
  command.environment = {"PATH=/usr/bin:/bin", "LC_ALL=C.UTF-8", "HOME=/nonexistent"};
  command.input = file;
  command.output = run.output.get();
  command.errors = errors.get();
  command.limits = {limits.render_memory_bytes, limits.render_cpu, output_bytes};
  command.hidden_files = true;
  Child child(command);
  run.ended = child.wait(deadline);
  run.status = child.end();
  run.errors = read_beginning(errors.get(), kMaxErrorBytes);
  return run;
}

// The first complaint: "Syntax Error: Couldn't find trailer dictionary".
std::string first_line(std::string_view errors) {
  const std::string_view line = errors.substr(0, errors.find('\n'));
  return base::to_printable(line.substr(0, kMaxReasonLength));
}

bool needs_password(std::string_view errors) {
  return errors.find("Incorrect password") != errors.npos || errors.find("security handler") != errors.npos;
}

Failure poppler_failure(const PopplerRun& run, const std::string& program, const Limits& limits) {
  if (!run.ended) return {kTimeout, "the time limit of " + base::duration_text(limits.timeout) + " for a file has passed"};
  if (WIFEXITED(run.status) && WEXITSTATUS(run.status) == kNotStarted) {
    return {kUnavailable, first_line(run.errors) + ": install the Debian package poppler-utils"};
  }
  if (needs_password(run.errors)) return {kEncryptedPdf, "the PDF needs a password: remove it (qpdf --decrypt) and send the file again"};
  if (WIFSIGNALED(run.status) && WTERMSIG(run.status) == SIGXCPU) {
    return {kTimeout, program + " used more than " + base::duration_text(limits.render_cpu) + " of processor time for a page"};
  }
  if (WIFSIGNALED(run.status) && WTERMSIG(run.status) == SIGXFSZ) return {kTooLarge, program + " wrote more bytes than the page may have"};
  if (WIFSIGNALED(run.status)) return {kBrokenFile, "the PDF can't be read: " + program + " " + describe_status(run.status)};
  const std::string reason = first_line(run.errors);
  return {kBrokenFile, "the PDF can't be read: " + (reason.empty() ? program + " " + describe_status(run.status) : reason)};
}

}  // namespace

std::variant<PdfInfo, Failure> read_pdf_info(int file, const Limits& limits, Deadline deadline) {
  const std::string last = std::to_string(limits.max_pages);
  const PopplerRun run = run_poppler({"pdfinfo", "-f", "1", "-l", last, "-"}, file, kMaxInfoBytes, limits, deadline);
  if (!run.ended || run.status != 0) return poppler_failure(run, "pdfinfo", limits);
  auto info = parse_pdf_info(read_beginning(run.output.get(), kMaxInfoBytes));
  if (!info) return Failure{kBrokenFile, info.error()};
  if (info->pages > limits.max_pages) {
    return Failure{kTooLarge, "the PDF has " + std::to_string(info->pages) + " pages; the limit is " + last + " (--max-pages)"};
  }
  if (std::int32_t(info->sizes.size()) != info->pages) {
    return Failure{kBrokenFile, "page " + std::to_string(info->sizes.size() + 1) + " of the PDF has no valid size"};
  }
  return *info;
}

std::variant<Descriptor, Failure> render_page(int file, std::int32_t page, std::int32_t dpi, const Limits& limits, Deadline deadline) {
  const std::string number = std::to_string(page);
  PopplerRun run = run_poppler({"pdftoppm", "-gray", "-r", std::to_string(dpi), "-f", number, "-l", number, "-"}, file,
                               limits.max_pixels + kHeaderBytes, limits, deadline);
  if (!run.ended || run.status != 0) return poppler_failure(run, "pdftoppm", limits);
  return std::move(run.output);
}

}  // namespace ocr
