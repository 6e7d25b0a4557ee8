// SPDX-License-Identifier: Apache-2.0
// quick_parts: the frequent requests in their plainest form, at the beginning of the scripts that carry them out.
//
// A Lua script makes each of its functions anew whenever it runs, which takes longer than what a plain request does. So
// what is frequent comes first and without functions: it looks at all that it needs at once, and either answers, or
// changes nothing and leaves the request to the general script behind it. It leaves it where a session is due, events wait
// for the caller, or an access list, a version, or a watch that few have has a say.
//
// Thread safety: constants.
#pragma once

#include <string>

namespace turnstile::redis::quick_parts {

// The clock, with which every script begins.
[[nodiscard]] std::string beginning();
// A contender's znode, ephemeral and sequential; with `lists` also the folder's list.
[[nodiscard]] std::string create(bool lists);
// The removal of any version of a znode, with the events of those that watch it.
[[nodiscard]] std::string remove();
// Every read.
[[nodiscard]] std::string read();
// Events that wait.
[[nodiscard]] std::string fetch();

}  // namespace turnstile::redis::quick_parts
