// SPDX-License-Identifier: Apache-2.0
#include "turnstile/testing/process.hpp"

#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <fstream>
#include <mutex>
#include <sstream>
#include <stdexcept>
#include <utility>

#include "servers/spawn.hpp"
#include "servers/supervisor.hpp"
#include "support/kernel_file.hpp"

namespace turnstile::testing {

namespace {

bool executable(const std::filesystem::path& file) {
    return std::filesystem::is_regular_file(file) && ::access(file.c_str(), X_OK) == 0;
}

std::string find_program(const std::string& name) {
    if (name.find('/') != std::string::npos) {
        if (executable(name)) return std::filesystem::absolute(name);
        throw std::runtime_error{"no program " + name};
    }
    const char* path = std::getenv("PATH");
    std::istringstream folders{path != nullptr ? path : "/usr/bin:/bin"};
    for (std::string folder; std::getline(folders, folder, ':');) {
        const auto file = std::filesystem::path{folder.empty() ? "." : folder} / name;
        if (executable(file)) return file;
    }
    throw std::runtime_error{"no program " + name + " in PATH"};
}

process_options checked(process_options options) {
    if (options.command.empty()) throw std::runtime_error{"process: no command"};
    options.command[0] = find_program(options.command[0]);
    if (!options.output.empty()) {
        options.output = std::filesystem::absolute(options.output);
        if (!std::ofstream{options.output, std::ios::app}) {
            throw std::runtime_error{"cannot write " + options.output.string()};
        }
    }
    return options;
}

// Called for a process that got SIGSTOP and does not count as stopped yet. Returns true if the process is inside the
// kernel and will stop before it runs on. It stays in this state while it waits in vfork() for a child that was stopped
// before exec().
bool stuck(pid_t pid) {
    constexpr int k_fields_between =
        16;  // fields from the state to the number of threads, see proc(5)
    std::istringstream fields{support::stat_behind_name(pid)};
    char letter = 0;
    std::string skipped;
    long threads = 0;
    fields >> letter;
    for (int i = 0; i < k_fields_between; ++i) fields >> skipped;
    fields >> threads;
    return letter == 'D' && threads == 1;
}

int exit_code_of(int status) {
    return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

}  // namespace

class process::impl {
public:
    explicit impl(process_options options)
        : options_{checked(std::move(options))},
          supervisor_{detail::supervisor::ward::process_group},
          pid_{detail::spawn({.command = detail::supervised(options_.command),
                              .environment = options_.environment,
                              .output = options_.output,
                              .folder = options_.folder,
                              .link = supervisor_.link()})} {}

    ~impl() {
        if (!owned()) return;
        try {
            kill();
        } catch (...) {  // not reaped, so the supervisor stays and kills the group
        }
    }
    impl(const impl&) = delete;
    impl& operator=(const impl&) = delete;

    [[nodiscard]] pid_t pid() const noexcept { return pid_; }
    [[nodiscard]] const process_options& options() const noexcept { return options_; }

    void signal(int number) {
        const std::lock_guard hold{mutex_};
        if (!owned() || exited()) return;
        ::kill(-pid_, number);
    }

    void pause() {
        signal(SIGSTOP);
        (void)eventually([this] { return !owned() || stopped() || !running(); });
    }

    void kill() {
        signal(SIGKILL);
        (void)eventually([this] { return !owned() || !running(); });
    }

    [[nodiscard]] bool running() {
        const std::lock_guard hold{mutex_};
        return !exited();
    }

    [[nodiscard]] std::optional<int> exit_code() {
        const std::lock_guard hold{mutex_};
        return exited() ? std::optional{exit_code_of(status_)} : std::nullopt;
    }

private:
    [[nodiscard]] bool owned() const { return owner_ == ::getpid(); }
    [[nodiscard]] id_t id() const { return static_cast<id_t>(pid_); }

    [[nodiscard]] bool stopped() const {
        siginfo_t info{};
        const int flags = WSTOPPED | WNOHANG | WNOWAIT;
        return (::waitid(P_PID, id(), &info, flags) == 0 && info.si_pid != 0) || stuck(pid_);
    }

    // Requires mutex_. If the child has ended, kills its process group and then reaps it. Until it is reaped, no other
    // process can get its number or its group's number, so the signal reaches only this group.
    bool exited() {
        if (reaped_) return true;
        siginfo_t info{};
        if (!owned() || ::waitid(P_PID, id(), &info, WEXITED | WNOHANG | WNOWAIT) != 0)
            return false;
        if (info.si_pid == 0) return false;
        ::kill(-pid_, SIGKILL);
        supervisor_.dismiss();
        while (::waitpid(pid_, &status_, 0) < 0 && errno == EINTR) {
        }
        reaped_ = true;
        return true;
    }

    const process_options options_;
    const pid_t owner_ = ::getpid();
    std::mutex mutex_;
    detail::supervisor supervisor_;  // guarded by mutex_
    const pid_t pid_;                // also the number of the process group
    bool reaped_ = false;            // guarded by mutex_
    int status_ = 0;                 // guarded by mutex_
};

process::process(process_options options) : impl_{std::make_unique<impl>(std::move(options))} {}
process::~process() = default;
process::process(process&&) noexcept = default;
process& process::operator=(process&&) noexcept = default;

pid_t process::pid() const noexcept {
    return impl_->pid();
}
bool process::running() const {
    return impl_->running();
}
void process::pause() {
    impl_->pause();
}
void process::resume() {
    impl_->signal(SIGCONT);
}
void process::kill() {
    impl_->kill();
}
std::optional<int> process::exit_code() const {
    return impl_->exit_code();
}

void process::terminate() {
    impl_->signal(SIGTERM);
    impl_->signal(SIGCONT);
}

bool process::wait(test_deadline until) {
    return eventually([this] { return !running(); }, until);
}

std::string process::output() const {
    if (impl_->options().output.empty()) return {};
    std::ifstream file{impl_->options().output};
    return {std::istreambuf_iterator<char>{file}, {}};
}

bool process::wait_for_output(std::string_view text, test_deadline until) const {
    const auto seen = [&] { return output().find(text) != std::string::npos; };
    (void)eventually([&] { return seen() || !running(); }, until);
    return seen();
}

}  // namespace turnstile::testing
