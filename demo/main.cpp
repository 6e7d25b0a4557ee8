// SPDX-License-Identifier: Apache-2.0
// turnstile_demo: five processes sell a stock under one lock, on a private server of the kind that is asked for. While
// they hold the lock one is killed, then another (on ZooKeeper with a guardian) or the server, and one is paused. Shows
// which worker waited and which held when, and checks what the lock promises.
//
// The program starts itself again as its workers ("turnstile_demo worker ...").
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <stdexcept>
#include <string>

#include "checks.hpp"
#include "director.hpp"
#include "report.hpp"
#include "settings.hpp"
#include "text.hpp"
#include "timeline.hpp"
#include "timeline_svg.hpp"
#include "timeline_text.hpp"
#include "worker.hpp"

namespace {

namespace fs = std::filesystem;

constexpr int k_check_failed = 1;
constexpr int k_could_not_run = 2;
constexpr int k_interrupted = 130;  // as a shell says it of SIGINT

struct arguments {
    demo::run_settings run;
    std::string servers = "zookeeper";
    fs::path svg;
    fs::path keep;
};

fs::path default_svg() {
    return fs::read_symlink("/proc/self/exe").parent_path() / "turnstile-demo.svg";
}

std::string parse_servers(const std::string& name, demo::run_settings& run) {
    const auto kind = demo::parse_server_kind(name);
    if (!kind) return "is not zookeeper, redis, postgresql, mariadb or sqlite: " + name;
    run.servers = *kind;
    return {};
}

void declare(CLI::App& app, arguments& given) {
    app.add_option("--servers", given.servers,
                   "zookeeper, redis, postgresql, mariadb or sqlite: on which kind it runs")
        ->type_name("KIND")
        ->check([&given](const std::string& name) { return parse_servers(name, given.run); })
        ->capture_default_str();
    app.add_option("--items", given.run.items, "how many items there are to sell")
        ->check(CLI::Range(40, 5000))
        ->capture_default_str();
    app.add_option("--workers", given.run.workers, "how many processes sell them")
        ->check(CLI::Range(4, 16))
        ->capture_default_str();
    app.add_option("--svg", given.svg, "where the picture is written to")
        ->type_name("FILE")
        ->capture_default_str();
    app.add_option("--seed", given.run.seed,
                   "decides which are killed, which is paused, and how long a sale takes")
        ->capture_default_str();
    app.add_option("--keep", given.keep,
                   "a new folder in which the stock, the sales and the events are kept")
        ->type_name("FOLDER");
}

// Parses into what was declared for `app`; returns false after --help. Throws CLI::ParseError.
bool parse(CLI::App& app, int argc, char** argv) {
    try {
        app.parse(argc, argv);
        return true;
    } catch (const CLI::Success& e) {
        app.exit(e);
        return false;
    }
}

// With the arguments that crew.cpp writes.
int work(int argc, char** argv) {
    demo::worker_settings settings;
    auto& run = settings.run;
    long work_us = 0;
    long session_timeout_ms = 0;
    long tick_ms = 0;
    CLI::App app{"A worker of the demo."};
    app.add_option("--index", settings.index)->required();
    app.add_option("--folder", settings.folder)->required();
    app.add_option("--servers", settings.servers);
    app.add_option("--guardian", settings.guardian);
    app.add_option("--work", work_us)->required();
    app.add_option("--seed", run.seed)->required();
    app.add_option("--session-timeout", session_timeout_ms)->required();
    app.add_option("--tick", tick_ms)->required();
    if (!parse(app, argc, argv)) return 0;
    settings.work = std::chrono::microseconds{work_us};
    run.session_timeout = std::chrono::milliseconds{session_timeout_ms};
    run.tick = std::chrono::milliseconds{tick_ms};
    return demo::run_worker(settings);
}

// The files are opened before anything is started: a minute later would be too late to say no.
std::ofstream open_picture(const fs::path& path) {
    std::ofstream file{path, std::ios::app};
    if (!file) throw std::runtime_error{"--svg: cannot write " + path.string()};
    return std::ofstream{path, std::ios::trunc};
}

void make_new_folder(const fs::path& path) {
    std::error_code failure;
    if (!fs::create_directories(path, failure)) {
        throw std::runtime_error{fmt::format("--keep: cannot make {}: {}", path.string(),
                                             failure ? failure.message() : "it exists")};
    }
}

void keep_record(const fs::path& folder, const std::string& name, const demo::run_record& run) {
    std::ofstream events{folder / (name + "-events.txt")};
    for (const auto& e : run.events) events << demo::to_line(e) << '\n';
    std::ofstream sales{folder / (name + "-sales.txt")};
    for (const auto& s : run.sales) {
        sales << s.item << ' ' << s.worker << ' ' << s.token.to_string() << '\n';
    }
    std::ofstream{folder / (name + "-stock.txt")} << run.stock_left << '\n';
}

void on_signal(int) {
    demo::director::interrupt();
}

void handle_signals() {
    struct sigaction action {};
    action.sa_handler = on_signal;
    ::sigaction(SIGINT, &action, nullptr);
    ::sigaction(SIGTERM, &action, nullptr);
    ::sigaction(SIGHUP, &action, nullptr);
}

int direct(const arguments& given) {
    const auto out = demo::terminal::detect();
    auto picture = open_picture(given.svg);
    if (!given.keep.empty()) make_new_folder(given.keep);

    const auto began = std::chrono::steady_clock::now();
    fmt::print("{} processes sell {} items under one lock; seed {}\n", given.run.workers,
               given.run.items, given.run.seed);
    std::fflush(stdout);
    demo::progress shown{out};
    demo::director director{given.run, shown};
    fmt::print("{}: {}, session time-out {}\n", demo::words_of(given.run.servers).where,
               director.server(), demo::in_seconds(given.run.session_timeout));
    std::fflush(stdout);

    const auto with_lock = director.sell_with_lock();
    const auto without_lock = director.sell_without_lock();
    if (!given.keep.empty()) {
        keep_record(given.keep, "with-lock", with_lock);
        keep_record(given.keep, "without-lock", without_lock);
    }

    const auto shapes = demo::make_timeline(with_lock);
    picture << demo::to_svg(shapes, with_lock, without_lock);
    picture.close();
    auto checks = demo::checks_with_lock(with_lock);
    checks.push_back(demo::oversells(without_lock));
    const bool passed = demo::all_passed(checks);

    fmt::print("\n{}\n{}\n{}\n", demo::to_text(shapes, out), demo::worker_table(with_lock, out),
               demo::check_list(checks, out));
    fmt::print("picture: {}\n", fs::absolute(given.svg).lexically_normal().string());
    if (!given.keep.empty()) fmt::print("record: {}\n", fs::absolute(given.keep).string());
    const auto took = std::chrono::steady_clock::now() - began;
    fmt::print("{} in {}\n",
               passed ? out.paint(demo::tint::green, "all checks passed")
                      : out.paint(demo::tint::red, "a check FAILED"),
               demo::in_seconds(took));
    if (!picture) throw std::runtime_error{"cannot write " + given.svg.string()};
    return passed ? 0 : k_check_failed;
}

}  // namespace

int main(int argc, char** argv) {
    try {
        if (argc > 1 && argv[1] == demo::k_worker_command) return work(argc - 1, argv + 1);
        arguments given;
        given.svg = default_svg();
        CLI::App app{"Five processes sell a stock under one fair lock on a private server."};
        declare(app, given);
        if (!parse(app, argc, argv)) return 0;
        handle_signals();
        return direct(given);
    } catch (const CLI::ParseError& e) {
        std::cerr << "turnstile_demo: " << e.what() << "; see --help\n";
        return k_could_not_run;
    } catch (const demo::interrupted&) {
        std::cerr << "\ninterrupted\n";
        return k_interrupted;
    } catch (const std::exception& e) {
        std::cerr << "\nturnstile_demo: " << e.what() << '\n';
        return k_could_not_run;
    }
}
