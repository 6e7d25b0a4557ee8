// SPDX-License-Identifier: Apache-2.0
// Tests the path of a guardian's socket, and how processes connect to the guardian. A guardian is a process that closes
// the sessions of dead processes.
#include "guardian/service.hpp"

#include <gtest/gtest.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>

#include <array>
#include <cerrno>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "guardian/start.hpp"
#include "turnstile/testing/temporary_folder.hpp"

namespace turnstile::guardian::meeting {
namespace {

mode_t mode_of(const std::string& file) {
    struct stat about {};
    EXPECT_EQ(::stat(file.c_str(), &about), 0) << file;
    return about.st_mode & 07777;
}

std::string folder_of(const listener& place) {
    return std::filesystem::path{place.path()}.parent_path().string();
}

class guardian_listener : public ::testing::Test {
protected:
    guardian_listener() {
        if (const char* const text = std::getenv(k_variable)) before = text;
        ::setenv(k_variable, runtime.path().c_str(), 1);
        ::chmod(runtime.path().c_str(), 0700);
    }
    ~guardian_listener() override {
        if (before) ::setenv(k_variable, before->c_str(), 1);
        if (!before) ::unsetenv(k_variable);
    }

    static constexpr const char* k_variable = "XDG_RUNTIME_DIR";
    const testing::temporary_folder runtime;
    std::optional<std::string> before;
};

TEST_F(guardian_listener, is_in_a_folder_that_only_its_user_enters_and_removes_it) {
    std::string folder;
    {
        const listener place;
        folder = folder_of(place);
        EXPECT_TRUE(folder.starts_with(runtime.path().string())) << folder;
        EXPECT_EQ(mode_of(folder), 0700U);
        EXPECT_TRUE(std::filesystem::is_socket(place.path()));
        EXPECT_TRUE(connect_guardian(place.path()).open());
    }
    EXPECT_FALSE(std::filesystem::exists(folder));
}

TEST_F(guardian_listener, goes_elsewhere_where_others_may_write) {
    ASSERT_EQ(::chmod(runtime.path().c_str(), 0777), 0);
    const listener open;
    EXPECT_FALSE(open.path().starts_with(runtime.path().string())) << open.path();
    ASSERT_EQ(::chmod(runtime.path().c_str(), 01777), 0);
    const listener sticky;
    EXPECT_TRUE(sticky.path().starts_with(runtime.path().string())) << sticky.path();
}

TEST_F(guardian_listener, goes_elsewhere_where_an_address_has_no_room) {
    const auto deep = runtime.path() / std::string(sizeof(sockaddr_un::sun_path), 'x');
    std::filesystem::create_directory(deep);
    ::setenv(k_variable, deep.c_str(), 1);
    const listener place;
    EXPECT_FALSE(place.path().starts_with(deep.string())) << place.path();
    EXPECT_EQ(mode_of(folder_of(place)), 0700U);
}

TEST_F(guardian_listener, goes_elsewhere_without_that_folder) {
    ::setenv(k_variable, "/nonexistent", 1);
    const listener place;
    EXPECT_TRUE(connect_guardian(place.path()).open());
}

// A listener of the test, with room for one waiting connection.
class full_guardian : public guardian_listener {
protected:
    full_guardian() {
        sockaddr_un address{};
        address.sun_family = AF_UNIX;
        std::memcpy(address.sun_path, path.c_str(), path.size());
        const auto* const there = reinterpret_cast<const sockaddr*>(&address);
        EXPECT_EQ(::bind(socket.get(), there, sizeof address), 0);
        EXPECT_EQ(::listen(socket.get(), 0), 0);
        first = connect_guardian(path);
        EXPECT_TRUE(first.open());
    }

    const std::string path = (runtime.path() / "guardian").string();
    const support::descriptor socket{::socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0)};
    support::descriptor first;
};

TEST_F(full_guardian, is_tried_with_growing_pauses_a_bounded_number_of_times) {
    std::vector<std::chrono::milliseconds> pauses;
    const auto refused =
        connect_guardian(path, [&](std::chrono::milliseconds span) { pauses.push_back(span); });
    EXPECT_EQ(errno, EAGAIN);
    EXPECT_FALSE(refused.open());
    ASSERT_EQ(pauses.size(), 9U);
    EXPECT_EQ(pauses.front(), std::chrono::milliseconds{1});
    for (std::size_t i = 1; i != pauses.size(); ++i) EXPECT_EQ(pauses[i], 2 * pauses[i - 1]);
}

TEST_F(full_guardian, is_reached_when_it_has_room_again) {
    int pauses = 0;
    const auto second = connect_guardian(path, [&](std::chrono::milliseconds) {
        if (++pauses != 2) return;
        EXPECT_TRUE(support::descriptor{::accept(socket.get(), nullptr, nullptr)}.open());
    });
    EXPECT_TRUE(second.open());
    EXPECT_EQ(pauses, 2);
}

TEST(inherited_guardian, is_a_descriptor_that_stays_open) {
    std::array<int, 2> ends{};
    ASSERT_EQ(::socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends.data()), 0);
    const support::descriptor mine{ends[0]};
    const support::descriptor theirs{ends[1]};
    const auto name = "fd:" + std::to_string(mine.get());
    EXPECT_TRUE(connect_guardian(name).open());
    EXPECT_TRUE(connect_guardian(name).open());
    for (const auto* const wrong : {"fd:", "fd:x", "fd:1000000", "@turnstile", ""})
        EXPECT_FALSE(connect_guardian(wrong).open()) << wrong;
}

}  // namespace
}  // namespace turnstile::guardian::meeting
