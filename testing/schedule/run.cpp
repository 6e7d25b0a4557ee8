// SPDX-License-Identifier: Apache-2.0
#include "schedule/run.hpp"

#include <fmt/core.h>
#include <sys/mman.h>
#include <sys/personality.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <new>
#include <stdexcept>
#include <system_error>

namespace turnstile::schedule {

namespace {

[[noreturn]] void run_here(const plan& how, record& into, scheduler::endurance lasts,
                           std::chrono::seconds patience,
                           const std::function<void(scheduler&)>& work) {
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);
    ::alarm(static_cast<unsigned>(patience.count()));
    // Threads of the run may outlive this function, so the object is never freed.
    auto* const mine = new scheduler{how, into, lasts};
    try {
        work(*mine);
    } catch (const std::exception& failure) {
        mine->end(verdict::failed, failure.what());
    }
    mine->end(verdict::passed, "");
}

std::string end_of(int status, const record& run, std::chrono::seconds patience) {
    if (run.result != verdict::unfinished) return run.text.data();
    if (!WIFSIGNALED(status)) return fmt::format("ended with status {}", WEXITSTATUS(status));
    const int signal = WTERMSIG(status);
    if (signal == SIGALRM)
        return fmt::format(
            "not over after {} s: it is slow, or a thread waits for what the run does not see",
            patience.count());
    return fmt::format("ended by signal {}, {}", signal, ::strsignal(signal));
}

}  // namespace

shared_record::shared_record() {
    void* const room =
        ::mmap(nullptr, sizeof(record), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (room == MAP_FAILED) throw std::system_error{errno, std::generic_category(), "mmap"};
    record_ = new (room) record;
}

shared_record::~shared_record() {
    ::munmap(record_, sizeof(record));
}

// Does not clear the trace, because readers ignore its entries beyond `steps`.
void shared_record::clear() const {
    record_->result = verdict::unfinished;
    record_->steps = record_->switches = 0;
    record_->fingerprint = record::k_no_fingerprint;
    record_->true_time = 0;
    record_->text = {};
    record_->threads = {};
    record_->wants_stacks = record_->timed_out = false;
    record_->process_names = {};
}

std::optional<std::string> run_apart(const plan& how, record& into, scheduler::endurance lasts,
                                     std::chrono::seconds patience,
                                     const std::function<void(scheduler&)>& work) {
    std::fflush(nullptr);  // otherwise the child would write the buffered output again
    const pid_t child = ::fork();
    if (child < 0) throw std::system_error{errno, std::generic_category(), "fork"};
    if (child == 0) run_here(how, into, lasts, patience, work);
    int status = 0;
    while (::waitpid(child, &status, WUNTRACED) < 0 && errno == EINTR) {
    }
    if (WIFSTOPPED(status)) {  // a stopped process would not handle an alarm
        ::kill(child, SIGKILL);
        while (::waitpid(child, nullptr, 0) < 0 && errno == EINTR) {
        }
        return fmt::format(
            "stopped by signal {}: a run is one process, see simulated_world::pause()",
            WSTOPSIG(status));
    }
    into.timed_out = WIFSIGNALED(status) && WTERMSIG(status) == SIGALRM;
    if (into.result == verdict::passed) return std::nullopt;
    return end_of(status, into, patience);
}

void violated(const std::string& description) {
    if (auto* mine = scheduler::of_this_thread()) mine->end(verdict::failed, description.c_str());
    throw std::runtime_error{description};
}

void fixed_addresses(char** arguments) {
    const int now = ::personality(0xffffffff);
    if (now < 0 || (now & ADDR_NO_RANDOMIZE) != 0) return;
    if (::personality(static_cast<unsigned long>(now | ADDR_NO_RANDOMIZE)) < 0) return;
    ::execv("/proc/self/exe", arguments);
}

}  // namespace turnstile::schedule
