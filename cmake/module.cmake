# SPDX-License-Identifier: Apache-2.0
# module(folder [COLD] [FOLDERS subfolder...] [DEPS folder...] [LIBS library...] [BELOW pattern] [APART source...])
#
# src/<folder>/*.cc, the same in its FOLDERS, and what BELOW matches further down, becomes one
# static library, its x_test.cc files one test program. DEPS are the only folders of ours that it
# may include from: tools/tidy.py reads them from the same line and checks every #include. COLD marks a module whose
# speed nobody notices: it is optimised less, which takes a third off its compilation.

# Several sources are compiled as one: most of a compiler's time goes into templates that all
# sources of a module instantiate alike. A group never spans two folders, so that one changed
# source recompiles its neighbours only. Sources in a module therefore share one anonymous
# namespace. APART names sources to compile by themselves; -DSTOKER_UNITY=OFF does so for all.
option(STOKER_UNITY "Compile the sources of a folder in groups" ON)
set(STOKER_GROUP_SIZE 8 CACHE STRING "Sources in a group")

# Adds `sources`, grouped, to `target`.
function(add_sources target)
  set(folders "")
  foreach(source ${ARGN})
    cmake_path(GET source FILENAME name)
    if(NOT STOKER_UNITY OR name IN_LIST arg_APART)
      target_sources(${target} PRIVATE ${source})
      continue()
    endif()
    cmake_path(RELATIVE_PATH source BASE_DIRECTORY ${PROJECT_SOURCE_DIR}/src OUTPUT_VARIABLE path)
    cmake_path(GET path PARENT_PATH folder)
    string(MAKE_C_IDENTIFIER "${folder}" key)
    list(APPEND folders ${key})
    list(APPEND paths_${key} ${path})
  endforeach()
  list(REMOVE_DUPLICATES folders)
  foreach(key ${folders})
    list(LENGTH paths_${key} count)
    math(EXPR groups "(${count} + ${STOKER_GROUP_SIZE} - 1) / ${STOKER_GROUP_SIZE}")
    math(EXPR size "(${count} + ${groups} - 1) / ${groups}")
    set(begin 0)
    while(begin LESS count)
      list(SUBLIST paths_${key} ${begin} ${size} group)
      list(TRANSFORM group REPLACE "(.+)" "#include \"\\1\"\n")
      list(JOIN group "" text)
      set(file ${CMAKE_CURRENT_BINARY_DIR}/groups/${target}_${key}_${begin}.cc)
      file(CONFIGURE OUTPUT ${file} CONTENT "${text}" @ONLY)
      target_sources(${target} PRIVATE ${file})
      math(EXPR begin "${begin} + ${size}")
    endwhile()
  endforeach()
endfunction()

function(module folder)
  cmake_parse_arguments(arg "COLD" "BELOW" "FOLDERS;DEPS;LIBS;APART" ${ARGN})
  string(REPLACE "/" "_" target ${folder})
  file(GLOB sources CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/${folder}/*.cc)
  foreach(pattern ${arg_BELOW})
    file(GLOB below CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/${folder}/${pattern})
    list(APPEND sources ${below})
  endforeach()
  foreach(subfolder ${arg_FOLDERS})
    file(GLOB below CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/${folder}/${subfolder}/*.cc)
    list(APPEND sources ${below})
  endforeach()
  set(tests ${sources})
  list(FILTER tests INCLUDE REGEX "_test\\.cc$")
  list(FILTER sources EXCLUDE REGEX "_test\\.cc$")

  set(needed "")
  foreach(dep ${arg_DEPS})
    string(REPLACE "/" "_" dep_target ${dep})
    list(APPEND needed ${dep_target})
  endforeach()

  if(sources)
    add_library(${target} STATIC)
    add_sources(${target} ${sources})
    target_include_directories(${target} PUBLIC ${PROJECT_SOURCE_DIR}/src)
    target_link_libraries(${target} PUBLIC ${needed} ${arg_LIBS})
    if(arg_COLD AND CMAKE_BUILD_TYPE STREQUAL "Release")
      target_compile_options(${target} PRIVATE -O1)
    endif()
  else()
    add_library(${target} INTERFACE)
    target_include_directories(${target} INTERFACE ${PROJECT_SOURCE_DIR}/src)
    target_link_libraries(${target} INTERFACE ${needed} ${arg_LIBS})
  endif()

  if(tests)
    add_executable(${target}_test)
    add_sources(${target}_test ${tests})
    target_link_libraries(${target}_test PRIVATE ${target} GTest::gmock GTest::gtest_main)
    # A test's own code runs once: to optimise it takes longer than it could save.
    target_compile_options(${target}_test PRIVATE -O0)
    # Nor is its arithmetic checked, a quarter of its compilation: that of the module is.
    if(STOKER_SANITIZE MATCHES "undefined")
      target_compile_options(${target}_test PRIVATE -fno-sanitize=undefined)
    endif()
    add_test(NAME unit.${target} COMMAND ${target}_test)
    set_tests_properties(unit.${target} PROPERTIES TIMEOUT 1800)
  endif()
endfunction()
