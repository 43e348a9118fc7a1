// SPDX-License-Identifier: Apache-2.0
// A VFS for SQLite that buffers writes to the log. SQLite writes each page in two calls, a header of 24 bytes and the
// page, and a commit has hundreds of them: a few large calls cost the kernel a third.
#pragma once

struct sqlite3;

namespace store {

// The VFS's name for sqlite3_open_v2, for the writing connection only. Registers it on the first call. The buffer is
// written at each sync, which ends every commit (synchronous = FULL) before other connections see the commit.
const char* buffering_vfs();

// Discards the buffer. Call before rolling back a transaction: its pages are useless, and on a full disk they would
// fail the next transaction.
void forget_unwritten(sqlite3* db);

}  // namespace store
