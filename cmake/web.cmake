# web.cmake - bundles web/ and writes it as C sources (run by the build: cmake -P).
#
#   cmake -DSOURCE=web -DOUT=build/web -DNODE=... -DNPM=... -DREQUIRED=ON|OFF -P web.cmake
#
# Without Node.js or the npm registry the table of files is empty, unless the pages are required.
set(why "")
if(NOT NODE OR NOT NPM)
  set(why "there is no Node.js with npm")
else()
  # What is installed is what the lock file says, or it is installed again.
  file(SHA256 ${SOURCE}/package-lock.json lock)
  set(kept "")
  if(EXISTS ${SOURCE}/node_modules/.lock-sha256)
    file(READ ${SOURCE}/node_modules/.lock-sha256 kept)
  endif()
  if(NOT kept STREQUAL lock)
    execute_process(COMMAND ${NPM} ci --ignore-scripts --no-audit --no-fund WORKING_DIRECTORY ${SOURCE}
                    RESULT_VARIABLE failed)
    if(failed)
      set(why "npm ci failed")
    else()
      file(WRITE ${SOURCE}/node_modules/.lock-sha256 ${lock})
    endif()
  endif()
endif()

if(NOT why)
  execute_process(COMMAND ${NODE} ${SOURCE}/build.mjs ${OUT} RESULT_VARIABLE failed)
  if(failed)
    message(FATAL_ERROR "the pages could not be bundled")
  endif()
  return()
endif()

if(REQUIRED)
  message(FATAL_ERROR "${why}, and the pages are required (REGIME_WEB=ON)")
endif()
message("-- ${why}: the daemon is built without the pages with charts")
file(MAKE_DIRECTORY ${OUT})
file(WRITE ${OUT}/assets.S "    .section .note.GNU-stack,\"\",%progbits\n")
file(WRITE ${OUT}/assets.c "#include \"assets.h\"\n\nconst struct asset ASSETS[1];\nconst size_t N_ASSETS = 0;\nconst char ASSETS_VERSION[] = \"\";\n")
