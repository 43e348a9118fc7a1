// SPDX-License-Identifier: Apache-2.0
// Backups of a data folder: a copy of the database, the files that it names, and a manifest.
//
// FOLDER/manifest.json   names the database's file; a backup is complete when this is written
// FOLDER/stoker-N.db     a snapshot, without a log
// FOLDER/objects, chunks as in the data folder; each backup adds what is new, and then removes what it does not need
#pragma once

#include <string>

#include "base/time.h"
#include "shapes/stoker/backup.h"

namespace backup {

// `live`: a server has the data folder open, and deletes no file until this returns. Otherwise the caller has checked
// that none does. If it fails or is killed, the backup before it is complete.
shapes::stoker::BackupReport make_backup(const std::string& data, const std::string& folder, bool live, base::Time now);

// Reads all of it.
shapes::stoker::BackupCheck verify_backup(const std::string& folder);

// Fills `data`, which must be absent or empty. A data folder without a complete database is not started.
void restore_backup(const std::string& folder, const std::string& data);

// Whether a server has the data folder open. Throws where there is no database in it.
bool is_open(const std::string& data);

}  // namespace backup
