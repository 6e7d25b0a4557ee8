// SPDX-License-Identifier: Apache-2.0
// trusted_user: decides which users' files, folders and processes may receive this process's sessions.
//
// Thread safety: from any thread.
#pragma once

#include <sys/types.h>
#include <unistd.h>

namespace turnstile::guardian {

// True for root and for the user of this process.
[[nodiscard]] inline bool is_trusted(uid_t user) noexcept {
    return user == 0 || user == ::geteuid();
}

}  // namespace turnstile::guardian
