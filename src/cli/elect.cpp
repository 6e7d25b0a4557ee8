// SPDX-License-Identifier: Apache-2.0
#include <poll.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <chrono>
#include <cstdio>
#include <deque>
#include <functional>
#include <future>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "cli/command_host.hpp"
#include "cli/commands.hpp"
#include "cli/connection.hpp"
#include "cli/election_answers.hpp"
#include "cli/election_page.hpp"
#include "cli/exit_code.hpp"
#include "cli/forwarded_signals.hpp"
#include "cli/held_above.hpp"
#include "cli/help.hpp"
#include "cli/keeping_options.hpp"
#include "cli/kind_words.hpp"
#include "cli/option_types.hpp"
#include "cli/servers.hpp"
#include "cli/standard_streams.hpp"
#include "cli/wait_watch.hpp"
#include "support/visible.hpp"
#include "support/wake_up.hpp"
#include "turnstile/clock.hpp"
#include "turnstile/leader.hpp"
#include "turnstile/leader_watch.hpp"

namespace turnstile::cli {
namespace {

// An executor that runs an election's terms on the thread that waits for signals. A term is the function that a
// participant runs while it leads.
//
// Thread safety: accept() from any thread, the other members from one thread.
class term_queue {
public:
    void accept(std::function<void()> term);
    // Returns a descriptor that is readable while a function waits for run().
    [[nodiscard]] int descriptor() const noexcept { return ready_.fd(); }
    // Runs the functions that accept() has stored. Returns false if no function was stored.
    bool run();

private:
    support::wake_up ready_;
    std::mutex mutex_;
    std::deque<std::function<void()>> waiting_;  // guarded by mutex_
};

void term_queue::accept(std::function<void()> term) {
    const std::scoped_lock lock{mutex_};
    waiting_.push_back(std::move(term));
    ready_.set();
}

bool term_queue::run() {
    ready_.clear();
    std::unique_lock lock{mutex_};
    const auto terms = std::exchange(waiting_, {});
    lock.unlock();
    for (const auto& term : terms) term();
    return !terms.empty();
}

struct elect_options {
    std::string path;
    keeping_options keeping;
    server_settings servers;
    std::string id;                        // the name in the election; empty: <host>-<pid>
    std::string data{};                    // published with the id
    std::optional<http_address> http{};    // address of its HTTP answers
    std::vector<std::string> names{};      // further names of this server
    bool once = false;                     // ends after the first command
    bool listen = false;                   // only prints leaders
    output_form form = output_form::text;  // the form in which leaders are printed
    bool quiet = false;
    std::chrono::milliseconds pause{1'000};  // between a term's end and the next entry
};

constexpr std::chrono::milliseconds k_look{1'000};

// Takes part in the election. Whenever this process becomes the leader, starts the command.
class command_leader {
public:
    command_leader(const client& servers, command_host& host, const elect_options& options)
        : host_{host},
          options_{options},
          election_{
              servers,
              options.path,
              [this](leader_term& term) { lead(term); },
              {.id = options.id,
               .data = options.data,
               .pause = options.pause,
               .run = [this](std::function<void()> term) { terms_.accept(std::move(term)); }}} {
        if (!options.http) return;
        page_.emplace(*options.http, options.names, election_, servers);
        // Prints the address with the port that the kernel chose.
        if (options.http->port == 0)
            complain("answers HTTP requests at http://" + to_string(page_->address()));
    }

    // Takes part until a signal arrives, or this process cannot take part any more. With --once, takes part only until
    // this process has led once. Returns the exit code.
    int run() {
        say("waiting to lead as " + election_.id());
        election_.start();
        while (!code_) {
            wait();
            if (terms_.run()) {
                if (!code_) say("does not lead any more");
            } else if (const auto failure = election_.failure(); failure && !code_) {
                code_ = complain(message_of_elect(*failure), exit_code_of(failure->code()));
            }
        }
        // Leaves the queue first, because the page's destructor may take long: it waits for the answers in progress,
        // and those answers wait for the servers.
        election_.close();
        return *code_;
    }

private:
    void wait() {
        std::array<pollfd, 2> watched{
            {{host_.signals().descriptor(), POLLIN, 0}, {terms_.descriptor(), POLLIN, 0}}};
        ::poll(watched.data(), watched.size(), static_cast<int>(k_look.count()));
        take_signals();
    }

    void take_signals() {
        for (int signal = host_.signals().next(); signal != 0; signal = host_.signals().next())
            if (forwarded_signals::ends_wait(signal)) code_ = k_signal_base + signal;
    }

    void lead(leader_term& term) {
        take_signals();
        if (code_) return;
        say("leads");
        const auto end =
            host_.run({[&term] { return term.valid_until(); }, [&term] { return term.status(); },
                       term.lost()},
                      {"TURNSTILE_PATH=" + options_.path, "TURNSTILE_ID=" + election_.id(),
                       "TURNSTILE_TOKEN=" + term.fencing_token().to_hex()});
        const int code = host_.code_of(end, term.status());
        // Leaves the election after a signal, with --once, or if this process can start no further command, so
        // that another machine can lead.
        const bool runs_no_more = end.failure != 0 || end.keeper_died;
        if (end.stop_asked || runs_no_more || options_.once) code_ = code;
    }

    void say(const std::string& sentence) const {
        if (!options_.quiet && ::isatty(STDERR_FILENO) == 1)
            mention(options_.path + ": " + sentence);
    }

    command_host& host_;
    const elect_options& options_;
    term_queue terms_;
    std::optional<int> code_;
    leader election_;                    // closes before the members above, which its terms use
    std::optional<election_page> page_;  // uses the election
};

int stand(client& servers, command_host& host, const elect_options& options) {
    wait_watch waiting{servers, host.signals(), {}};
    const auto ready = host.connect(servers, options.servers);
    if (const int signal = waiting.finish(); signal != 0) return k_signal_base + signal;
    if (!ready) return complain(ready.error().message(), exit_code_of(ready.error().code()));
    return command_leader{servers, host, options}.run();
}

// Returns the leader's id and data, or "-" without a leader.
std::string text_of(const elect_options& options, const std::optional<participant>& leader) {
    if (options.form == output_form::json) return leader_line(options.path, leader);
    if (!leader) return "-\n";
    const auto data = leader->data.empty() ? "" : ' ' + support::visible(leader->data);
    return support::visible(leader->id) + data + '\n';
}

result<int> listen(client& servers, const elect_options& options) {
    // If the first read fails, for example because of the path, the command ends. Later failures may be temporary.
    const auto first = leader{servers, options.path}.present_leader();
    if (first.has_error()) return first.error();
    std::promise<int> end;
    bool over = false;
    const leader_watch watch{servers, options.path, [&](const std::optional<participant>& leader) {
                                 const auto text = text_of(options, leader);
                                 std::fwrite(text.data(), 1, text.size(), stdout);
                                 if (!flush_output() && !std::exchange(over, true))
                                     end.set_value(k_output);
                             }};
    return end.get_future().get();
}

}  // namespace

void add_elect_command(CLI::App& program, command_line& line) {
    auto& command = *program.add_subcommand("elect");
    command.formatter_fn([](auto&&...) { return elect_help(); });
    const auto options = std::make_shared<elect_options>();
    add_lock_path(command, "PATH", options->path)->required();
    command.add_option("--id", options->id);
    command.add_option("--data", options->data);
    command.add_flag("--once", options->once);
    command.add_flag("--listen", options->listen);
    command.add_option_function<std::string>("--http", [options](const std::string& text) {
        options->http = parse_http_address(text);
        if (!options->http)
            throw CLI::ValidationError{"--http", text + ": expected a port or ADDRESS:PORT"};
    });
    add_host_names(command, options->names);
    add_output_option(command, options->form);
    command.add_flag("-q,--quiet", options->quiet);
    add_duration(command, "--pause", options->pause);
    add_keeping_options(command, options->keeping);
    add_server_options(command, options->servers);
    command.final_callback([options, &line] {
        options->keeping.command = line.behind_dashes;
        if (options->listen && options->http)
            throw CLI::ValidationError{"--http and --listen", "exclude each other"};
        if (!options->names.empty() && !options->http)
            throw CLI::ValidationError{"--allow-host", "needs --http"};
        if (!options->listen && options->form != output_form::text)
            throw CLI::ValidationError{"--output", "needs --listen"};
        if (options->listen && !line.behind_dashes.empty())
            throw CLI::ValidationError{"--listen",
                                       "takes no command: " + line.behind_dashes.front()};
        if (options->listen) {
            line.action = [options] {
                return with_client(options->servers,
                                   [&](client& servers) { return listen(servers, *options); });
            };
            return;
        }
        finish(options->keeping, "elect");
        line.action = [options] {
            if (const auto code = end_at_held_election(options->path)) return *code;
            return with_command_host(options->keeping, options->servers,
                                     [&options](client& servers, command_host& host) {
                                         return stand(servers, host, *options);
                                     });
        };
    });
}

}  // namespace turnstile::cli
