// SPDX-License-Identifier: Apache-2.0
// Tests the operators' tools on locks in memory: try_path(), which takes a trial lock at a path, and the search for
// znodes that belong to no lock.
#include <gtest/gtest.h>

#include "turnstile/mutex.hpp"
#include "turnstile/node.hpp"
#include "turnstile/tools/odd_znodes.hpp"
#include "turnstile/tools/path_trial.hpp"
#include "turnstile/transaction.hpp"

namespace turnstile {
namespace {

using namespace std::chrono_literals;

class inspection : public ::testing::Test {
protected:
    inspection() { EXPECT_TRUE(servers.wait_connected(1min)); }
    // Writes znodes under a hold of another lock.
    void write(const transaction& parts) {
        mutex lock{servers, "/other"};
        auto hold = lock.acquire().value();
        const auto done = hold.commit(parts);
        ASSERT_TRUE(done) << done.error().message();
    }
    // Returns one line for each unusual znode.
    [[nodiscard]] std::string odd(const char* folder = "/locks") const {
        std::string all;
        for (const auto& each : odd_znodes_below(servers, folder).value().found)
            all.append(to_string(each.kind)).append(" ").append(each.path).append("\n");
        return all;
    }
    client servers{"local:"};
};

TEST_F(inspection, a_trial_leaves_nothing) {
    write(transaction{}.create("/locks", ""));
    const auto tried = try_path(servers, "/locks/not/there").value();
    EXPECT_EQ(tried.folder, "/locks");
    EXPECT_TRUE(tried.refused.empty());
    EXPECT_TRUE(tried.containers);
    EXPECT_EQ(tried.left, "");
    EXPECT_TRUE(tried.clock);
    // try_path() must have removed the znode of its trial lock, or the folder could not be removed.
    EXPECT_EQ(remove_empty_folder(servers, "/locks").value(), true);
    EXPECT_EQ(try_path(servers, "locks").error(), errc::bad_path);
}

TEST_F(inspection, znodes_that_do_not_belong) {
    constexpr const char* k_contender = "/locks/a/_c_5b0b7a3e-1d9e-4f4a-8c3c-2f1f6a1d7d10-lock-";
    write(transaction{}
              .create("/locks", "")
              .create("/locks/a", "")
              .create("/locks/a/notes", "")
              .create("/locks/a/folder", "")
              .create("/locks/a/folder/data", "")
              .create("/locks/used", "")
              .create("/locks/used/x", "")
              .create("/locks/record", "1234567890")
              .create("/locks/record/x", "")
              .create("/locks/new", "")
              .create(k_contender, "", node_kind::persistent_sequential));
    write(transaction{}.remove("/locks/used/x").remove("/locks/record/x"));
    EXPECT_EQ(odd(),
              "persistent_contender "
              "/locks/a/_c_5b0b7a3e-1d9e-4f4a-8c3c-2f1f6a1d7d10-lock-0000000002\n"
              "foreign_child /locks/a/notes\n"
              "empty_folder /locks/used\n");
    EXPECT_TRUE(odd("/locks/used/none").empty());
    EXPECT_EQ(odd_znodes_below(servers, "no/slash").error(), errc::bad_path);
}

TEST_F(inspection, a_lock_in_use_is_in_order) {
    mutex lock{servers, "/locks/b"};
    const auto hold = lock.acquire().value();
    EXPECT_TRUE(odd().empty());
}

TEST_F(inspection, empty_folders_are_removed_and_others_stay) {
    write(transaction{}.create("/a", "").create("/a/b", ""));
    EXPECT_EQ(remove_empty_folder(servers, "/a").value(), false);
    EXPECT_TRUE(read_node(servers, "/a/b"));
    EXPECT_EQ(remove_empty_folder(servers, "/a/b").value(), true);
    EXPECT_EQ(remove_empty_folder(servers, "/a/b").value(), false);
    EXPECT_EQ(remove_empty_folder(servers, "").error(), errc::bad_path);
}

TEST_F(inspection, of_a_closed_client) {
    servers.close();
    EXPECT_EQ(try_path(servers, "/locks").error(), errc::closed);
    EXPECT_EQ(odd_znodes_below(servers, "/locks").error(), errc::closed);
    EXPECT_EQ(remove_empty_folder(servers, "/locks").error(), errc::closed);
}

}  // namespace
}  // namespace turnstile
