// SPDX-License-Identifier: Apache-2.0
#include "explore/explorer.hpp"

#include <fmt/core.h>
#include <sys/mman.h>
#include <sys/personality.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <new>
#include <system_error>
#include <utility>

#include "explore/scheduler.hpp"

namespace turnstile::explore {

namespace {

constexpr unsigned k_hang_seconds =
    60;  // then the system ends a run that the scheduler does not see hang

[[noreturn]] void run_here(const scenario& scenario, const plan& how, record& into) {
    ::alarm(k_hang_seconds);
    // Stays: the scenario's threads may outlive it.
    auto* const mine = new scheduler{how, into};
    try {
        scenario.run();
    } catch (const std::exception& failure) {
        mine->end(verdict::failed, failure.what());
    }
    mine->end(verdict::passed, "");
}

std::string end_of(int status, const record& run) {
    if (run.result != verdict::unfinished) return run.text.data();
    if (WIFSIGNALED(status)) return fmt::format("ended by signal {}", WTERMSIG(status));
    return fmt::format("ended with status {}", WEXITSTATUS(status));
}

}  // namespace

void violated(const std::string& description) {
    if (auto* mine = scheduler::of_this_thread()) mine->end(verdict::failed, description.c_str());
    throw std::runtime_error{description};
}

explorer::explorer(const scenario& scenario) : scenario_{scenario} {
    void* const room =
        ::mmap(nullptr, sizeof(record), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (room == MAP_FAILED) throw std::system_error{errno, std::generic_category(), "mmap"};
    shared_ = new (room) record;
}

explorer::~explorer() {
    ::munmap(shared_, sizeof(record));
}

std::optional<finding> explorer::run(const plan& how) {
    shared_->result = verdict::unfinished;
    shared_->steps = shared_->switches = 0;
    shared_->text.front() = '\0';
    std::fflush(nullptr);
    const pid_t child = ::fork();
    if (child < 0) throw std::system_error{errno, std::generic_category(), "fork"};
    if (child == 0) run_here(scenario_, how, *shared_);
    int status = 0;
    while (::waitpid(child, &status, 0) < 0 && errno == EINTR) {
    }
    if (shared_->result == verdict::passed) return std::nullopt;
    return finding{how, shared_->result, end_of(status, *shared_)};
}

// ---- many schedules -------------------------------------------------------------------------

namespace {

bool exhausted(const tally& so_far, const budget& limit) {
    return so_far.schedules >= limit.schedules || std::chrono::steady_clock::now() >= limit.until;
}

// One more deviation than the run that is recorded, behind its last one.
std::vector<plan> further(const plan& base, const record& run) {
    std::vector<plan> plans;
    const auto first = base.deviations.empty() ? 0 : base.deviations.back().at + 1;
    for (auto at = first; at < run.steps; ++at) {
        const auto& here = run.trace[at];
        for (std::uint8_t thread = 0; thread != k_most_threads; ++thread) {
            if ((here.enabled >> thread & 1U) == 0 || thread == here.chosen) continue;
            plans.push_back(base);
            plans.back().deviations.push_back({at, thread});
        }
    }
    return plans;
}

}  // namespace

tally explorer::deviations(unsigned most, const budget& limit) {
    tally sum;
    std::vector<plan> now{plan{}};
    for (unsigned count = 0; count <= most; ++count) {
        std::vector<plan> next;
        for (const auto& plan : now) {
            if (exhausted(sum, limit)) return sum;
            sum.found = run(plan);
            ++sum.schedules;
            sum.steps += shared_->steps;
            if (sum.found) return sum;
            if (count == most) continue;
            auto more = further(plan, *shared_);
            std::move(more.begin(), more.end(), std::back_inserter(next));
        }
        now = std::move(next);
    }
    sum.complete = true;
    return sum;
}

tally explorer::random(std::uint64_t seed, const budget& limit) {
    tally sum;
    plan how;
    sum.found = run(how);
    how.length = std::max(shared_->steps, 1U);
    constexpr std::array<std::uint32_t, 4> k_depths{1, 2, 3, 5};
    constexpr std::array<std::uint32_t, 4> k_rates{2, 8, 32, 4};
    for (std::uint64_t i = 0; !sum.found && !exhausted(sum, limit); ++i) {
        how.seed = seed + i;
        how.how = i % 2 == 0 ? plan::kind::priorities : plan::kind::walk;
        how.depth = (i % 2 == 0 ? k_depths : k_rates)[i / 2 % k_depths.size()];
        sum.found = run(how);
        ++sum.schedules;
        sum.steps += shared_->steps;
    }
    return sum;
}

finding explorer::shrink(const finding& from) {
    finding best = from;
    for (std::size_t i = 0; i < best.how.deviations.size();) {
        auto fewer = best.how;
        fewer.deviations.erase(fewer.deviations.begin() + static_cast<std::ptrdiff_t>(i));
        if (const auto still = run(fewer)) {
            best = *still;
        } else {
            ++i;
        }
    }
    static_cast<void>(run(best.how));
    return best;
}

// ---- for people -----------------------------------------------------------------------------

namespace {

// The linker's: where this program begins.
extern "C" const char __executable_start;

// "function at file:line" of an address in this program.
std::string place_of(std::uintptr_t address) {
    if (address == 0) return {};
    char self[512] = {};
    if (::readlink("/proc/self/exe", self, sizeof self - 1) < 0) return {};
    const auto offset = address - reinterpret_cast<std::uintptr_t>(&__executable_start) - 1;
    const auto command = fmt::format("addr2line -Cfpis -e '{}' {:#x} 2>/dev/null", self, offset);
    std::string out;
    if (FILE* lines = ::popen(command.c_str(), "r")) {
        std::array<char, 512> line{};
        while (out.size() < 2000 && std::fgets(line.data(), line.size(), lines) != nullptr)
            out += out.empty() ? std::string{line.data()} : "        " + std::string{line.data()};
        ::pclose(lines);
    }
    while (out.ends_with('\n')) out.pop_back();
    return out;
}

}  // namespace

std::string describe(const record& run, std::size_t most) {
    std::string out;
    const std::size_t first = run.steps > most ? run.steps - most : 0;
    for (std::size_t at = first; at != run.steps; ++at) {
        const auto& step = run.trace[at];
        out += fmt::format("  {:5} thread {:2} {}{} {}\n", at, step.thread, name_of(step.kind),
                           step.object == 0 ? "" : fmt::format(" {:#x}", step.object),
                           place_of(step.caller));
        if (step.chosen != step.thread) out += fmt::format("        now thread {}\n", step.chosen);
    }
    return out;
}

void fixed_addresses(char** arguments) {
    const int now = ::personality(0xffffffff);
    if (now < 0 || (now & ADDR_NO_RANDOMIZE) != 0) return;
    if (::personality(static_cast<unsigned long>(now | ADDR_NO_RANDOMIZE)) < 0) return;
    ::execv("/proc/self/exe", arguments);
}

}  // namespace turnstile::explore
