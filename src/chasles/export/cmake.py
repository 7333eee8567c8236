"""CMakeLists.txt of a folder of exported functions: a library of each and, by ctest, a test.

A header is of an export where its guard says so: those of others, and their sources, are left alone. Tests are built
where the folder is a project of its own whose programs can be run; `CHASLES_TESTS` says otherwise.
"""

from __future__ import annotations

from string import Template

_TEXT = Template("""cmake_minimum_required(VERSION $version)
get_filename_component(folder $${CMAKE_CURRENT_SOURCE_DIR} NAME)
string(MAKE_C_IDENTIFIER exported_$${folder} folder)
${before}project($${folder} LANGUAGES $language)

set(runs OFF)
if(CMAKE_SOURCE_DIR STREQUAL CMAKE_CURRENT_SOURCE_DIR AND (NOT CMAKE_CROSSCOMPILING OR CMAKE_CROSSCOMPILING_EMULATOR))
  set(runs ON)
endif()
option(CHASLES_TESTS "Build the tests of exported functions" $${runs})
if(CHASLES_TESTS)
  enable_testing()
endif()

file(GLOB headers RELATIVE $${CMAKE_CURRENT_SOURCE_DIR} CONFIGURE_DEPENDS *.$header)
foreach(header $${headers})
  string(REGEX REPLACE "\\\\.$header$$" "" name $${header})
  set(path $${CMAKE_CURRENT_SOURCE_DIR}/$${name})
  string(TOUPPER "#ifndef CHASLES_$${name}_$header" expected)
  file(STRINGS $${path}.$header guard LIMIT_COUNT 1 REGEX "^#ifndef CHASLES_")
  string(TOUPPER "$${guard}" guard)
  if(guard STREQUAL expected AND EXISTS $${path}.$source)
    add_library($${name}_$target STATIC $${name}.$source $${header})
    target_include_directories($${name}_$target PUBLIC $${CMAKE_CURRENT_SOURCE_DIR})
${library}    if(CHASLES_TESTS AND EXISTS $${path}_test.$source)
      add_executable($${name}_test $${name}_test.$source)
      target_link_libraries($${name}_test PRIVATE $${name}_$target)
      add_test(NAME $${name} COMMAND $${name}_test)
    endif()
  endif()
endforeach()
""")

_OF_C = """    set_target_properties(${name}_c PROPERTIES
      OUTPUT_NAME ${name} C_STANDARD 99 C_STANDARD_REQUIRED ON C_EXTENSIONS OFF)
    if(UNIX OR CMAKE_C_COMPILER_ID STREQUAL "GNU")
      target_link_libraries(${name}_c PUBLIC m)
    endif()
"""

_OF_CUDA = """if(NOT DEFINED CMAKE_CUDA_ARCHITECTURES)
  set(CMAKE_CUDA_ARCHITECTURES 80) # later devices compile its PTX when they load it
endif()
"""

C = _TEXT.substitute(version="3.12", language="C", target="c", source="c", header="h", before="", library=_OF_C)
CUDA = _TEXT.substitute(
    version="3.18", language="CUDA", target="cuda", source="cu", header="cuh", before=_OF_CUDA, library=""
)
