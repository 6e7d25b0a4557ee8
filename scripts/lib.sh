# SPDX-License-Identifier: Apache-2.0
# Functions for the other scripts, which source this file.
# shellcheck shell=bash

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
# The header of the last column in the tables of docs/reference/systems.md.
# shellcheck disable=SC2034  # the scripts that write these tables use it
readonly tested_commit='tested commit, day'

# failed_tests <log> <exit status> prints how many tests of ctest's log failed, for example "3 of 46".
failed_tests() {
    sed -nE 's/^[0-9]+% tests passed, ([0-9]+) tests? failed out of ([0-9]+).*/\1 of \2/p' "$1" | grep . ||
        echo "no test ran (exit status $2)"
}

say() {
    printf '==> %s\n' "$*"
}

# die <exit status> <message>: ends the script.
die() {
    printf 'scripts/%s: %s\n' "$(basename "$0")" "$2" >&2
    exit "$1"
}

# put <file> <name> replaces the generated part <name> of the file. The new text comes from standard input.
put() {
    local new
    new=$(mktemp)
    awk -v name="$2" -v script="$(basename "$0")" '
        FNR == NR { text = text $0 "\n"; next }
        $0 == "<!-- end of " name " -->" { inside = 0 }
        !inside { print }
        $0 == "<!-- scripts/" script " makes " name " -->" { inside = 1; printf "%s", text }
    ' - "$1" >"$new"
    cat "$new" >"$1"
    rm "$new"
}

# part <file> <name> prints the generated part <name> of the file.
part() {
    sed -n "/^<!-- scripts\/.* makes $2 -->\$/,/^<!-- end of $2 -->\$/p" "$1"
}

# packages_of <group>... prints the packages of these groups, each once.
packages_of() {
    local group
    for group in "$@"; do
        sed -n "s/^$group //p" "$root/scripts/packages"
    done | tr ' ' '\n' | sort -u
}

# upstream_version: reads the version of a Debian package, such as "1:5.0.3-4+deb12u1", and prints "5.0.3".
upstream_version() {
    sed -E 's/^[0-9]+://; s/[-+~].*//'
}

is_installed() {
    [[ $(dpkg-query -W -f '${db:Status-Status}' "$1" 2>/dev/null) == installed ]]
}

on_debian() (
    [[ -r /etc/os-release ]] || return 1
    . /etc/os-release
    [[ " ${ID:-} ${ID_LIKE:-} " == *" debian "* ]]
)

as_root() {
    if ((EUID == 0)); then
        "$@"
    elif command -v sudo >/dev/null; then
        sudo "$@"
    else
        die 2 "needs root or sudo to run: $*"
    fi
}

# wants_help <argument>... succeeds if an argument asks for help.
wants_help() {
    [[ " $* " == *" --help "* || " $* " == *" -h "* ]]
}

# help_of <program> <page> <argument>...: if an argument asks for help, prints the program's help and ends the script.
# Builds nothing: if there is no program yet, prints which page describes the options.
help_of() {
    local program=$1 page=$2
    shift 2
    wants_help "$@" || return 0
    [[ ! -x $program ]] || exec "$program" --help
    cat <<END
usage: scripts/$(basename "$0") [OPTION]...

Installs missing packages, builds a program, and runs the program with the options. $page
describes the program. After the first build, --help lists the options.
END
    exit 0
}

# configure <folder> <cmake argument>...: configures build/<folder>.
configure() {
    local log=build/$1.configure.log
    mkdir -p build
    cmake -B "build/$1" "${@:2}" >"$log" || die 1 "configuring failed; its output is in $log"
}

# build_dev <target>: installs missing packages, and builds the target with the preset dev.
build_dev() {
    install_packages build test
    configure dev --preset dev
    cmake --build --preset dev --target "$1"
}

# build_release <target> [<cmake argument>...]: builds the target with the preset release.
build_release() {
    configure release --preset release "${@:2}"
    cmake --build --preset release --target "$1"
}

# configure_tests <folder>: configures build/<folder> for the programs of tests/, with the preset release.
configure_tests() {
    configure "$1" --preset release -D TURNSTILE_BUILD_TESTS=ON -D TURNSTILE_BUILD_EXAMPLES=OFF \
        -D TURNSTILE_BUILD_DEMO=OFF -D TURNSTILE_BUILD_BENCH=OFF
}

# Installs a browser and the npm packages for the tests of the admin page (tests/admin/page/package-lock.json). If that
# fails, ctest reports these tests as skipped.
install_page_tools() {
    local tools=$root/build/page log=$root/build/page/npm.log authorities=/etc/ssl/certs/ca-certificates.crt
    if ! (install_packages page && { command -v npm >/dev/null || install_packages page-npm; }); then
        say "no browser, or no npm: the tests of the admin page will be skipped"
        return 0
    fi
    mkdir -p "$tools"
    if [[ -d $tools/node_modules ]] && cmp -s "$root/tests/admin/page/package-lock.json" "$tools/package-lock.json"; then
        return 0
    fi
    say "installing playwright-core and axe-core"
    cp "$root"/tests/admin/page/package{,-lock}.json "$tools"
    # Node trusts only its built-in certificate authorities. This variable adds the machine's authorities.
    local -x NODE_EXTRA_CA_CERTS=${NODE_EXTRA_CA_CERTS:-$authorities}
    if ! npm ci --prefix "$tools" --ignore-scripts --no-audit --no-fund >"$log" 2>&1; then
        rm -rf "$tools/node_modules" "$tools/package-lock.json"
        say "npm failed (build/page/npm.log): the tests of the admin page will be skipped"
    fi
}

# install_packages <group>... installs the missing packages of these groups. If none is missing, the function needs
# neither the network nor root.
install_packages() {
    local package missing=()
    if ! on_debian; then
        die 2 "installs packages on Debian and Ubuntu only; on this system install the equivalents of:
$(packages_of "$@")
and use the CMake presets (cmake --list-presets)"
    fi
    while read -r package; do
        is_installed "$package" || missing+=("$package")
    done < <(packages_of "$@")
    ((${#missing[@]})) || return 0

    say "installing ${missing[*]}"
    as_root env DEBIAN_FRONTEND=noninteractive apt-get -q -o Acquire::Retries=3 update
    as_root env DEBIAN_FRONTEND=noninteractive apt-get -q -y -o Acquire::Retries=3 \
        install --no-install-recommends "${missing[@]}"
}

# make_debian_root <suite> <folder> [<package>,...] makes a root folder (the files of a minimal Debian system) with
# these packages, unless an earlier run has made it. A mirror's Release file for sid may have expired. So apt does not
# check the date of this file.
make_debian_root() {
    local mirror=${TURNSTILE_MIRROR:-http://deb.debian.org/debian}
    [[ -e $2/.complete ]] && return 0
    command -v debootstrap >/dev/null || install_packages debian-root
    say "making a root of $1 in $2"
    rm -rf "$2"
    mkdir -p "$2"
    debootstrap --variant=minbase ${3:+"--include=$3"} "$1" "$2" "$mirror" >"$2.log" ||
        die 1 "debootstrap of $1 failed; its output is in $2.log"
    echo 'Acquire::Check-Valid-Until "false";' >"$2/etc/apt/apt.conf.d/00no-valid-until"
    cp /etc/apt/apt.conf.d/*proxy* "$2/etc/apt/apt.conf.d/" 2>/dev/null || true
    touch "$2/.complete"
}

# in_debian_root <folder> <shell line> runs the line inside a root folder that make_debian_root has made. The mounts and
# the processes in the root folder end with the line. The word `exit` at the end keeps the shell as the namespace's
# first process, which has to reap orphans. The function mounts the root folder on itself, because a test that makes a
# mount namespace needs a mount as its root.
in_debian_root() {
    # shellcheck disable=SC2016 # the inner shell expands the variables
    unshare --mount --pid --fork --propagation private bash -ec '
        mount --bind "$0" "$0"
        mount -t proc proc "$0/proc"
        mount --rbind /sys "$0/sys"
        mount --rbind /dev "$0/dev"
        mount -t tmpfs tmpfs "$0/dev/shm"
        cp /etc/resolv.conf "$0/etc/resolv.conf"
        exec chroot "$0" /usr/bin/env -i PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin HOME=/root \
            LANG=C.UTF-8 DEBIAN_FRONTEND=noninteractive bash -euc "$1"$'\''\n'\''"exit"' "$1" "$2"
}
