// SPDX-License-Identifier: Apache-2.0
// The pages of the commands for operators of servers, and of those that tell of the program itself.
#include "cli/help.hpp"

namespace turnstile::cli {

std::string mkdir_help() {
    return std::string{
               R"(Create a folder, with those above it and the chroot of the connect string. What
is there is left as it is.

Usage: turnstile mkdir [OPTION]... PATH

  PATH                  the folder; / for the chroot alone
)"}
               .append(servers_help()) +
           R"(
Locks need no folder: the first one at a path creates it, and it goes when the
last is free. A folder of this command stays. A chroot (zk1:2181/shop) has to be
there before programs use it. With --credentials-file the folders that are
created are for that user alone.

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

  PREFIX                the folder to look below [/]
  -o, --output FORM     text, wide (with each znode) or json [text]
)"}
               .append(servers_help()) +
           R"(
HOST, PID and LABEL stand in contenders' znodes. Addresses, and znodes that are
no contenders, are told by servers with cons and dump in their
4lw.commands.whitelist, and by servers of other kinds not at all; where they are
not told, the last line says so.

A session can be closed by its owner alone, who has its password. To get a lock
from it, take the lock: turnstile take --znode NAME --reason TEXT PATH.

Examples:
  turnstile sessions /locks
  turnstile sessions -o json | jq '.sessions[] | select(.host == "web-2")'
)";
}

std::string doctor_help() {
    return std::string{
               R"(Look for what is wrong with the servers, with the settings for them, and at a
path; and say what to do about it.

Usage: turnstile doctor [OPTION]... [PATH]

  PATH                  where locks are or will be; all below is seen [/]
  -o, --output FORM     text or json [text]
)"}
               .append(servers_help()) +
           R"(
It asks each server what it says of itself, sees what a session is granted,
creates and removes one znode at PATH (turnstile-trial-...), and looks below
PATH for contenders that go with no session, znodes that do not belong, and
kinds of locks that share a path. The options are best those that your programs
use. An empty folder is what a lock leaves when it is free.

A problem keeps locks from working, or from being safe; a warning makes them
worse; a note is good to know.

Exit codes: 0 nothing but notes; 1 a problem or a warning; 64, 69, 74 and 77 as
with turnstile run.

Examples:
  turnstile doctor /locks
  turnstile doctor -o json /locks | jq -r '.findings[] | .weight + " " + .text'
)";
}

std::string bench_help() {
    return std::string{
               R"(Measure how fast one mutex goes round between clients on your own servers. It
puts load on them, for as long as you say.

Usage: turnstile bench [OPTION]...

  --path PATH           a folder for the lock; it is removed if it was not there
                        [/turnstile-bench]
  --seconds N           so long, at most 600 [5]
  --clients N           so many sessions, at most 64 [4]
  -o, --output FORM     text or json [text]
  -y, --yes             ask no question on the terminal
)"}
               .append(servers_help()) +
           R"(
An acquire counts from the call to the grant, a hand-over from one client's
release to the next one's grant. Packets are those that all servers say they
have received meanwhile. Ctrl-C ends it early; it cleans up, and prints what it
has.

Example:
  turnstile bench --clients 8 --seconds 10
)";
}

std::string completion_help() {
    return R"(Print what a shell completes the words of turnstile with: commands, options, and
values where there is a choice. An installed turnstile has it in place.

Usage: turnstile completion SHELL

  SHELL                 bash, zsh or fish

Examples:
  . <(turnstile completion bash)
  turnstile completion fish > ~/.config/fish/completions/turnstile.fish
)";
}

std::string manual_help() {
    return R"(Print a manual page, as man(1) reads it. An installed turnstile has them all in
place.

Usage: turnstile manual [COMMAND]

  COMMAND               turnstile-COMMAND(1); without it turnstile(1)

Example:
  turnstile manual elect | man -l -
)";
}

}  // namespace turnstile::cli
