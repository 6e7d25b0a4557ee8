// SPDX-License-Identifier: Apache-2.0
// k_session_mark: what the path of a session's mark begins with; its id follows. The mark is a znode that each session
// on ZooKeeper owns, by which another client that is given the same id sees that the session is taken.
//
// Thread safety: a constant.
#pragma once

#include <string_view>

namespace turnstile::base {

// In ZooKeeper's own folder, which each server has; below no chroot.
inline constexpr std::string_view k_session_mark = "/zookeeper/turnstile-0x";

}  // namespace turnstile::base
