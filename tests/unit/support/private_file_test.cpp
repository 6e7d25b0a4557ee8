// SPDX-License-Identifier: Apache-2.0
#include "support/private_file.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <fstream>
#include <stdexcept>
#include <thread>

#include "turnstile/testing/temporary_folder.hpp"

namespace turnstile::support {
namespace {

class private_file : public ::testing::Test {
protected:
    std::string file_with(const std::string& text, mode_t mode = 0600) const {
        const auto name = (folder_.path() / "file").string();
        std::ofstream{name} << text;
        ::chmod(name.c_str(), mode);
        return name;
    }

    std::string fifo() const {
        auto name = (folder_.path() / "fifo").string();
        EXPECT_EQ(::mkfifo(name.c_str(), 0600), 0);
        return name;
    }
    std::string folder() const { return folder_.path().string(); }

    // Returns the message by which first_line_of_private_file refuses the file.
    static std::string refusal(const std::string& file) {
        try {
            static_cast<void>(first_line_of_private_file(file));
        } catch (const std::runtime_error& why) {
            return why.what();
        }
        return {};
    }

private:
    const testing::temporary_folder folder_;
};

TEST_F(private_file, gives_the_first_line_without_its_end) {
    EXPECT_EQ(first_line_of_private_file(file_with("secret\nsecond\n")), "secret");
    EXPECT_EQ(first_line_of_private_file(file_with("secret\r\n")), "secret");
    EXPECT_EQ(first_line_of_private_file(file_with("secret")), "secret");
    EXPECT_EQ(first_line_of_private_file(file_with("")), "");
}

// A shell's <(command) is a FIFO. Its writer may write a line in several pieces.
TEST_F(private_file, may_be_a_fifo_whose_writer_sends_pieces) {
    const auto name = fifo();
    std::thread writer{[&name] {
        const descriptor open{::open(name.c_str(), O_WRONLY | O_CLOEXEC)};
        for (const std::string piece : {"sec", "ret\nsecond"}) {
            EXPECT_EQ(::write(open.get(), piece.data(), piece.size()),
                      static_cast<ssize_t>(piece.size()));
            int unread = 1;
            while (unread != 0 && piece == "sec") {
                ASSERT_EQ(::ioctl(open.get(), FIONREAD, &unread), 0);
                std::this_thread::yield();
            }
        }
    }};
    EXPECT_EQ(first_line_of_private_file(name), "secret");
    writer.join();
}

TEST_F(private_file, is_no_folder) {
    EXPECT_EQ(refusal(folder()), folder() + ": Is a directory");
    ::chmod(folder().c_str(), 0777);
    EXPECT_EQ(refusal(folder()), folder() + ": Is a directory") << "no advice to change its mode";
}

TEST_F(private_file, is_no_device) {
    EXPECT_EQ(refusal("/dev/zero"), "/dev/zero: is a device; a regular file or a FIFO is needed");
}

TEST_F(private_file, is_refused_with_a_line_that_would_be_cut) {
    const std::string longest(4095, 'x');
    EXPECT_EQ(first_line_of_private_file(file_with(longest)), longest);
    EXPECT_EQ(first_line_of_private_file(file_with(longest + "\nrest")), longest);
    const auto file = file_with(longest + "xx");
    EXPECT_EQ(refusal(file), file + ": the first line is longer than 4095 characters");
}

TEST_F(private_file, is_refused_where_other_users_can_open_it) {
    const auto file = file_with("secret", 0640);
    EXPECT_EQ(refusal(file), file + ": other users can open it (mode 0640); chmod 600 " + file);
    EXPECT_EQ(exposure_of_key(file), refusal(file));
    for (const mode_t mode : {0604U, 0610U, 0602U}) {
        EXPECT_NE(refusal(file_with("secret", mode)), "") << mode;
    }
}

// libpq has this rule for sslkey: if root owns a file, the file's group may read it.
TEST(exposure, of_a_file_of_roots_may_be_its_group) {
    constexpr uid_t k_root = 0;
    constexpr uid_t k_service = 1000;
    EXPECT_EQ(exposure_of("/k", k_root, 0640, k_service), "");
    for (const mode_t mode : {0660U, 0650U, 0644U}) {
        EXPECT_NE(exposure_of("/k", k_root, mode, k_service), "") << mode;
    }
    EXPECT_EQ(exposure_of("/k", k_root, 0644, k_service),
              "/k: other users can open it (mode 0644); chmod 640 /k");
    EXPECT_NE(exposure_of("/k", k_root, 0640, k_root), "");
    EXPECT_NE(exposure_of("/k", k_service, 0640, k_service), "");
    EXPECT_EQ(exposure_of("/k", k_service, 0400, k_service), "");
}

TEST_F(private_file, that_cannot_be_read_says_why) {
    EXPECT_EQ(refusal("/nowhere/at/all"), "/nowhere/at/all: No such file or directory");
    EXPECT_EQ(exposure_of_key("/nowhere/at/all"), "") << "the TLS library says why";
}

}  // namespace
}  // namespace turnstile::support
