// SPDX-License-Identifier: Apache-2.0
#include "simulation/fresh.hpp"

#include <unistd.h>

#include <array>
#include <cstddef>
#include <fstream>
#include <iostream>
#include <iterator>
#include <mutex>
#include <stdexcept>
#include <thread>
#include <utility>
#include <vector>

#include <fmt/chrono.h>
#include <fmt/core.h>

#include "simulation/fresh_turns.hpp"

namespace turnstile::tests {

namespace {

using namespace std::chrono_literals;
using clock = std::chrono::steady_clock;

constexpr auto k_show_every = 500ms;      // on a terminal
constexpr auto k_show_every_lines = 30s;  // in a file

struct counts {
    std::uint64_t histories = 0;
    std::uint64_t events = 0;
    std::uint64_t grants = 0;
    std::uint64_t broken = 0;

    void add(const simulation::outcome& result) {
        ++histories;
        events += result.events;
        grants += result.grants;
        broken += result.broken ? 1 : 0;
    }
    void add(const counts& other) {
        histories += other.histories;
        events += other.events;
        grants += other.grants;
        broken += other.broken;
    }
};

struct finding {
    std::string kind;
    std::string invariant;
    std::string breach;
    std::string replay;
};

struct tally {
    std::array<counts, k_history_kinds.size()> by_kind{};
    std::vector<finding> findings;

    [[nodiscard]] counts all() const {
        counts sum;
        for (const auto& kind : by_kind) sum.add(kind);
        return sum;
    }
};

std::size_t index_of(const history_kind& kind) {
    std::size_t at = 0;
    while (k_history_kinds[at] != kind) ++at;
    return at;
}

// Several threads play histories. One mutex guards the choice of the next history and the results.
class run {
public:
    explicit run(const fresh_options& wanted)
        : wanted_{wanted},
          begin_{clock::now()},
          end_{begin_ + std::chrono::duration_cast<clock::duration>(wanted.length)},
          turns_{wanted.drawn_from} {}

    const tally& play() {
        {
            std::vector<std::jthread> players;
            for (unsigned i = 0; i != wanted_.jobs; ++i) players.emplace_back([this] { work(); });
        }
        if (on_terminal_) std::cerr << '\n';
        return tally_;
    }

private:
    void work() {
        while (clock::now() < end_) {
            const auto mine = take();
            const auto result = tests::play(mine.kind, mine.seed);
            const std::scoped_lock lock{mutex_};
            add(mine, result);
        }
    }

    turn take() {
        const std::scoped_lock lock{mutex_};
        return turns_.next();
    }

    void add(const turn& mine, const simulation::outcome& result) {
        tally_.by_kind[index_of(mine.kind)].add(result);
        if (result.broken) {
            finding found{to_string(mine.kind), result.invariant, result.breach, result.replay()};
            std::cout << fmt::format("{}{}: {}: {}\n    {}\n", on_terminal_ ? "\r" : "", found.kind,
                                     found.invariant, found.breach, found.replay)
                      << std::flush;
            tally_.findings.push_back(std::move(found));
        }
        show_progress(mine);
    }

    void show_progress(const turn& mine) {
        const auto now = clock::now();
        if (now < shown_ + (on_terminal_ ? clock::duration{k_show_every} : k_show_every_lines))
            return;
        shown_ = now;
        const auto sum = tally_.all();
        std::cerr << fmt::format(
                         "{}{:.1f} of {:.1f} minutes: {} histories, {} broken; now {} {}{}",
                         on_terminal_ ? "\r\x1b[K" : "",
                         std::chrono::duration<double, std::ratio<60>>{now - begin_}.count(),
                         std::chrono::duration<double, std::ratio<60>>{wanted_.length}.count(),
                         sum.histories, sum.broken, to_string(mine.kind), mine.seed,
                         on_terminal_ ? "" : "\n")
                  << std::flush;
    }

    const fresh_options& wanted_;
    const clock::time_point begin_;
    const clock::time_point end_;
    const bool on_terminal_ = isatty(STDERR_FILENO) != 0;
    std::mutex mutex_;
    fresh_turns turns_;
    tally tally_;
    clock::time_point shown_ = begin_;
};

// ---- the report after the last history -----------------------------------------------------------

std::string table_of(const tally& all) {
    std::string text =
        "| work and servers | histories | events | grants | histories that broke a promise |\n"
        "|---|---|---|---|---|\n";
    const auto line = [&text](std::string_view name, const counts& counts) {
        text += fmt::format("| {} | {} | {} | {} | {} |\n", name, counts.histories, counts.events,
                            counts.grants, counts.broken);
    };
    for (std::size_t i = 0; i != all.by_kind.size(); ++i)
        line(to_string(k_history_kinds[i]), all.by_kind[i]);
    line("all", all.all());
    return text;
}

std::string page_of(const fresh_options& wanted, const tally& all) {
    const auto minutes = std::chrono::duration<double, std::ratio<60>>{wanted.length}.count();
    auto text = fmt::format(
        "`scripts/simulate --fresh {:g} --jobs {}` played these histories on {:%Y-%m-%d %H:%M} "
        "UTC, at commit {}.\nThe script drew their seeds from the number {}.\n\n",
        minutes, wanted.jobs, fmt::gmtime(std::chrono::system_clock::now()), wanted.commit,
        wanted.drawn_from);
    const auto sum = all.all();
    text += fmt::format("{} simulated histories of {} kinds, with {} events and {} grants: ",
                        sum.histories, k_history_kinds.size(), sum.events, sum.grants);
    if (all.findings.empty()) return text + "no history broke a promise.\n";
    text += fmt::format(
        "{} histories broke a promise. On another commit the same seeds give other "
        "histories.\n\n```\n",
        sum.broken);
    for (const auto& finding : all.findings)
        text += fmt::format("{}: {}\n    {}\n", finding.invariant, finding.breach, finding.replay);
    return text + "```\n";
}

void write(const std::string& file, const std::string& text) {
    std::ofstream out{file};
    out << text;
    out.close();
    if (!out) throw std::runtime_error{"cannot write " + file};
}

}  // namespace

int play_fresh(const fresh_options& wanted) {
    std::cout << fmt::format("fresh seeds, drawn from {}\n", wanted.drawn_from) << std::flush;
    run all{wanted};
    const auto& sum = all.play();
    std::cout << table_of(sum);
    if (!wanted.report.empty()) write(wanted.report, page_of(wanted, sum));
    return sum.findings.empty() ? 0 : 1;
}

}  // namespace turnstile::tests
