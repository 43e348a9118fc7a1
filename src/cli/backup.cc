// SPDX-License-Identifier: Apache-2.0
// stoker backup
#include "backup/backup.h"

#include <chrono>
#include <ostream>
#include <stdexcept>

#include "cli/commands.h"
#include "cli/json.h"
#include "cli/line_stream.h"
#include "cli/profile.h"
#include "cli/terminal_text.h"
#include "shapes/stoker/names.h"

namespace cli {
namespace {

using shapes::stoker::BackupCheck;
using shapes::stoker::BackupReport;

base::Time time_now() { return base::SystemClock().now(); }

// While the server holds its files.
BackupReport live_backup(const Options& options, const std::string& folder) {
  const LineRequest request{"/stoker/backup", shapes::stoker::kService, "stoker", "the hold of the server's files"};
  std::optional<BackupReport> report;
  read_lines(read_profile(options), request, [&](std::string_view) {
    report = ::backup::make_backup(options.data, folder, true, time_now());
    return false;
  });
  if (!report) throw std::runtime_error("the server ended the backup early");
  return *report;
}

int show_check(const Options& options, const BackupCheck& check, std::ostream& out) {
  if (options.json) {
    print_json(out, check);
  } else {
    for (const std::string& problem : check.problems) out << terminal_text(problem) << '\n';
    out << "backup of " << check.createdAt << ": " << check.checked << " objects, parts and log chunks of " << check.bytes
        << " bytes read, ";
    out << (check.problems.empty() ? "all intact" : std::to_string(check.problems.size()) + " problems found") << '\n';
  }
  return check.problems.empty() ? 0 : 1;
}

}  // namespace

int backup(const Options& options, const BackupArguments& arguments, std::ostream& out) {
  if (arguments.verify) return show_check(options, ::backup::verify_backup(arguments.folder), out);
  if (options.remote) throw std::runtime_error("`stoker backup` copies a data folder of this machine: use it there, or with --data");
  const bool live = ::backup::is_open(options.data);
  const BackupReport report = live ? live_backup(options, arguments.folder)
                                   : ::backup::make_backup(options.data, arguments.folder, false, time_now());
  if (options.json) {
    print_json(out, report);
    return 0;
  }
  out << "backed up to " << arguments.folder << ": a database of " << report.databaseBytes << " bytes, "
      << report.copiedFiles << " new files of " << report.copiedBytes << " bytes; " << report.keptFiles
      << " files were there, " << report.removedFiles << " were removed\n";
  return 0;
}

}  // namespace cli
