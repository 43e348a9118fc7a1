// SPDX-License-Identifier: Apache-2.0
// A VFS of SQLite's that gathers what is written to the log. SQLite writes each page in two calls, a head
// of 24 bytes and the page, and a commit has hundreds of them: as few large calls they cost the
// kernel a third.
#pragma once

struct sqlite3;

namespace store {

// For sqlite3_open_v2, by the one connection that writes; registered by the first call. Nothing is held
// back past a sync, which every commit ends with (synchronous = FULL) before it tells other
// connections of what it wrote.
const char* buffering_vfs();

// Before a transaction is undone as a whole: what is held back of it is of no use any more, and must not be in
// the way of the next where the disk is full.
void forget_unwritten(sqlite3* db);

}  // namespace store
