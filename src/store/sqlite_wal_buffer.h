// SPDX-License-Identifier: Apache-2.0
// A VFS of SQLite's that gathers what is written to the log. SQLite writes each page in two calls, a head
// of 24 bytes and the page, and a commit has hundreds of them: as few large calls they cost the
// kernel a third.
#pragma once

namespace store {

// For sqlite3_open_v2, by the one connection that writes; registered by the first call. Nothing is held
// back past a sync, which every commit ends with (synchronous = FULL) before it tells other
// connections of what it wrote. What a transaction that was undone wrote may be held back for longer, behind the
// log's end: nobody else must write there.
const char* buffering_vfs();

}  // namespace store
