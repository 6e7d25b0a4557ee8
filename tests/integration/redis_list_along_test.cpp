// SPDX-License-Identifier: Apache-2.0
// A waiter that is told that a znode has gone lists the folder: the list comes along with the event.
#include <functional>
#include <future>
#include <initializer_list>
#include <stdexcept>

#include "redis/coordinator.hpp"
#include "redis_support.hpp"
#include "session_recorder.hpp"

namespace turnstile::tests {
namespace {

using core::create_mode;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;

// Nothing keeps the sessions alive meanwhile, so that all scripts are those of the test.
class lists_along_on_redis : public on_redis {
protected:
    [[nodiscard]] session_recorder open(const std::string& credentials = {}) const {
        auto settings = recorder_settings();
        settings.timeout = 1h;
        settings.credentials = credentials;
        return session_recorder{redis::make_coordinator(server.connect_string()), settings};
    }
    // Scripts that the server has carried out.
    [[nodiscard]] long scripts() const {
        const auto text = server.ask("INFO commandstats");
        constexpr std::string_view k_calls = "cmdstat_evalsha:calls=";
        return std::stol(text.substr(text.find(k_calls) + k_calls.size()));
    }
    // A request is not sent before the session is attached.
    static void ask(session_recorder& by, core::operation operation) {
        by.attached();
        const auto reply = by.ask(std::move(operation));
        EXPECT_EQ(reply.outcome, core::outcome::answered);
        EXPECT_EQ(reply.error, core::server_error::ok);
    }
    static void create(session_recorder& by, const std::string& path,
                       core::acl_policy acl = core::acl_policy::open) {
        ask(by, core::create_op{path, "data", create_mode::persistent, acl});
    }
    static void create_all(session_recorder& by, std::initializer_list<const char*> paths) {
        for (const auto* each : paths) create(by, each);
    }
    static void watch(session_recorder& by, const std::string& path) {
        ask(by, core::exists_op{path, core::watch_mode::watch});
    }
    static core::ticket list(session_recorder& by) {
        return by.submit(core::children_op{"/folder", core::watch_mode::none});
    }
    // The waiter lists `/folder` as soon as it is told that `/folder/a` has gone, behind what `first` asks for.
    struct heard {
        core::reply listing;
        long scripts = 0;  // from the removal on
    };
    heard remove_and_list(
        session_recorder& remover, session_recorder& waiter,
        std::function<void()> first = [] {}) const {
        std::promise<core::ticket> listing;
        waiter.at_watch_event([&](const core::watch_event& event) {
            if (event.path != "/folder/a") return;
            first();
            listing.set_value(list(waiter));
        });
        watch(waiter, "/folder/a");
        const long before = scripts();
        ask(remover, core::remove_op{"/folder/a"});
        auto asked = listing.get_future();
        if (asked.wait_for(testing::limit()) != std::future_status::ready)
            throw std::runtime_error{"waited in vain for the event"};
        const auto id = asked.get();
        auto found = waiter.wait(id);
        return {std::move(found), scripts() - before};
    }
};

TEST_F(lists_along_on_redis, answer_what_is_asked_at_the_event) {
    auto remover = open();
    auto waiter = open();
    create_all(remover, {"/folder", "/folder/a", "/folder/b"});
    const auto [listing, count] = remove_and_list(remover, waiter);
    EXPECT_EQ(listing.outcome, core::outcome::answered);
    EXPECT_EQ(listing.error, core::server_error::ok);
    EXPECT_THAT(listing.children, ElementsAre("b"));
    EXPECT_EQ(listing.stat.num_children, 1);
    EXPECT_EQ(listing.stat.data_length, 4);
    EXPECT_EQ(listing.connection, 1U);
    EXPECT_NE(listing.sent, core::time_point{});
    EXPECT_EQ(count, 2) << "the removal, and the fetch of the event";
    EXPECT_EQ(listing.stat, waiter.wait(list(waiter)).stat);
}

TEST_F(lists_along_on_redis, of_an_empty_folder_are_empty) {
    auto remover = open();
    auto waiter = open();
    create_all(remover, {"/folder", "/folder/a"});
    const auto [listing, count] = remove_and_list(remover, waiter);
    EXPECT_THAT(listing.children, IsEmpty());
    EXPECT_EQ(count, 2);
}

// What the waiter has asked for itself meanwhile is in its list.
TEST_F(lists_along_on_redis, do_not_pass_a_request_that_was_submitted_before) {
    auto remover = open();
    auto waiter = open();
    create_all(remover, {"/folder", "/folder/a"});
    const auto [listing, count] = remove_and_list(remover, waiter, [&] {
        waiter.submit(core::create_op{"/folder/mine", "", create_mode::ephemeral});
    });
    EXPECT_THAT(listing.children, ElementsAre("mine"));
    EXPECT_EQ(count, 4);
}

TEST_F(lists_along_on_redis, are_of_the_folder_that_is_asked_for) {
    auto remover = open();
    auto waiter = open();
    create_all(remover, {"/folder", "/folder/a", "/folder/a2", "/other"});
    core::ticket other{};
    remove_and_list(remover, waiter, [&] {
        other = waiter.submit(core::children_op{"/other", core::watch_mode::none});
    });
    EXPECT_THAT(waiter.wait(other).children, IsEmpty());
}

TEST_F(lists_along_on_redis, set_no_watch) {
    auto remover = open();
    auto waiter = open();
    create_all(remover, {"/folder", "/folder/a"});
    remove_and_list(remover, waiter, [&] {
        waiter.submit(core::children_op{"/folder", core::watch_mode::watch});
    });
    create_all(remover, {"/folder/b"});
    EXPECT_EQ(waiter.watch("/folder").kind, core::watch_kind::children);
}

// Long ones are asked for: the event may be of a znode that is no contender.
TEST_F(lists_along_on_redis, are_short) {
    constexpr int k_many = 1001;
    auto remover = open();
    auto waiter = open();
    create_all(remover, {"/folder", "/folder/a"});
    core::multi_op many;
    for (int i = 0; i != k_many; ++i)
        many.parts.emplace_back(
            core::create_op{"/folder/b" + std::to_string(i), "", create_mode::persistent});
    ask(remover, std::move(many));
    const auto [listing, count] = remove_and_list(remover, waiter);
    EXPECT_THAT(listing.children, SizeIs(k_many));
    EXPECT_EQ(count, 3);
}

TEST_F(lists_along_on_redis, are_kept_from_those_that_may_not_read_the_folder) {
    auto owner = open("owner:secret");
    auto waiter = open();
    create(owner, "/folder", core::acl_policy::creator_only);
    create(owner, "/folder/a");
    const auto [listing, count] = remove_and_list(owner, waiter);
    EXPECT_EQ(listing.error, core::server_error::no_auth);
    EXPECT_THAT(listing.children, IsEmpty());
    EXPECT_EQ(count, 3);
}

}  // namespace
}  // namespace turnstile::tests
