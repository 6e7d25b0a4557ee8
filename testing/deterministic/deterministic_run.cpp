// SPDX-License-Identifier: Apache-2.0
#include "turnstile/testing/deterministic_run.hpp"

#include <fmt/core.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <filesystem>
#include <memory>
#include <stdexcept>
#include <system_error>
#include <utility>

#include "base/duration_text.hpp"
#include "deterministic/world_state.hpp"
#include "schedule/place.hpp"
#include "schedule/run.hpp"
#include "simulation/options.hpp"
#include "support/descriptor.hpp"

namespace turnstile::testing {

namespace model = turnstile::simulation;
using schedule::scheduler;

namespace {

// On average, a run continues with a random thread at one scheduling point in 2, 4, 8 or 32. The seed selects one of
// these rates for the run.
constexpr std::array<std::uint32_t, 4> k_rates{2, 8, 32, 4};

[[noreturn]] void refuse(const std::string& why) {
    throw std::invalid_argument{"deterministic_run: " + why};
}

void check(const simulation_options& options, const run_limits& limits) {
    model::check("deterministic_run", options);
    if (limits.virtual_time <= std::chrono::seconds{0})
        refuse(fmt::format("virtual_time {}: must be positive",
                           base::duration_text(limits.virtual_time)));
    if (limits.patience <= std::chrono::seconds{0})
        refuse(fmt::format("patience {}: must be positive", base::duration_text(limits.patience)));
    const std::filesystem::directory_iterator threads{"/proc/self/task"};
    const auto count = std::distance(begin(threads), end(threads));
    if (count != 1)
        throw std::logic_error{
            fmt::format("deterministic_run: this process has {} threads, and a run is a fork of "
                        "one that has no other",
                        count)};
}

// A text that the forked process writes and its parent reads.
class left_text {
public:
    left_text() : file_{::memfd_create("turnstile-run", MFD_CLOEXEC)} {
        if (!file_.open()) throw std::system_error{errno, std::generic_category(), "memfd_create"};
    }
    void write(std::string_view text) const noexcept {
        while (!text.empty()) {
            const auto written = ::write(file_.get(), text.data(), text.size());
            if (written <= 0) return;
            text.remove_prefix(static_cast<std::size_t>(written));
        }
    }
    [[nodiscard]] std::string read() const {
        std::string text(static_cast<std::size_t>(::lseek(file_.get(), 0, SEEK_END)), '\0');
        std::size_t at = 0;
        while (at != text.size()) {
            const auto got =
                ::pread(file_.get(), text.data() + at, text.size() - at, static_cast<off_t>(at));
            if (got <= 0) break;
            at += static_cast<std::size_t>(got);
        }
        text.resize(at);
        return text;
    }

private:
    support::descriptor file_;
};

// Returns true if the line of a stack trace is useful to a user. Lines of this library's scheduler, of Boost and of the
// system are not.
bool is_told(const std::string& line) {
    constexpr std::array k_hidden{
        " at /usr/", " at ./",  "_stand_in.cpp", "/testing/schedule/",
        "pthread_",  "boost::", "clone3",        "/testing/deterministic/deterministic_run.cpp"};
    return std::none_of(k_hidden.begin(), k_hidden.end(),
                        [&](const char* each) { return line.find(each) != std::string::npos; });
}

std::string standings(const schedule::record& run) {
    constexpr std::size_t k_most_lines = 8;
    std::vector<std::uintptr_t> addresses;
    for (const auto& each : run.threads)
        for (const auto address : each.stack)
            if (address != 0) addresses.push_back(address);
    const auto places = schedule::places_of(addresses);
    std::string text;
    for (std::size_t i = 0; i != run.threads.size(); ++i) {
        const auto& each = run.threads[i];
        // True for a thread of the simulated servers or of the log. These threads belong to process 0, as the run's
        // first thread does.
        const bool own = each.process == 0 && i != 0;
        const bool had_its_turn = i == run.current;
        if ((each.wants == schedule::operation::over || own) && !had_its_turn) continue;
        const std::string name =
            each.process == 0 ? "the run" : run.process_names[each.process].data();
        text += fmt::format("thread {} of {} {}{}\n", i, name,
                            had_its_turn ? "has its turn" : schedule::name_of(each.wants),
                            each.awaits ? fmt::format(" what thread {} has", *each.awaits) : "");
        std::size_t lines = 0;
        for (const auto address : each.stack) {
            const auto found = places.find(address);
            if (found == places.end()) continue;
            for (const auto& line : found->second)
                if (is_told(line) && lines++ < k_most_lines) text += "    " + line + '\n';
        }
    }
    return text;
}

struct outcome {
    std::optional<std::string> failure;
    std::string story;
};

outcome play(const simulation_options& options, const std::function<void(simulated_world&)>& test,
             const run_limits& limits, schedule::record& into) {
    const left_text story;
    schedule::plan how;
    how.how = schedule::plan::kind::walk;
    how.seed = options.seed;
    how.depth = k_rates[options.seed % k_rates.size()];
    outcome found;
    found.failure = schedule::run_apart(
        how, into, scheduler::endurance::endless, limits.patience, [&](scheduler& own) {
            // Threads that still run at the end refer to this object, so it is never freed.
            auto* const world = new simulated_world::state{options, limits};
            own.at_end([&story, world] { story.write(world->servers().story()); });
            simulated_world given{*world};
            test(given);
            if (limits.has_failed && limits.has_failed()) schedule::violated("the test has failed");
        });
    found.story = story.read();
    return found;
}

}  // namespace

std::string run_report::text() const {
    if (passed) return "passed";
    return fmt::format("{}\nafter {:.3f} s and {} steps, where there stood\n{}{}", failure,
                       std::chrono::duration<double>{virtual_time}.count(), steps, latest, story);
}

void require(bool good, std::string_view rule) {
    if (!good) schedule::violated(std::string{rule});
}

void fixed_addresses(char** arguments) {
    schedule::fixed_addresses(arguments);
}

run_report run_deterministically(const simulation_options& options,
                                 const std::function<void(simulated_world&)>& test,
                                 const run_limits& limits) {
    check(options, limits);
    const schedule::shared_record record;
    const auto first = play(options, test, limits, *record);
    run_report report;
    report.passed = !first.failure;
    report.failure = first.failure.value_or("");
    report.virtual_time = std::chrono::nanoseconds{record->true_time};
    report.steps = record->steps;
    report.fingerprint = record->fingerprint;
    report.story = first.story;
    // Recording stacks is slow, so only a second run with the same seed records them.
    if (!report.passed && !record->timed_out) {
        const schedule::shared_record again;
        again->wants_stacks = true;
        const auto second = play(options, test, limits, *again);
        const bool same = second.failure && again->fingerprint == record->fingerprint;
        report.latest = standings(same ? *again : *record);
    } else if (!report.passed) {
        report.latest = standings(*record);
    }
    return report;
}

}  // namespace turnstile::testing
