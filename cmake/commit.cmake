# SPDX-License-Identifier: Apache-2.0
# cmake -DSOURCE=... -DOUTPUT=... -P commit.cmake
# Writes OUTPUT, a source with the commit of the checkout SOURCE, if it has changed. Runs with every build: one small
# source is compiled after a commit. Without git, as in a source archive, the commit is "unknown".
execute_process(COMMAND git -C ${SOURCE} describe --always --exclude=* --abbrev=12 --dirty
  OUTPUT_VARIABLE commit OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET RESULT_VARIABLE failed)
if(failed)
  set(commit "unknown")
endif()
file(CONFIGURE OUTPUT ${OUTPUT} CONTENT "extern const char kCommit[];\nconst char kCommit[] = \"${commit}\";\n" @ONLY)
