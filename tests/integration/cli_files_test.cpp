// SPDX-License-Identifier: Apache-2.0
// Tests options that name a file. A shell's <(command) is a FIFO: opening it blocks the program until a writer opens it
// too.
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <csignal>

#include "cli_fixture.hpp"
#include "support/descriptor.hpp"
#include "tls_link.hpp"

namespace turnstile::tests {
namespace {

class cli_files : public cli {
protected:
    // Starts the command and opens the FIFO as its writer. Returns when the command waits for the text, which never
    // comes.
    [[nodiscard]] testing::process reader(const words& command, const std::string& servers,
                                          words environment = {}) {
        auto process = start_at(servers, command, std::move(environment));
        const bool opened = eventually([&] {
            writer_ = support::descriptor{::open(fifo.c_str(), O_WRONLY | O_NONBLOCK | O_CLOEXEC)};
            return writer_.open() || !process.running();
        });
        EXPECT_TRUE(opened && writer_.open()) << command[1] << ": " << process.output();
        return process;
    }
    void expect_end_at(int signal, const words& command, const std::string& servers = k_nowhere) {
        auto process = reader(command, servers);
        ::kill(process.pid(), signal);
        EXPECT_TRUE(process.wait()) << command[1] << ' ' << command[2];
        EXPECT_EQ(process.exit_code(), 128 + signal) << process.output();
        writer_ = {};
    }
    void write(const std::string& text) {
        ASSERT_EQ(::write(writer_.get(), text.data(), text.size()),
                  static_cast<ssize_t>(text.size()));
        writer_ = {};
    }
    static words serve(const words& options) {
        return words{TURNSTILE_PROGRAM, "serve"} + options + words{"--listen", "127.0.0.1:0"};
    }

    static constexpr const char* k_nowhere = "127.0.0.1:1";
    const own_certificate own{folder.path()};
    const std::string fifo = [this] {
        auto name = file("fifo");
        EXPECT_EQ(::mkfifo(name.c_str(), 0600), 0);
        return name;
    }();

private:
    support::descriptor writer_;
};

TEST_F(cli_files, of_serve_that_never_come_leave_it_to_signals) {
    for (const char* option : {"--password-file", "--token-file", "--users-file",
                               "--credentials-file", "--servers-file"})
        for (const int signal : {SIGTERM, SIGINT}) expect_end_at(signal, serve({option, fifo}));
    expect_end_at(SIGTERM, serve({"--tls-cert", own.certificate(), "--tls-key", fifo}));
    expect_end_at(SIGTERM, serve({"--tls-cert", fifo, "--tls-key", own.key()}));
}

TEST_F(cli_files, of_run_and_elect_that_never_come_leave_them_to_signals) {
    for (const char* command : {"run", "elect"}) {
        for (const char* option : {"--credentials-file", "--servers-file"})
            expect_end_at(SIGTERM, {TURNSTILE_PROGRAM, command, option, fifo, path, "--", "true"});
    }
}

// At each connection, a client reads the files that its connect string names. No signal interrupts the thread that
// reads them. So the client must refuse FIFOs.
TEST_F(cli_files, of_connect_strings_are_regular_files) {
    std::vector<std::string> kinds{"zookeepers://"};
#ifdef TURNSTILE_WITH_REDIS
    kinds.emplace_back("rediss://");
#endif
    for (const auto& kind : kinds)
        for (const auto& file : {fifo, folder.path().string(), std::string{"/dev/zero"}}) {
            auto process =
                start_at(kind + "127.0.0.1:1?ca_file=" + file,
                         {TURNSTILE_PROGRAM, "run", "--connect-timeout", "1s", path, "--", "true"});
            ASSERT_TRUE(process.wait()) << kind << file;
            EXPECT_NE(process.exit_code(), 0);
            EXPECT_TRUE(printed("ca_file=" + file + ": is no regular file")) << output();
        }
}

TEST_F(cli_files, of_serve_may_come_from_a_writer) {
    auto process = reader(serve({"--password-file", fifo}), k_nowhere);
    write("correct horse battery\n");
    EXPECT_TRUE(process.wait_for_output("http://127.0.0.1:")) << process.output();
    process.terminate();
    EXPECT_TRUE(process.wait());
    EXPECT_EQ(process.exit_code(), 0) << process.output();
}

}  // namespace
}  // namespace turnstile::tests
