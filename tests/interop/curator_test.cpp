// One real Curator process and ours on one path: they exclude each other, in one queue.
#include <fcntl.h>
#include <unistd.h>

#include <fstream>
#include <future>

#include "integration/support.hpp"
#include "turnstile/testing/java_program.hpp"
#include "turnstile/testing/temporary_folder.hpp"

namespace turnstile::tests {
namespace {

constexpr int k_grants_each = 100;

class curator : public ::testing::Test {
protected:
    const std::string path = lock_path();
    const testing::temporary_folder folder;
    const std::string critical = folder.path() / "critical";
    const std::string counter = folder.path() / "counter";
    const testing::java_program program{"CuratorContender", TURNSTILE_JAVA_CLASSES};
    const std::unique_ptr<client> servers = connect(server().connect_string());
    mutex lock{*servers, path};

    // What CuratorContender does in its critical section. False: somebody else is inside.
    [[nodiscard]] bool count_inside() const {
        const int file = ::open(critical.c_str(), O_CREAT | O_EXCL | O_WRONLY | O_CLOEXEC, 0600);
        if (file < 0) return false;
        int count = 0;
        std::ifstream{counter} >> count;
        std::ofstream{counter} << count + 1;
        ::close(file);
        return ::unlink(critical.c_str()) == 0;
    }
};

TEST_F(curator, and_we_exclude_each_other_over_200_grants) {
    auto theirs = program.start({"contend", server().connect_string(), path,
                                 std::to_string(k_grants_each), critical, counter},
                                folder.path() / "log");
    ASSERT_TRUE(theirs.wait_for_output("READY")) << theirs.output();
    fencing_token last;
    for (int i = 0; i != k_grants_each; ++i) {
        auto hold = lock.acquire({.timeout = limit()});
        ASSERT_TRUE(hold) << hold.error().message();
        EXPECT_TRUE(count_inside()) << "grant " << i;
        EXPECT_LT(last, hold->fencing_token());
        last = hold->fencing_token();
        hold->unlock();
    }
    ASSERT_TRUE(theirs.wait());
    EXPECT_EQ(theirs.exit_code(), 0) << theirs.output();
    int count = 0;
    std::ifstream{counter} >> count;
    EXPECT_EQ(count, 2 * k_grants_each);
    EXPECT_TRUE(lock.queue().value().empty());
}

TEST_F(curator, waits_for_us_and_we_wait_for_it) {
    auto hold = lock.acquire({.timeout = limit()});
    ASSERT_TRUE(hold);
    auto theirs =
        program.start({"contend", server().connect_string(), path, "1", critical, counter},
                      folder.path() / "log");
    ASSERT_TRUE(becomes_size(*servers, path, 2));
    auto waiting = std::async(std::launch::async, [&] { return lock.acquire(); });
    ASSERT_TRUE(becomes_size(*servers, path, 3));
    EXPECT_EQ(theirs.output().find("granted"), std::string::npos);
    hold->unlock();
    ASSERT_TRUE(waiting.get());
    EXPECT_NE(theirs.output().find("granted 1"), std::string::npos) << theirs.output();
}

TEST_F(curator, shows_who_holds_in_readable_text) {
    const auto hold = lock.acquire({.timeout = limit(), .label = "orders"});
    ASSERT_TRUE(hold);
    const auto shown = program.run({"participants", server().connect_string(), path});
    EXPECT_NE(shown.find("host="), std::string::npos) << shown;
    EXPECT_NE(shown.find("label=orders"), std::string::npos) << shown;
}

}  // namespace
}  // namespace turnstile::tests
