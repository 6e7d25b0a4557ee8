// SPDX-License-Identifier: Apache-2.0
// killed_holder: kills a process that holds a lock and whose session timeout is ten minutes. Only a guardian (a process
// that closes the sessions of a dead process) can free the lock earlier.
#pragma once

#include <gtest/gtest.h>

#include <string>

#include "support.hpp"
#include "turnstile/testing/process.hpp"
#include "turnstile/testing/temporary_folder.hpp"

namespace turnstile::tests {

// The process starts a guardian, takes the lock, and is killed. The process and the waiter use the connect string
// `where`.
inline void expect_that_a_guardian_frees_the_lock(const std::string& where) {
    const testing::temporary_folder folder;
    const auto path = lock_path();
    auto holder = testing::process{{.command = {TURNSTILE_HOLDER, where, path, "600000", "started",
                                                TURNSTILE_GUARDIAN, "hold", "7"},
                                    .environment = {"TURNSTILE_GUARDIAN="},
                                    .output = folder.path() / "log"}};
    ASSERT_TRUE(holder.wait_for_output("held")) << holder.output();
    const auto other = connect(where);
    mutex wanted{*other, path};
    EXPECT_FALSE(wanted.try_acquire().has_value());
    holder.kill();
    EXPECT_TRUE(wanted.acquire({.timeout = limit()}).has_value());
}

}  // namespace turnstile::tests
