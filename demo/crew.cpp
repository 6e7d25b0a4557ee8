// SPDX-License-Identifier: Apache-2.0
#include "crew.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <system_error>
#include <utility>

#include "settings.hpp"

namespace demo {

namespace {

namespace fs = std::filesystem;

// Opened for reading and writing, so that neither side waits for the other to open it, and the end of
// the pipe is seen by a worker only when this process is gone.
open_file make_pipe(const fs::path& path) {
    constexpr mode_t k_mode = 0600;
    fs::remove(path);
    if (::mkfifo(path.c_str(), k_mode) != 0) {
        throw std::system_error{errno, std::generic_category(), "cannot make " + path.string()};
    }
    return open_file{path, O_RDWR | O_NONBLOCK};
}

fs::path log_file(const fs::path& folder, int worker) {
    return folder / fmt::format("worker-{}.log", worker);
}

// Beside this program, where the build puts it.
fs::path guardian_program() {
    return fs::read_symlink("/proc/self/exe").parent_path() / "turnstile-guardian";
}

std::vector<std::string> command_of(const worker_settings& settings) {
    std::vector<std::string> command{fs::read_symlink("/proc/self/exe").string(),
                                     std::string{k_worker_command}};
    const auto add = [&](std::string_view name, const auto& value) {
        command.push_back(fmt::format("--{}={}", name, value));
    };
    add("index", settings.index);
    add("folder", settings.folder.string());
    if (!settings.servers.empty()) add("servers", settings.servers);
    if (!settings.guardian.empty()) add("guardian", settings.guardian.string());
    add("work", settings.work.count());
    add("seed", settings.run.seed);
    add("session-timeout", settings.run.session_timeout.count());
    add("tick", settings.run.tick.count());
    return command;
}

}  // namespace

crew::crew(worker_settings settings, int guarded)
    : folder_{settings.folder}, events_{make_pipe(settings.folder / k_events_pipe)} {
    for (int i = 1; i <= settings.run.workers; ++i) {
        settings.index = i;
        settings.guardian = i == guarded ? guardian_program() : fs::path{};
        commands_.push_back(make_pipe(command_pipe(folder_, i)));
        processes_.emplace_back(turnstile::testing::process_options{
            .command = command_of(settings), .output = log_file(folder_, i)});
    }
}

turnstile::testing::process& crew::process_of(int worker) {
    return processes_.at(static_cast<std::size_t>(worker) - 1);
}

pid_t crew::pid(int worker) const {
    return processes_.at(static_cast<std::size_t>(worker) - 1).pid();
}

bool crew::running(int worker) const {
    return processes_.at(static_cast<std::size_t>(worker) - 1).running();
}

void crew::tell(int worker, std::string_view command) {
    const auto line = std::string{command} + "\n";
    const auto& pipe = commands_.at(static_cast<std::size_t>(worker) - 1);
    if (::write(pipe.descriptor(), line.data(), line.size()) < 0) {
        throw std::system_error{errno, std::generic_category(),
                                fmt::format("cannot talk to worker {}", worker)};
    }
}

void crew::tell_all(std::string_view command) {
    for (int i = 1; i <= size(); ++i) tell(i, command);
}

std::vector<event> crew::listen(std::chrono::milliseconds at_most) {
    pollfd readable{events_.descriptor(), POLLIN, 0};
    ::poll(&readable, 1, static_cast<int>(at_most.count()));
    std::array<char, 65'536> bytes{};
    const auto n = ::read(events_.descriptor(), bytes.data(), bytes.size());
    if (n > 0) unfinished_.append(bytes.data(), static_cast<std::size_t>(n));

    std::vector<event> events;
    std::size_t begin = 0;
    for (std::size_t end = 0; (end = unfinished_.find('\n', begin)) != std::string::npos;
         begin = end + 1) {
        if (auto e = parse_line(std::string_view{unfinished_}.substr(begin, end - begin))) {
            events.push_back(*std::move(e));
        }
    }
    unfinished_.erase(0, begin);
    return events;
}

event crew::kill(int worker) {
    const event e{
        .kind = event_kind::killed, .worker = worker, .at = turnstile::boottime_clock::now()};
    process_of(worker).kill();
    return e;
}

event crew::pause(int worker) {
    const event e{
        .kind = event_kind::stopped, .worker = worker, .at = turnstile::boottime_clock::now()};
    process_of(worker).pause();
    return e;
}

event crew::resume(int worker) {
    const event e{
        .kind = event_kind::resumed, .worker = worker, .at = turnstile::boottime_clock::now()};
    process_of(worker).resume();
    return e;
}

std::string crew::log(int worker) const {
    return processes_.at(static_cast<std::size_t>(worker) - 1).output();
}

}  // namespace demo
