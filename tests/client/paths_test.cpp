// SPDX-License-Identifier: Apache-2.0
// Tests paths that every recipe refuses without asking the servers.
#include <gmock/gmock.h>

#include <functional>
#include <system_error>

#include "client/support.hpp"

namespace turnstile::tests {
namespace {

using ::testing::HasSubstr;

class paths : public shell_test {
protected:
    std::unique_ptr<client> servers = connect();

    static std::string refusal(const std::function<void()>& make) {
        try {
            make();
        } catch (const std::system_error& failure) {
            EXPECT_EQ(failure.code(), errc::bad_path);
            return failure.what();
        }
        return "accepted";
    }
};

// A folder of this name would count as a contender for a lock on its parent path.
TEST_F(paths, that_end_as_a_contender_are_refused_by_every_recipe) {
    const std::string path =
        "/locks/orders/_c_5b0b7a3e-1d9e-4f4a-8c3c-2f1f6a1d7d10-lock-0000000007";
    const std::vector<std::function<void()>> recipes{
        [&] {
            mutex lock{*servers, path};
        },
        [&] {
            recursive_mutex lock{*servers, path};
        },
        [&] {
            shared_mutex lock{*servers, path};
        },
        [&] {
            semaphore lock{*servers, path, 2};
        },
        [&] {
            leader seat{*servers, path, {.protocol = election_protocol::latch}};
        },
        [&] {
            leader seat{*servers, path, [](leader_term&) {}};
        },
        [&] {
            job_gate gate{*servers, path, {}};
        },
        [&] {
            rate_gate gate{*servers, path, {.period = std::chrono::seconds{1}}};
        },
    };
    for (std::size_t i = 0; i < recipes.size(); ++i) {
        const auto text = refusal(recipes[i]);
        EXPECT_THAT(text, HasSubstr(path.substr(0, 70))) << i;
        EXPECT_THAT(text, HasSubstr("a contender in the queue of \"/locks/orders\"")) << i;
    }
    EXPECT_THAT(refusal([&] {
                    mutex lock{*servers, "/x-lease-0000000001"};
                }),
                HasSubstr("queue of \"/\""));
}

TEST_F(paths, that_only_resemble_one_are_fine) {
    for (const char* path : {"/locks/a-lock-1", "/locks/_c_a-lock-", "/a-lock-0000000001/b",
                             "/locks/lock-0000000001x"})
        EXPECT_EQ(refusal([&] { mutex lock{*servers, path}; }), "accepted") << path;
}

}  // namespace
}  // namespace turnstile::tests
