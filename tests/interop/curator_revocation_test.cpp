// SPDX-License-Identifier: Apache-2.0
// Tests requests to release a lock: Curator sends them to this library's holder, and this library sends them to
// Curator's holder.
#include "interop/support.hpp"
#include "turnstile/revocation.hpp"

namespace turnstile::tests {
namespace {

class curator_revocation : public ::testing::Test {
protected:
    const std::string path = lock_path();
    const testing::temporary_folder folder;
    const testing::java_program program{"CuratorRevocation", TURNSTILE_JAVA_CLASSES};
    const std::unique_ptr<client> servers = connect(server().connect_string());
    mutex lock{*servers, path};
    const revocation orders{*servers, path};

    [[nodiscard]] testing::process curators_hold() const {
        auto theirs =
            program.start({"hold", server().connect_string(), path}, folder.path() / "log");
        EXPECT_TRUE(theirs.wait_for_output("granted")) << theirs.output();
        return theirs;
    }
    void expect_let_go(testing::process& theirs) const {
        expect_done(theirs);
        EXPECT_NE(theirs.output().find("released"), std::string::npos) << theirs.output();
        EXPECT_TRUE(becomes_empty(*servers, path));
    }
};

TEST_F(curator_revocation, our_request_reaches_curators_holder) {
    auto theirs = curators_hold();
    const auto holder = lock.holder().value().value();
    orders.ask(holder, {.who = "ops", .why = "deployment"}).value();
    expect_let_go(theirs);
}

TEST_F(curator_revocation, asked_twice_it_hears_of_it_once) {
    auto theirs = curators_hold();
    const auto holder = lock.holder().value().value();
    orders.ask(holder, {.who = "ops", .why = "deployment"}).value();
    const auto again = orders.ask(holder, {.who = "ops", .why = "deployment"});
    EXPECT_TRUE(again || again.error() == errc::removed);
    expect_let_go(theirs);
}

// Curator's holders obey no order to release (`take`), only a request. So take() requests the release from Curator's
// holder, and waits as long as the operator allows.
TEST_F(curator_revocation, our_order_asks_curators_holder_first) {
    auto theirs = curators_hold();
    const auto holder = lock.holder().value().value();
    EXPECT_EQ(orders.take(holder, {.who = "ops"}).error(), errc::bad_option);
    EXPECT_TRUE(theirs.running());
    EXPECT_EQ(orders.take(holder, {.who = "ops", .wait = std::chrono::minutes{10}}).value(),
              revocation_outcome::gave_way);
    expect_let_go(theirs);
}

TEST_F(curator_revocation, curators_request_reaches_our_holder) {
    testing::event request;
    auto hold =
        lock.acquire({.timeout = limit(),
                      .on_asked_to_release = [&](const release_request&) { request.set(); }})
            .value();
    program.run({"revoke", server().connect_string(), hold.znode()});
    EXPECT_TRUE(request.wait());
    EXPECT_TRUE(hold.valid());
    EXPECT_EQ(lock.holder().value()->metadata.text, "__REVOKE__");
    // ask() must also succeed when Curator's request is already in the znode.
    EXPECT_TRUE(orders.ask(lock.holder().value().value(), {.who = "ops"}));
    hold.release(limit()).value();
}

}  // namespace
}  // namespace turnstile::tests
