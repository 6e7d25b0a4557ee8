// SPDX-License-Identifier: Apache-2.0
#include "zookeeper/addresses.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <netdb.h>

#include <mutex>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include "core/seam/coordinator.hpp"
#include "turnstile/error.hpp"
#include "turnstile/log.hpp"
#include "turnstile/testing/test_deadline.hpp"
#include "zookeeper/coordinator.hpp"

namespace turnstile::zookeeper {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::StartsWith;

class unresolved : public ::testing::Test {
protected:
    unresolved() {
        set_log_sink([this](log_level level, std::string_view line) {
            const std::lock_guard hold{mutex_};
            if (level >= log_level::warning) lines_.emplace_back(line);
        });
    }
    ~unresolved() override { set_log_sink({}); }
    std::vector<std::string> told() {
        EXPECT_TRUE(flush_log(testing::limit()));
        const std::lock_guard hold{mutex_};
        return std::exchange(lines_, {});
    }

    unresolved_hosts hosts;

private:
    std::mutex mutex_;
    std::vector<std::string> lines_;
};

TEST_F(unresolved, hosts_are_told_by_name_when_that_changes) {
    hosts.record("zk1", 0);
    EXPECT_THAT(told(), IsEmpty());
    EXPECT_EQ(hosts.reason(), "");
    hosts.record("zk2", EAI_NONAME);
    EXPECT_THAT(told(), ElementsAre(AllOf(StartsWith("zk2: "), HasSubstr("not known"))));
    hosts.record("zk2", EAI_NONAME);
    hosts.record("zk2", EAI_AGAIN);  // the host is still unknown
    hosts.record("zk1", 0);
    EXPECT_THAT(told(), IsEmpty());
    hosts.record("zk2", 0);
    EXPECT_THAT(told(), ElementsAre("zk2: the name can be resolved again"));
    hosts.record("zk2", EAI_NONAME);
    EXPECT_THAT(told(), ElementsAre(StartsWith("zk2: the name cannot be resolved")));
}

TEST_F(unresolved, one_host_of_three_is_told_once_however_many_sessions_are_opened) {
    const auto servers =
        parse_connect_string("127.0.0.1:1,turnstile.invalid:2181,127.0.0.1:2").value();
    base::random chance{7};
    for (int i = 0; i != 3; ++i) static_cast<void>(shuffled_servers(servers, chance, hosts));
    EXPECT_THAT(told(), ElementsAre(StartsWith("turnstile.invalid: the name cannot be resolved")));
}

class no_sink final : public core::session_sink {
public:
    void deliver(core::coordinator_event&&) noexcept override {}
};

TEST_F(unresolved, the_error_of_a_session_says_that_the_name_is_the_matter) {
    no_sink sink;
    const auto servers = make_coordinator("turnstile.invalid:2181", nullptr);
    std::string said;
    for (int i = 0; i != 2; ++i) {
        try {
            static_cast<void>(servers->open({}, sink));
        } catch (const std::system_error& failure) {
            EXPECT_EQ(failure.code(), errc::unresolvable);
            said = failure.what();
        }
    }
    EXPECT_THAT(said, StartsWith("no host of the connect string has an address: "
                                 "turnstile.invalid:2181: "));
    EXPECT_THAT(said, Not(HasSubstr("No such file")));
    EXPECT_THAT(told(), ElementsAre(StartsWith("turnstile.invalid: ")));
}

}  // namespace
}  // namespace turnstile::zookeeper
