// SPDX-License-Identifier: Apache-2.0
// Tests calls for a lock that the same client holds. The error of a single attempt names the hold. A wait without a
// deadline writes a line to the log.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "unit/support/session_fixture.hpp"

namespace turnstile::core {
namespace {

using namespace std::chrono_literals;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

class own_holds : public test::session_fixture {
protected:
    static constexpr const char* k_ours = "host=web1 pid=12 thread=13 owner=aa";

    void request(contender_id id, const char* data, std::optional<duration> timeout = {},
                 attempt mode = attempt::wait) {
        core::acquire wanted;
        wanted.id = id;
        wanted.settings.folder = "/q";
        wanted.settings.data = data;
        wanted.settings.mode = mode;
        if (timeout) wanted.deadline = now + *timeout;
        on(wanted);
    }
    // Makes Ann a holder. Returns the name of her znode.
    std::string hold() {
        start_attached();
        request(k_ann, k_ours);
        auto name = name_of(answer_create_and_list(4));
        EXPECT_EQ(told<granted>(k_ann), 1U);
        return name;
    }
    std::string refusal_of_bob() const {
        for (const auto& notice : notices)
            if (const auto* found = std::get_if<failed>(&notice.event); found && notice.id == k_bob)
                return found->why.message();
        return {};
    }
    // Bob waits behind Ann for a minute, in which the servers answer each request.
    void wait_behind_ann(const char* data, std::optional<duration> timeout = {}) {
        const auto held = hold();
        request(k_bob, data, timeout);
        answer_create_and_list(5, {held});
        for (const auto until = now + 1min; now < until; pass(100ms))
            while (!open.empty()) answer_next("/q/" + held);
    }
    // Answers the oldest request. A read of the held znode returns the data that its session has written.
    void answer_next(const std::string& held) {
        const auto* const get = std::get_if<get_op>(&open.front().request.op);
        const bool is_held = get != nullptr && get->path == held;
        auto answer = answer_to(open.front());
        open.erase(open.begin());
        if (is_held) {
            answer.data = k_ours;
            answer.stat.ephemeral_owner = session_id;
        }
        on_event(std::move(answer));
    }
};

TEST_F(own_holds, are_named_by_a_single_attempt) {
    const auto held = hold();
    request(k_bob, "", {}, attempt::once);
    answer_create_and_list(5, {held});
    EXPECT_EQ(refusal_of_bob(),
              "the lock or gate is busy: /q: this client holds the lock already: web1, pid 12, "
              "thread 13");
}

TEST_F(own_holds, are_not_named_if_another_client_is_ahead_as_well) {
    const auto held = hold();
    request(k_bob, "", {}, attempt::once);
    answer_create_and_list(6, {held, stranger(5)});
    EXPECT_EQ(refusal_of_bob(), "the lock or gate is busy: /q: contenders ahead: 2");
}

TEST_F(own_holds, are_not_meant_by_an_attempt_behind_another_client) {
    start_attached();
    request(k_bob, "", {}, attempt::once);
    answer_create_and_list(6, {stranger(5)});
    EXPECT_EQ(refusal_of_bob(), "the lock or gate is busy: /q: contenders ahead: 1");
}

TEST_F(own_holds, for_which_their_owner_waits_are_written_to_the_log_once) {
    wait_behind_ann(k_ours);
    EXPECT_THAT(warnings, ElementsAre(HasSubstr(
                              "/q: a call without a time limit waits for a hold of the same thread "
                              "or owner: web1, pid 12, thread 13; if no other thread releases")));
}

TEST_F(own_holds, are_an_error_and_no_line_for_a_wait_with_a_deadline) {
    wait_behind_ann(k_ours, 50s);
    EXPECT_THAT(warnings, IsEmpty());
    EXPECT_THAT(refusal_of_bob(), HasSubstr("this client holds the lock already: web1"));
}

TEST_F(own_holds, are_no_line_for_another_owner) {
    wait_behind_ann("host=web1 pid=12 thread=14 owner=bb");
    EXPECT_THAT(warnings, IsEmpty());
}

// The holder's data name this thread but no owner, as if two coroutines of this thread used the lock. Such coroutines
// may wait for each other, so the client must not warn.
TEST_F(own_holds, are_no_line_for_a_call_without_an_owner) {
    wait_behind_ann("host=web1 pid=12 thread=13");
    EXPECT_THAT(warnings, IsEmpty());
}

}  // namespace
}  // namespace turnstile::core
