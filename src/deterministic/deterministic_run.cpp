// SPDX-License-Identifier: Apache-2.0
#include "turnstile/testing/deterministic_run.hpp"

#include <fmt/core.h>
#include <sys/mman.h>
#include <unistd.h>
#include <boost/thread/thread.hpp>

#include <array>
#include <cerrno>
#include <filesystem>
#include <memory>
#include <stdexcept>
#include <system_error>
#include <utility>

#include "base/descriptor.hpp"
#include "base/mutex.hpp"
#include "client/back_ends.hpp"
#include "deterministic/live_coordinator.hpp"
#include "deterministic/live_servers.hpp"
#include "schedule/place.hpp"
#include "schedule/run.hpp"
#include "simulation/options.hpp"
#include "turnstile/log.hpp"

namespace turnstile::testing {

namespace model = turnstile::simulation;
using deterministic::live_servers;
using schedule::scheduler;

namespace {

constexpr std::int64_t k_million = 1'000'000;
constexpr std::int64_t k_largest_offset = 100'000'000'000'000;  // of a clock, in nanoseconds
constexpr std::array<std::uint32_t, 4> k_rates{2, 8, 32, 4};

live_servers* servers_of_run = nullptr;

std::shared_ptr<core::coordinator> make_live(std::string_view connect_string,
                                             const client_options& /*options*/) {
    return std::make_shared<deterministic::live_coordinator>(*servers_of_run, connect_string);
}

}  // namespace

// ---- the world of a run ---------------------------------------------------------------------

class simulated_world::state {
public:
    state(const simulation_options& options, const run_limits& limits)
        : drift_{options.clock_drift}, servers_{options, limits.virtual_time} {
        servers_of_run = &servers_;
        set_log_sink([this](log_level, std::string_view line) {
            servers_.enter([&] { servers_.note([&] { return std::string{line}; }); });
        });
        // Its line starts the log's thread, which so is none of a process that may end.
        detail::stand_in_for_zookeeper(make_live);
    }

    [[nodiscard]] live_servers& servers() noexcept { return servers_; }

    simulated_process start(std::string_view name, std::function<void()> main) {
        const auto number = scheduler::of_this_thread()->add_process(name, draw_clock());
        auto added = std::make_shared<process>();
        added->number = number;
        added->name = name;
        {
            const base::lock_guard lock{mutex_};
            processes_.push_back(added);
        }
        servers_.add_process(number, name);
        boost::thread{[this, added, main = std::move(main)] { run(*added, main); }}.detach();
        const base::lock_guard lock{mutex_};
        return simulated_process{processes_.size() - 1};
    }
    [[nodiscard]] bool runs(simulated_process which) {
        const base::lock_guard lock{mutex_};
        return !find(which).over;
    }
    void await(simulated_process which) {
        base::unique_lock lock{mutex_};
        while (!find(which).over) ended_.wait(lock);
    }
    void kill(simulated_process which) {
        const auto number = number_of(which);
        if (!runs(which)) return;
        servers_.crash(number);
        scheduler::of_this_thread()->kill(number);
        set_over(which);
    }
    [[nodiscard]] std::uint8_t number_of(simulated_process which) {
        const base::lock_guard lock{mutex_};
        return find(which).number;
    }

private:
    struct process {
        std::uint8_t number = 0;
        std::string name;
        bool over = false;
    };

    [[nodiscard]] process& find(simulated_process which) REQUIRES(mutex_) {
        const auto at = static_cast<std::size_t>(which);
        if (at >= processes_.size())
            throw std::invalid_argument{fmt::format("process {}: was never started", at)};
        return *processes_[at];
    }
    [[nodiscard]] schedule::process_clock draw_clock() {
        return servers_.enter([this] {
            auto& chance = servers_.chance();
            const auto rate = chance.between(-drift_, drift_) * static_cast<double>(k_million);
            return schedule::process_clock{
                static_cast<std::int64_t>(chance.below(k_largest_offset)),
                static_cast<std::int64_t>(rate)};
        });
    }
    void set_over(simulated_process which) {
        const base::lock_guard lock{mutex_};
        find(which).over = true;
        ended_.notify_all();
    }
    void run(process& own, const std::function<void()>& main) {
        auto* const mine = scheduler::of_this_thread();
        mine->become(own.number);
        try {
            main();
        } catch (const std::exception& failure) {
            schedule::violated(fmt::format("{}: {}", own.name, failure.what()));
        }
        mine->become(0);
        servers_.crash(own.number);
        mine->kill(own.number);
        const base::lock_guard lock{mutex_};
        own.over = true;
        ended_.notify_all();
    }

    const double drift_;
    live_servers servers_;
    base::mutex mutex_;
    base::condition ended_;
    std::vector<std::shared_ptr<process>> processes_ GUARDED_BY(mutex_);
};

simulated_process simulated_world::start(std::string_view name, std::function<void()> main) {
    return state_.start(name, std::move(main));
}

bool simulated_world::runs(simulated_process process) const {
    return state_.runs(process);
}

void simulated_world::await(simulated_process process) const {
    state_.await(process);
}

void simulated_world::pause(simulated_process process, std::chrono::milliseconds length) {
    state_.servers().pause(state_.number_of(process), length);
}

void simulated_world::kill(simulated_process process) {
    state_.kill(process);
}

void simulated_world::cut_off(simulated_process process, std::chrono::milliseconds length) {
    state_.servers().cut_off(state_.number_of(process), length);
}

void simulated_world::change_leader() {
    state_.servers().strike(model::fault::leader_change);
}

void simulated_world::restart_server() {
    state_.servers().strike(model::fault::server_restart);
}

void simulated_world::cut_off_follower() {
    state_.servers().strike(model::fault::follower_partition);
}

void simulated_world::stall_servers() {
    state_.servers().strike(model::fault::stall);
}

void simulated_world::delete_znode(std::string_view path) {
    state_.servers().delete_by_hand(std::string{path});
}

boottime_clock::duration simulated_world::now() const {
    return std::chrono::nanoseconds{scheduler::of_this_thread()->true_time()};
}

std::optional<node> simulated_world::find(std::string_view path) const {
    const auto found = state_.servers().find(std::string{path});
    if (!found) return std::nullopt;
    return node{found->data, found->version, found->ephemeral};
}

std::vector<std::string> simulated_world::children(std::string_view path) const {
    return state_.servers().children(std::string{path});
}

// ---- a run ----------------------------------------------------------------------------------

namespace {

[[noreturn]] void refuse(const std::string& why) {
    throw std::invalid_argument{"deterministic_run: " + why};
}

void check(const simulation_options& options, const run_limits& limits) {
    model::check("deterministic_run", options);
    if (limits.virtual_time <= std::chrono::seconds{0})
        refuse(fmt::format("virtual_time {} s: must be positive", limits.virtual_time.count()));
    if (limits.patience <= std::chrono::seconds{0})
        refuse(fmt::format("patience {} s: must be positive", limits.patience.count()));
    const std::filesystem::directory_iterator threads{"/proc/self/task"};
    const auto count = std::distance(begin(threads), end(threads));
    if (count != 1)
        throw std::logic_error{
            fmt::format("deterministic_run: this process has {} threads, and a run is a fork of "
                        "one that has no other",
                        count)};
}

// Text that a fork leaves.
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
    base::descriptor file_;
};

std::string standings(const schedule::record& run) {
    std::string text;
    for (std::size_t i = 0; i != run.threads.size(); ++i) {
        const auto& each = run.threads[i];
        if (each.wants == schedule::operation::over) continue;
        const std::string name =
            each.process == 0 ? "the run" : run.process_names[each.process].data();
        text += fmt::format("thread {} of {} {} {}\n", i, name, schedule::name_of(each.wants),
                            schedule::place_of(each.caller));
    }
    return text;
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
    const left_text story;
    schedule::plan how;
    how.how = schedule::plan::kind::walk;
    how.seed = options.seed;
    how.depth = k_rates[options.seed % k_rates.size()];
    const auto why = schedule::run_apart(
        how, *record, scheduler::endurance::endless, limits.patience, [&](scheduler& own) {
            // It stays, as the threads do that are under way when the run ends.
            auto* const world = new simulated_world::state{options, limits};
            own.at_end([&story, world] { story.write(world->servers().story()); });
            simulated_world given{*world};
            test(given);
        });
    run_report report;
    report.passed = !why;
    report.failure = why.value_or("");
    report.virtual_time = std::chrono::nanoseconds{record->true_time};
    report.steps = record->steps;
    report.fingerprint = record->fingerprint;
    if (why) report.latest = standings(*record);
    report.story = story.read();
    return report;
}

}  // namespace turnstile::testing
