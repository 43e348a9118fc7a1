# SPDX-License-Identifier: Apache-2.0
# module(folder DEPS folder... LIBS library... [BELOW pattern])
#
# src/<folder>/*.cc, and what BELOW matches further down, becomes one static library, its
# x_test.cc files one test program. DEPS are the only folders of ours that it may include from:
# tools/tidy.py reads them from the same line and checks every #include.
function(module folder)
  cmake_parse_arguments(arg "" "BELOW" "DEPS;LIBS" ${ARGN})
  string(REPLACE "/" "_" target ${folder})
  file(GLOB sources CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/${folder}/*.cc)
  if(arg_BELOW)
    file(GLOB below CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/${folder}/${arg_BELOW})
    list(APPEND sources ${below})
  endif()
  set(tests ${sources})
  list(FILTER tests INCLUDE REGEX "_test\\.cc$")
  list(FILTER sources EXCLUDE REGEX "_test\\.cc$")

  set(needed "")
  foreach(dep ${arg_DEPS})
    string(REPLACE "/" "_" dep_target ${dep})
    list(APPEND needed ${dep_target})
  endforeach()

  if(sources)
    add_library(${target} STATIC ${sources})
    target_include_directories(${target} PUBLIC ${PROJECT_SOURCE_DIR}/src)
    target_link_libraries(${target} PUBLIC ${needed} ${arg_LIBS})
  else()
    add_library(${target} INTERFACE)
    target_include_directories(${target} INTERFACE ${PROJECT_SOURCE_DIR}/src)
    target_link_libraries(${target} INTERFACE ${needed} ${arg_LIBS})
  endif()

  if(tests AND NOT STOKER_FUZZ)
    add_executable(${target}_test ${tests})
    target_link_libraries(${target}_test PRIVATE ${target} GTest::gmock GTest::gtest_main)
    # A test's own code runs once: to optimise it takes longer than it could save.
    target_compile_options(${target}_test PRIVATE -O0)
    add_test(NAME unit.${target} COMMAND ${target}_test --gtest_brief=1)
    set_tests_properties(unit.${target} PROPERTIES TIMEOUT 600)
  endif()
endfunction()
