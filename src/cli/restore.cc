// SPDX-License-Identifier: Apache-2.0
// stoker restore
#include <ostream>
#include <stdexcept>

#include "backup/backup.h"
#include "cli/commands.h"
#include "cli/json.h"

namespace cli {
namespace {

struct RestoredFolder {
  std::string backup, data;
};
BOOST_DESCRIBE_STRUCT(RestoredFolder, (), (backup, data))

}  // namespace

int restore(const Options& options, const std::string& folder, std::ostream& out) {
  if (options.remote) throw std::runtime_error("`stoker restore` makes a data folder of this machine: use it there, or with --data");
  ::backup::restore_backup(folder, options.data);
  if (options.json) {
    print_json(out, RestoredFolder{folder, options.data});
    return 0;
  }
  out << "restored " << folder << " to " << options.data << ": start it with `stoker up --data " << options.data << "`\n";
  return 0;
}

}  // namespace cli
