// SPDX-License-Identifier: Apache-2.0
#include <poll.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <atomic>
#include <memory>
#include <optional>
#include <string>
#include <system_error>
#include <thread>

#include "cli/command_host.hpp"
#include "cli/commands.hpp"
#include "cli/duration.hpp"
#include "cli/exit_code.hpp"
#include "cli/forwarded_signals.hpp"
#include "cli/held_above.hpp"
#include "cli/held_work.hpp"
#include "cli/help.hpp"
#include "cli/run_options.hpp"
#include "cli/standard_streams.hpp"
#include "cli/status_pipe.hpp"
#include "cli/survey_text.hpp"
#include "cli/wait_watch.hpp"
#include "support/wake_up.hpp"
#include "turnstile/client.hpp"
#include "turnstile/fencing_vector.hpp"

namespace turnstile::cli {
namespace {

// Limits the wait for the servers' answers after a command has ended.
//
// `run` then checks its hold, releases the lock and records a job. If the servers do not answer, each of these requests
// waits as long as --connect-timeout. A signal that ends a wait (forwarded_signals::ends_wait) shortens this time: one
// second later the client closes, which ends the requests.
//
// Thread safety: one thread constructs and destroys the object.
class last_answers {
public:
    // Throws std::system_error. While this object exists, no other code may read the signals.
    last_answers(client& servers, const forwarded_signals& signals)
        : servers_{servers}, signals_{signals} {
        watcher_ = std::thread{[this] { watch(); }};
    }
    ~last_answers() {
        over_.set();
        watcher_.join();
    }
    last_answers(const last_answers&) = delete;
    last_answers& operator=(const last_answers&) = delete;

private:
    void watch() {
        constexpr int k_patience_ms = 1'000;
        if (!has_signal()) return;
        pollfd over{over_.fd(), POLLIN, 0};
        if (::poll(&over, 1, k_patience_ms) == 0) servers_.close();
    }
    // Waits for a signal or the end of this object. Returns true if a signal came.
    [[nodiscard]] bool has_signal() const {
        std::array<pollfd, 2> watched{
            {{signals_.descriptor(), POLLIN, 0}, {over_.fd(), POLLIN, 0}}};
        for (;;) {
            ::poll(watched.data(), watched.size(), -1);
            for (int signal = signals_.next(); signal != 0; signal = signals_.next())
                if (forwarded_signals::ends_wait(signal)) return true;
            if (watched[1].revents != 0) return false;
        }
    }

    client& servers_;
    const forwarded_signals& signals_;
    support::wake_up over_;
    std::thread watcher_;
};

// For the progress line, `run` reads at most this many contenders.
constexpr std::size_t k_longest_queue_shown = 100;
constexpr std::chrono::milliseconds k_patience_for_line{1'000};

std::string joined(const std::vector<std::string>& paths) {
    std::string text;
    for (const auto& path : paths) text += (text.empty() ? "" : "\n") + path;
    return text;
}

// A hold on several locks has several tokens.
std::string token_text(const guard& hold, const run_options& options) {
    return options.paths.size() == 1 ? hold.fencing_token().to_hex()
                                     : hold.fencing_tokens().to_hex();
}

std::vector<std::string> environment_of(const guard& hold, const run_options& options) {
    return {"TURNSTILE_PATH=" + joined(options.paths),
            "TURNSTILE_TOKEN=" + token_text(hold, options), "TURNSTILE_ZNODE=" + hold.znode(),
            held_with(options)};
}

using instant = std::optional<boottime_clock::time_point>;

watched_hold watched(const guard& hold, instant longest) {
    return {[&hold] { return hold.valid_until(); }, [&hold] { return hold.status(); }, hold.lost(),
            longest};
}

// The time at which this run created its contender's znode, by this machine's clock. The znode contains the same
// instant by the servers' clock. From these two times, `run` computes the servers' present time without a request.
using arrival = std::atomic<boottime_clock::rep>;

std::chrono::system_clock::time_point servers_now(const std::vector<contender>& queue,
                                                  std::size_t ahead, const arrival& came) {
    const auto since = came.load();
    const bool own = queue.size() > ahead && since != 0 &&
                     queue[ahead].metadata.pid == std::to_string(::getpid());
    if (!own) return std::chrono::system_clock::now();
    const boottime_clock::duration waited =
        boottime_clock::now().time_since_epoch() - boottime_clock::duration{since};
    return queue[ahead].created + std::chrono::duration_cast<std::chrono::microseconds>(waited);
}

wait_watch::show_place progress(const client& servers, const run_options& options,
                                const arrival& came) {
    if (options.quiet || ::isatty(STDERR_FILENO) != 1) return {};
    return [&servers, &options, &came](std::size_t ahead) {
        if (ahead == 0) return;
        std::vector<contender> queue;
        const auto& path = options.paths.front();
        if (options.paths.size() == 1 && ahead <= k_longest_queue_shown)
            if (auto found =
                    queue_at(servers, path, options.kind, {.timeout = k_patience_for_line}))
                queue = std::move(*found);
        mention(waiting_line(options.paths.size() == 1 ? path : joined(options.paths), ahead, queue,
                             servers_now(queue, ahead, came)));
    };
}

acquire_options acquire_options_of(const run_options& options, const status_pipe& status,
                                   wait_watch& waiting, instant& longest, arrival& came,
                                   boottime_clock::time_point begin) {
    acquire_options how;
    if (options.wait.count() > 0) how.timeout = begin + options.wait;
    how.stop = waiting.stop();
    how.max_hold = options.max_hold;
    how.label = options.label;
    if (options.max_hold.count() > 0)
        how.on_granted_at = [&longest, &options](boottime_clock::time_point granted_at) {
            longest = granted_at + options.max_hold;
        };
    how.on_entered = [&came](const std::string&) {
        came = boottime_clock::now().time_since_epoch().count();
    };
    how.on_queued = [&waiting](std::size_t ahead) { waiting.note_place(ahead); };
    how.on_at_risk = [&status](boottime_clock::time_point until) {
        status.write(at_risk_line(until));
    };
    how.on_asked_to_release = [&status](const release_request& request) {
        status.write(asked_line(request));
    };
    return how;
}

// --wait also limits the wait for a connection. --try does not limit it, because a run with --try would then fail at
// each slow connection.
server_settings settings_for_connection(const run_options& options) {
    auto settings = options.servers;
    if (options.wait.count() > 0)
        settings.connect_timeout = std::min(settings.connect_timeout, options.wait);
    return settings;
}

std::string without_server(const error& failure, const run_options& options) {
    auto text = failure.message();
    if (failure != condition::unreachable) return text;
    const auto limit = settings_for_connection(options).connect_timeout;
    text += "; turnstile waited " + exact_text(limit) + " for a server (";
    if (options.try_only) return text + "--connect-timeout, which --try does not shorten)";
    return text + (limit == options.wait ? "--wait)" : "--connect-timeout)");
}

// Makes `answers`, so that a signal shortens the wait for the servers' last answers. If no thread can start, leaves
// `answers` empty.
void expect_last_answers(std::optional<last_answers>& answers, client& servers,
                         const forwarded_signals& signals) {
    try {
        answers.emplace(servers, signals);
    } catch (const std::system_error&) {
        answers.reset();
    }
}

int run_with(client& servers, command_host& host, const run_options& options) {
    const auto begin = boottime_clock::now();
    arrival came{0};
    wait_watch waiting{servers, host.signals(), progress(servers, options, came)};
    instant longest;
    std::optional<last_answers> answers;
    const auto work = [&](guard& hold) {
        // Does not start the command after a request to stop.
        if (waiting.finish() != 0) return k_success;
        const auto end = host.run(watched(hold, longest), environment_of(hold, options));
        expect_last_answers(answers, servers, host.signals());
        return host.code_of(end, hold.status());
    };
    int code = k_success;
    if (const auto connected = host.connect(servers, settings_for_connection(options)); connected) {
        const auto how = acquire_options_of(options, host.status(), waiting, longest, came, begin);
        code = options.once_per.count() > 0 ? work_once(servers, options, how, work)
                                            : work_under_lock(servers, options, how, work);
    } else if (connected.error() != errc::closed) {
        code = complain(without_server(connected.error(), options),
                        exit_code_of(connected.error().code()));
    }
    const int signal = waiting.finish();
    return signal != 0 ? k_signal_base + signal : code;
}

int run(run_options& options) {
    if (const auto code = end_at_held_lock(options)) return *code;
    return with_command_host(options.keeping, options.servers,
                             [&options](client& servers, command_host& host) {
                                 return run_with(servers, host, options);
                             });
}

}  // namespace

void add_run_command(CLI::App& program, command_line& line) {
    auto& command = *program.add_subcommand("run");
    command.formatter_fn([](auto&&...) { return run_help(); });
    const auto options = std::make_shared<run_options>();
    add_run_options(command, *options);
    command.final_callback([&command, options, &line] {
        finish(*options, command, line.behind_dashes);
        line.action = [options] { return run(*options); };
    });
}

}  // namespace turnstile::cli
