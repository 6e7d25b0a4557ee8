// SPDX-License-Identifier: Apache-2.0
// Fixture of the tests that every kind of server must pass: a folder for each test, and sessions.
#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <memory>
#include <string>
#include <utility>

#include "contract/backend.hpp"
#include "contract/probe.hpp"

namespace turnstile::contract {

class fixture : public ::testing::Test {
protected:
    fixture() { me.ask(core::create_op{folder_}); }

    // Returns the path of `name` in this test's folder.
    [[nodiscard]] std::string at(const std::string& name) const { return folder_ + "/" + name; }
    [[nodiscard]] const std::string& folder() const noexcept { return folder_; }

    core::server_error make(const std::string& path,
                            core::create_mode mode = core::create_mode::persistent) {
        return me.ask(core::create_op{path, "", mode}).error;
    }
    core::server_error remove(const std::string& path, std::int32_t version = core::k_any_version) {
        return me.ask(core::remove_op{path, version}).error;
    }
    core::stat stat(const std::string& path) { return me.ask(core::exists_op{path}).stat; }
    bool is_there(const std::string& path) {
        return me.ask(core::exists_op{path}).error == core::server_error::ok;
    }
    // Sets a watch on `path` by a read of type `Op`.
    template <class Op>
    core::server_error watch(probe& watcher, const std::string& path) {
        return watcher.ask(Op{path, core::watch_mode::watch}).error;
    }
    // Creates a node and removes it. Returns the zxid of the create.
    std::int64_t next_zxid() {
        const std::string path = at("zxid-mark");
        const std::int64_t now = me.ask(core::create_op{path}).stat.czxid;
        me.ask(core::remove_op{path});
        return now;
    }
    // Matches the zxid of the write that comes `count` writes after `zxid`.
    static ::testing::Matcher<std::int64_t> writes_after(std::int64_t zxid, std::int64_t count) {
        if (counts_every_write()) return ::testing::Eq(zxid + count);
        return ::testing::Gt(zxid);
    }
    static ::testing::Matcher<std::int64_t> are(std::int64_t zxids) {
        if (counts_every_write()) return ::testing::Eq(zxids);
        return ::testing::Ge(0);
    }
    // Runs `action`. Returns how many zxids it took.
    template <class Action>
    std::int64_t zxids_of(Action&& action) {
        const std::int64_t before = next_zxid();
        std::forward<Action>(action)();
        // Two zxids are of the remove by the first next_zxid(), and of the create by the second.
        return next_zxid() - before - 2;
    }

    std::unique_ptr<core::coordinator> servers_ = shared_servers();
    probe me{*servers_};

private:
    static std::string folder_of_this_test() {
        const auto* test = ::testing::UnitTest::GetInstance()->current_test_info();
        return std::string{"/"} + test->test_suite_name() + "." + test->name();
    }

    const std::string folder_ = folder_of_this_test();
};

}  // namespace turnstile::contract
