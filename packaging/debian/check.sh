#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Installs and uses the packages in a minimal system, and writes the findings to /check/report. `scripts/package
# --check` runs this script inside the system, where /check contains the packages and README's program. The arguments
# name further Debian packages that the script installs, such as a compiler.
set -euo pipefail

fail() {
    echo "check: $*" >&2
    exit 1
}

install() {
    apt-get -q -y -o Acquire::Retries=3 install --no-install-recommends "$@" >>/check/apt.log 2>&1 ||
        { tail -20 /check/apt.log >&2; fail "apt-get install $*"; }
}

cd /check/packages
apt-get -q -o Acquire::Retries=3 update >/check/apt.log 2>&1 || { tail /check/apt.log >&2; fail "apt-get update"; }

# The library and the command without modules must not install a client library of Redis or of a database.
install ./libturnstile0*.deb ./turnstile_*.deb
turnstile --version | tee /check/version
dpkg-query -W -f '${Package}\n' >/check/with_core
! grep -E '^(libhiredis|libpq|libmariadb)' /check/with_core || fail "the core needs another kind's client library"
loaded=$(turnstile ls / --servers redis://127.0.0.1:1 2>&1) && fail "a module that is not installed: $loaded"
[[ $loaded == *"package libturnstile-redis"* ]] || fail "without the module: $loaded"

install ./*.deb "$@"
turnstile --version | tee -a /check/version
grep -q 'back ends: zookeeper, local, tls, redis, sqlite, postgresql, mariadb' /check/version || fail "a back end is absent"

# Builds README's program with find_package and with pkg-config.
mkdir -p /check/project
cp /check/check.cmake /check/project/CMakeLists.txt
cmake -S /check/project -B /check/project/build >/check/cmake.log || { cat /check/cmake.log; fail cmake; }
cmake --build /check/project/build >>/check/cmake.log || { cat /check/cmake.log; fail build; }
/check/project/build/service | grep 'held, token' || fail "README's program by find_package"
# shellcheck disable=SC2046 # the shell must split pkg-config's output into options
g++ -std=c++20 /check/service.cpp -o /check/service $(pkg-config --cflags --libs turnstile)
/check/service | grep 'held, token' || fail "README's program by pkg-config"
needed=$(ldd /check/service)
[[ $needed != *hiredis* && $needed != *libpq* && $needed != *libmariadb* ]] || fail "the program loads $needed"

# Runs the program `turnstile` as an ordinary user, first with a private ZooKeeper server and then with an SQLite file.
useradd --create-home user
as_user() {
    setpriv --reuid=user --regid=user --clear-groups env HOME=/home/user "$@"
}
cd /home/user
as_user turnstile dev -- turnstile run /locks/check -- echo "held on ZooKeeper" | grep 'held on ZooKeeper'
as_user turnstile run --servers sqlite:/home/user/locks.db /locks/check -- echo "held on SQLite" | grep 'held on SQLite'
[[ -x /usr/libexec/turnstile/turnstile-guardian ]] || fail "no guardian"
[[ -x /usr/libexec/turnstile/turnstile-session-end ]] || fail "no turnstile-session-end"
for file in man/man1/turnstile-run.1.gz bash-completion/completions/turnstile doc/turnstile-doc/README.md; do
    [[ -s /usr/share/$file ]] || fail "no /usr/share/$file"
done
count=$(find /check/packages -name '*.deb' | wc -l)
compilers="$(g++ -dumpfullversion), CMake $(cmake --version | awk 'NR == 1 { print $3 }')"

# Checks that removing the packages leaves no file.
apt-get -q -y purge 'libturnstile*' turnstile turnstile-doc >>/check/apt.log 2>&1 || fail "apt-get purge"
left=$(find /usr /etc /var/lib -name '*turnstile*' ! -path '/var/lib/dpkg/*' ! -path '/var/lib/apt/*')
[[ -z $left ]] || fail "left behind: $left"
echo "g++ $compilers | $count" >/check/report
