// SPDX-License-Identifier: Apache-2.0
#include "turnstile/testing/postgres_server.hpp"

#include <poll.h>
#include <signal.h>
#include <sys/shm.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <fstream>
#include <iterator>
#include <limits>
#include <sstream>
#include <stdexcept>
#include <string_view>
#include <system_error>

#include "servers/server_root.hpp"
#include "servers/spawn.hpp"
#include "support/descriptor.hpp"
#include "support/kernel_file.hpp"

namespace turnstile::testing {

namespace {

constexpr const char* k_postgres_root = "TURNSTILE_TEST_POSTGRESQL";
constexpr const char* k_debian_folder = "usr/lib/postgresql";

int number_of(const std::filesystem::path& folder) {
    const std::string name = folder.filename();
    int number = 0;
    std::from_chars(name.data(), name.data() + name.size(), number);
    return number;
}

std::filesystem::path find_programs() {
    const auto folder = detail::server_root(k_postgres_root) / k_debian_folder;
    std::filesystem::path best;
    std::error_code none;
    for (const auto& entry : std::filesystem::directory_iterator{folder, none}) {
        if (!std::filesystem::exists(entry.path() / "bin" / "initdb")) continue;
        if (best.empty() || number_of(entry.path()) > number_of(best)) best = entry.path();
    }
    if (best.empty())
        throw std::runtime_error{"there is no PostgreSQL server in " + folder.string() +
                                 " (Debian's package postgresql has it)"};
    return best / "bin";
}

std::string text_of(const std::filesystem::path& file) {
    std::ifstream in{file};
    return {std::istreambuf_iterator<char>{in}, {}};
}

// Returns the parent of a process, or 0 if the process has ended.
pid_t parent_of(pid_t pid) {
    std::istringstream fields{support::stat_behind_name(pid)};
    char state = 0;
    pid_t parent = 0;
    fields >> state >> parent;
    return parent;
}

// Searches /proc, because PostgreSQL's children make new process groups, and a signal to the server's group misses
// them.
std::vector<pid_t> children_of(pid_t parent) {
    std::vector<pid_t> found;
    for (const auto& entry : std::filesystem::directory_iterator{"/proc"}) {
        const auto pid = static_cast<pid_t>(number_of(entry.path()));
        if (pid > 0 && parent_of(pid) == parent) found.push_back(pid);
    }
    return found;
}

}  // namespace

postgres_server::postgres_server(postgres_server_options options)
    : programs_{find_programs()}, data_{folder_.path() / "data"}, log_{folder_.path() / "log"} {
    // The folder belongs to this process's user. The server, which may run as another user, creates its data in a
    // subfolder.
    std::filesystem::create_directory(data_);
    std::filesystem::permissions(data_,
                                 std::filesystem::perms::owner_all);  // PostgreSQL requires this
    detail::give_to_unprivileged(data_);
    make_data(options);
    std::ofstream access{data_ / "pg_hba.conf"};
    access << options.access << "\nhost all all 127.0.0.1/32 trust\n"
           << "host replication all 127.0.0.1/32 trust\n"
           << std::flush;
    std::ofstream config{data_ / "postgresql.conf", std::ios::app};
    // Without fsync, a killed server loses nothing, because the operating system has its writes.
    config << "\nlisten_addresses = '127.0.0.1'\nunix_socket_directories = ''\nport = "
           << port_.number() << "\nfsync = off\nmax_connections = 200\n"
           << "dynamic_shared_memory_type = mmap\n"  // files in data_, which end with the folder
           << options.config << '\n'
           << std::flush;
    if (!config || !access)
        throw std::system_error{EIO, std::generic_category(), "cannot write the configuration"};
}

void postgres_server::make_data(const postgres_server_options& options) const {
    const std::string program = options.standby_of != nullptr ? "pg_basebackup" : "initdb";
    const auto arguments =
        options.standby_of != nullptr
            ? std::vector<std::string>{"-D", data_, "-d",   options.standby_of->connect_string(),
                                       "-R", "-c",  "fast", "--no-sync"}
            : std::vector<std::string>{"-D",         data_,      "-U", "postgres",
                                       "-A",         "trust",    "-E", options.encoding,
                                       "--locale=C", "--no-sync"};
    process maker{process_options{
        .command = command(program, arguments), .output = log_, .folder = folder_.path()}};
    if (!maker.wait() || maker.exit_code() != 0)
        throw std::runtime_error{program + " failed:\n" + maker.output()};
}

postgres_server::~postgres_server() {
    kill();
}

// A killed server leaves a segment of System V shared memory behind, and the kernel limits the number of segments. The
// seventh line of postmaster.pid has the key and the id of the segment.
void postgres_server::remove_shared_memory() const {
    std::ifstream file{data_ / "postmaster.pid"};
    for (int i = 0; i != 6; ++i) file.ignore(std::numeric_limits<std::streamsize>::max(), '\n');
    long long key = 0;
    int id = 0;
    if (file >> key >> id) ::shmctl(id, IPC_RMID, nullptr);
}

std::vector<std::string> postgres_server::command(const std::string& program,
                                                  std::vector<std::string> arguments) const {
    arguments.insert(arguments.begin(), (programs_ / program).string());
    return detail::unprivileged(std::move(arguments));
}

void postgres_server::start(test_deadline until) {
    if (running()) return;
    std::error_code none;
    // A killed server leaves this file behind.
    std::filesystem::remove(data_ / "postmaster.pid", none);
    process_.emplace(process_options{
        .command = command("postgres", {"-D", data_}), .output = log_, .folder = data_});
    const bool serves = eventually(
        [&] {
            if (!running()) return true;
            try {
                return run_sql("SELECT 1") == "1\n";
            } catch (const std::runtime_error&) {
                return false;  // the server is starting
            }
        },
        until);
    if (!serves || !running())
        throw std::runtime_error{"PostgreSQL does not serve; its log:\n" + log()};
}

void postgres_server::stop() {
    if (!process_) return;
    resume();
    if (running()) ::kill(process_->pid(), SIGINT);
    // Kills a server that does not end in time.
    (void)process_->wait();
    kill();
}

// A killed server's children end a little later, and until then a new server finds their shared memory in use. So this
// function first stops the server, so that it starts no more children, and then kills it and waits for each child. A
// pidfd shows the end even of a zombie, which some containers never reap.
void postgres_server::kill() {
    if (!process_) return;
    std::vector<support::descriptor> others;
    if (running()) {
        process_->pause();
        for (const pid_t pid : children_of(process_->pid())) {
            others.emplace_back(static_cast<int>(::syscall(SYS_pidfd_open, pid, 0)));
            ::kill(pid, SIGKILL);
        }
    }
    process_->kill();
    (void)eventually([&] {
        return std::all_of(others.begin(), others.end(), [](const support::descriptor& child) {
            pollfd end{child.get(), POLLIN, 0};
            return !child.open() || ::poll(&end, 1, 0) == 1;
        });
    });
    remove_shared_memory();
}

void postgres_server::signal_all(int signal) const {
    for (const pid_t pid : children_of(process_->pid())) ::kill(pid, signal);
}

void postgres_server::pause() {
    if (!running()) return;
    process_->pause();  // so that it starts no more children
    signal_all(SIGSTOP);
}

void postgres_server::resume() {
    if (!running()) return;
    signal_all(SIGCONT);
    process_->resume();
}

bool postgres_server::running() const {
    return process_ && process_->running();
}

std::string postgres_server::connect_string() const {
    return "postgresql://postgres@" + port_.address() + "/postgres";
}

std::string postgres_server::log() const {
    return text_of(log_);
}

std::string postgres_server::run_sql(const std::string& text) const {
    const temporary_folder scratch;
    process psql{process_options{.command = {(programs_ / "psql").string(), "-XAtq", "-v",
                                             "ON_ERROR_STOP=1", "-c", text, connect_string()},
                                 .output = scratch.path() / "output",
                                 .folder = scratch.path()}};
    const bool ended = psql.wait();
    std::string said = psql.output();
    if (!ended || psql.exit_code() != 0) throw std::runtime_error{"psql: " + said};
    return said;
}

}  // namespace turnstile::testing
