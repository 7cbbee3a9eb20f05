# package.cmake - what "cmake --install" puts where, and the Debian package that cpack makes of it.
#
#   cpack --config build/CPackConfig.cmake -B build/package     makes regimed_VERSION-1_ARCH.deb
# The build has made what is packed: an install does not build the tests as well.
set(CMAKE_SKIP_INSTALL_ALL_DEPENDENCY ON)

set(REGIME_MAINTAINER "The Regime authors <regime@regime.invalid>" CACHE STRING "who answers for a package")

# The units name /usr/bin; a package has no other prefix.
install(TARGETS regimed RUNTIME DESTINATION bin)
install(FILES deploy/systemd/regimed.service deploy/systemd/regimed.socket
              deploy/systemd/regimed-backup.service deploy/systemd/regimed-backup.timer DESTINATION lib/systemd/system)
install(FILES deploy/systemd/regimed.conf DESTINATION /etc)
install(FILES deploy/systemd/regimed.sysusers DESTINATION lib/sysusers.d RENAME regimed.conf)
install(PROGRAMS deploy/systemd/regimed-backup.sh DESTINATION lib/regimed RENAME regimed-backup)
install(FILES README.md NOTICE DESTINATION share/doc/regimed)
install(FILES deploy/README.md DESTINATION share/doc/regimed RENAME handbook.md)
install(FILES deploy/debian/copyright DESTINATION share/doc/regimed)
install(FILES deploy/systemd/litestream-regime.yml deploy/nginx/regime.conf deploy/haproxy/haproxy.cfg deploy/prometheus/scrape.yml
              deploy/prometheus/regime-rules.yml deploy/grafana/regime-service.json
              deploy/grafana/regime-planner.json DESTINATION share/doc/regimed/examples)
install(FILES deploy/debian/lintian-overrides DESTINATION share/lintian/overrides RENAME regimed)

# The man page is what --help says; it and the changelog are compressed as Debian wants them.
find_program(HELP2MAN help2man)
find_program(GZIP gzip)
set(PACKAGE_TEXTS ${CMAKE_BINARY_DIR}/package-texts)
if(HELP2MAN AND GZIP AND CMAKE_BUILD_TYPE STREQUAL "Release")
  add_custom_command(
    OUTPUT ${PACKAGE_TEXTS}/regimed.1.gz
    COMMAND ${CMAKE_COMMAND} -E make_directory ${PACKAGE_TEXTS}
    COMMAND ${HELP2MAN} --no-info --name "plans LLM serving over HTTP" --include
            ${CMAKE_SOURCE_DIR}/deploy/debian/regimed.h2m --output ${PACKAGE_TEXTS}/regimed.1 $<TARGET_FILE:regimed>
    COMMAND ${GZIP} -9nf ${PACKAGE_TEXTS}/regimed.1
    DEPENDS regimed deploy/debian/regimed.h2m
    COMMENT "The man page")
  add_custom_target(man ALL DEPENDS ${PACKAGE_TEXTS}/regimed.1.gz)
  install(FILES ${PACKAGE_TEXTS}/regimed.1.gz DESTINATION share/man/man1 OPTIONAL)
endif()
if(GZIP)
  add_custom_command(
    OUTPUT ${PACKAGE_TEXTS}/changelog.Debian.gz
    COMMAND ${CMAKE_COMMAND} -E make_directory ${PACKAGE_TEXTS}
    COMMAND ${CMAKE_COMMAND} -E copy ${CMAKE_SOURCE_DIR}/deploy/debian/changelog ${PACKAGE_TEXTS}/changelog.Debian
    COMMAND ${GZIP} -9nf ${PACKAGE_TEXTS}/changelog.Debian
    DEPENDS deploy/debian/changelog)
  add_custom_target(changelog ALL DEPENDS ${PACKAGE_TEXTS}/changelog.Debian.gz)
  install(FILES ${PACKAGE_TEXTS}/changelog.Debian.gz DESTINATION share/doc/regimed OPTIONAL)
endif()

set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_STRIP_FILES ON)
set(CPACK_PACKAGE_NAME regimed)
set(CPACK_SET_DESTDIR ON)
set(CPACK_INSTALL_PREFIX /usr)
set(CPACK_PACKAGE_CONTACT "${REGIME_MAINTAINER}")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "plans LLM serving over HTTP")
file(READ deploy/debian/description CPACK_PACKAGE_DESCRIPTION)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_RELEASE 1)
set(CPACK_DEBIAN_PACKAGE_SECTION net)
set(CPACK_DEBIAN_PACKAGE_PRIORITY optional)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
# systemd-sysusers makes the user, deb-systemd-helper enables the units.
set(CPACK_DEBIAN_PACKAGE_DEPENDS "init-system-helpers (>= 1.54~), systemd | systemd-standalone-sysusers")
set(CPACK_DEBIAN_PACKAGE_CONTROL_STRICT_PERMISSION ON)
foreach(script conffiles postinst prerm postrm)
  list(APPEND CPACK_DEBIAN_PACKAGE_CONTROL_EXTRA ${CMAKE_SOURCE_DIR}/deploy/debian/${script})
endforeach()
set(CPACK_INSTALL_DEFAULT_DIRECTORY_PERMISSIONS OWNER_READ OWNER_WRITE OWNER_EXECUTE GROUP_READ GROUP_EXECUTE
                                                WORLD_READ WORLD_EXECUTE)
include(CPack)
