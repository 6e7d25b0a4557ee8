// SPDX-License-Identifier: Apache-2.0
// The help pages of the operators' commands, and of the commands about the program itself.
#include "cli/help.hpp"

namespace turnstile::cli {

std::string mkdir_help() {
    return std::string{
               R"(Create a folder, the folders above it, and the chroot of the connect string.
Existing folders stay unchanged.

Usage: turnstile mkdir [OPTION]... PATH

  PATH                  the folder; / for the chroot alone
)"}
               .append(servers_help()) +
           R"(
Locks need no folder: the first lock at a path creates it, and the servers
remove it when the last lock is free. The folders that mkdir creates remain.
A chroot (zk1:2181/shop) must exist before programs use it. If you set
the option --credentials-file, only the user in that file has access to the
new folders.

Examples:
  turnstile mkdir --servers zk1:2181/shop /
  turnstile mkdir /shop/locks
)";
}

std::string sessions_help() {
    return std::string{
               R"(List the sessions that have contenders or other ephemeral znodes below a path:
hosts, addresses, servers and znodes.

Usage: turnstile sessions [OPTION]... [PREFIX]

  PREFIX                the folder whose sessions are listed [/]
  -o, --output FORM     text, wide (with each znode) or json [text]
)"}
               .append(servers_help()) +
           R"(
HOST, PID and LABEL are from contenders' znodes. ZooKeeper servers give
addresses, and znodes that are no contenders, only with cons and dump in their
4lw.commands.whitelist; servers of other kinds never give them. The last line
says what is missing.

Only a session's owner can close it, because only the owner has its password. To
take a lock from a session: turnstile take --znode NAME --reason TEXT PATH.

Examples:
  turnstile sessions /locks
  turnstile sessions -o json | jq '.sessions[] | select(.host == "web-2")'
)";
}

std::string doctor_help() {
    return std::string{
               R"(Find problems of the servers, of the settings for them, and of a path, and print
a remedy for each.

Usage: turnstile doctor [OPTION]... [PATH]

  PATH                  folder of the locks, present or future [/]
  -o, --output FORM     text or json [text]
)"}
               .append(servers_help()) +
           R"(
The doctor asks each server about itself, opens a session, and creates and
removes one znode at PATH (turnstile-trial-...). Below PATH it looks for
contenders that belong to no session, for znodes that are no contenders, and for
kinds of locks that share a path. Give turnstile doctor the options that your
programs use. An empty folder is no problem: it remains from a free lock.

A problem keeps locks from working or from being safe. A warning makes them
slower or less safe. A note is for your information.

Exit codes: 0 only notes; 1 a problem or a warning; 64, 69, 74 and 77 as with
turnstile run.

Examples:
  turnstile doctor /locks
  turnstile doctor -o json /locks | jq -r '.findings[] | .weight + " " + .text'
)";
}

std::string bench_help() {
    return std::string{
               R"(Measure how fast your servers pass one mutex between clients. The measurement
puts load on the servers.

Usage: turnstile bench [OPTION]...

  --path PATH           a folder for the lock; removed afterwards if it is new
                        [/turnstile-bench]
  --seconds N           duration, at most 600 [5]
  --clients N           number of sessions, at most 64 [4]
  -o, --output FORM     text or json [text]
  -y, --yes             ask no question on the terminal
)"}
               .append(servers_help()) +
           R"(
An acquire lasts from the call to the grant, a hand-over from one client's
release to the next client's grant. The servers report how many packets they
received meanwhile. Ctrl-C ends the measurement early, removes its znodes, and
prints the results so far.

Example:
  turnstile bench --clients 8 --seconds 10
)";
}

std::string completion_help() {
    return R"(Print the word completion of turnstile for a shell: commands, options, and
values of options with a choice. The installation of turnstile includes it.

Usage: turnstile completion SHELL

  SHELL                 bash, zsh or fish

Examples:
  . <(turnstile completion bash)
  turnstile completion fish > ~/.config/fish/completions/turnstile.fish
)";
}

std::string manual_help() {
    return R"(Print a manual page for man(1). The installation of turnstile includes all
manual pages.

Usage: turnstile manual [COMMAND]

  COMMAND               turnstile-COMMAND(1); without it turnstile(1)

Example:
  turnstile manual elect | man -l -
)";
}

}  // namespace turnstile::cli
