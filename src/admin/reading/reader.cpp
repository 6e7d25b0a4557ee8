// SPDX-License-Identifier: Apache-2.0
#include "admin/reading/reader.hpp"

#include <algorithm>
#include <utility>

#include "turnstile/tools/request_count.hpp"

namespace turnstile::admin {
namespace {

using std::chrono::milliseconds;

constexpr std::chrono::seconds k_longest_round{60};
constexpr milliseconds k_retry{500};
constexpr std::size_t k_most_looked_at = 100;
constexpr std::chrono::seconds k_rate_over{10};

milliseconds since(boottime_clock::time_point start) {
    return std::chrono::duration_cast<milliseconds>(boottime_clock::now() - start);
}

}  // namespace

reader::reader(client& servers, const reading_settings& settings)
    : servers_{servers},
      settings_{settings},
      locks_{servers, "/", k_most_contenders_read},
      budget_{settings, boottime_clock::now()} {
    view_.problem = "no server has answered so far";
    last_look_ = boottime_clock::now();
    listener_ = servers_.on_change([this](const session_change& step) {
        if (step.session == 0) on_session(step.to);
    });
    thread_ = std::thread{[this] { run(); }};
}

reader::~reader() {
    end();
    if (thread_.joinable()) thread_.join();
}

void reader::end() {
    stop_.request_stop();
    const std::lock_guard lock{mutex_};
    changed_.notify_all();
}

bool reader::over() const {
    return stop_.stop_requested();
}

void reader::run() {
    while (!over()) pause(go_on());
}

milliseconds reader::go_on() {
    const auto start = boottime_clock::now();
    const bool first = !latest().seen;
    const auto allowed = std::max<std::size_t>(budget_.allowed(start), 1);
    const auto most = first ? allowed : std::min(allowed, round_size(settings_));
    const auto round = locks_.go_on({.most_requests = most,
                                     .first = take_looked_at(start),
                                     .timeout = k_longest_round,
                                     .stop = stop_.get_token()});
    budget_.spend(round ? round->requests : most, start);
    if (!round) {
        mark_stale(round.error().message());
        return k_retry;
    }
    const auto took = since(start);
    read_clock();
    publish(locks_.survey(), *round, start);
    if (first) return milliseconds{0};
    const auto now = boottime_clock::now();
    const round_cost cost{took, round->complete, budget_.allowed(now)};
    const std::lock_guard lock{mutex_};
    return pause_after(cost, settings_, watched(now));
}

std::vector<std::string> reader::take_looked_at(boottime_clock::time_point now) {
    std::vector<std::string> paths;
    const std::lock_guard lock{mutex_};
    std::erase_if(looked_at_, [&](const auto& each) { return now - each.second >= k_attention; });
    for (const auto& [path, when] : looked_at_) paths.push_back(path);
    return paths;
}

void reader::look_at(const std::string& path) {
    const std::lock_guard lock{mutex_};
    if (looked_at_.size() < k_most_looked_at || looked_at_.contains(path))
        looked_at_[path] = boottime_clock::now();
}

// Reads the difference between the servers' clock and this machine's clock. While there is no session, keeps the last
// known difference.
void reader::read_clock() {
    const auto shown = servers_.session().servers_time;
    const std::lock_guard lock{mutex_};
    if (shown) view_.clock_ahead = *shown - std::chrono::system_clock::now();
}

void reader::publish(lock_survey survey, const survey_round& round,
                     boottime_clock::time_point start) {
    const auto next = std::make_shared<snapshot>();
    next->reading = since(start);
    next->oldest = round.oldest;
    next->unread = round.unread;
    next->totals = totals_of(survey);
    const std::lock_guard lock{mutex_};
    next->as_of = std::chrono::system_clock::now() + view_.clock_ahead;
    history_.add(survey, next->as_of);
    if (!looking_since_) looking_since_ = next->as_of;
    for (const auto& each : survey.locks)
        next->held_since.push_back(history_.held_since({each.path, each.kind}));
    graph_.note(survey, start - round.oldest - milliseconds{1});
    next->survey = std::move(survey);
    next->version = view_.seen ? view_.seen->version + 1 : 1;
    view_.seen = next;
    view_.stale = false;
    view_.problem.clear();
    attached_again_ = false;
    ++view_.change;
    ++counts_.rounds;
    count_rate(boottime_clock::now());
    changed_.notify_all();
}

void reader::count_rate(boottime_clock::time_point now) {
    counts_.requests = requests_sent(servers_);
    while (sent_.size() > 1 && now - sent_.front().first > k_rate_over) sent_.pop_front();
    if (!sent_.empty()) {
        const std::chrono::duration<double> passed = now - sent_.front().first;
        const auto more = static_cast<double>(counts_.requests - sent_.front().second);
        counts_.requests_per_second = passed.count() > 0 ? more / passed.count() : 0;
    }
    sent_.emplace_back(now, counts_.requests);
}

void reader::mark_stale(std::string problem) {
    const std::lock_guard lock{mutex_};
    ++counts_.failed_rounds;
    view_.problem = std::move(problem);
    if (!std::exchange(view_.stale, true)) ++view_.change;
    changed_.notify_all();
}

// Marks the snapshot as stale at once when the connection is lost, before a read fails.
void reader::on_session(session_state state) {
    const std::lock_guard lock{mutex_};
    attached_again_ = state == session_state::connected && view_.stale;
    if (state != session_state::connected && !view_.stale) {
        view_.stale = true;
        view_.problem = "the session with the servers is " + std::string{to_string(state)};
        ++view_.change;
    }
    changed_.notify_all();
}

bool reader::watched(boottime_clock::time_point now) const {
    return now - last_look_ < k_attention;
}

void reader::pause(milliseconds wanted) {
    const auto start = boottime_clock::now();
    std::unique_lock lock{mutex_};
    const auto look_before = last_look_;
    const auto is_over = [&] {
        const auto now = boottime_clock::now();
        // A user that comes back after a while must see the present state, so the next read of the locks starts sooner.
        const bool looked_again = last_look_ - look_before >= k_attention;
        return over() || attached_again_ ||
               now >= start + (looked_again ? std::min(wanted, settings_.refresh) : wanted);
    };
    while (!is_over()) {
        const auto left = start + wanted - boottime_clock::now();
        changed_.wait_for(lock, std::max<boottime_clock::duration>(
                                    std::min<boottime_clock::duration>(left, settings_.refresh),
                                    milliseconds{1}));
    }
    attached_again_ = false;
}

view reader::look() {
    const std::lock_guard lock{mutex_};
    last_look_ = boottime_clock::now();
    return view_;
}

view reader::latest() const {
    const std::lock_guard lock{mutex_};
    return view_;
}

std::uint64_t reader::wait_for_change(std::uint64_t known) const {
    std::unique_lock lock{mutex_};
    changed_.wait(lock, [&] { return view_.change != known || over(); });
    return view_.change;
}

wall_time reader::looking_since() const {
    const std::lock_guard guard{mutex_};
    return looking_since_.value_or(std::chrono::system_clock::now() + view_.clock_ahead);
}

void reader::note_taken(const lock_key& lock, const std::string& znode) {
    const std::lock_guard guard{mutex_};
    history_.note_taken(lock, znode);
}

std::shared_ptr<const wait_graph> reader::graph() {
    shared_snapshot now;
    std::shared_ptr<const znode_set> before;
    {
        const std::lock_guard lock{mutex_};
        last_look_ = boottime_clock::now();
        if (!view_.seen) return std::make_shared<wait_graph>();
        if (auto known = graph_.of(view_.seen->version)) return known;
        now = view_.seen;
        before = graph_.before();
    }
    auto graph = std::make_shared<const wait_graph>(wait_graph_of(now->survey, *before));
    const std::lock_guard lock{mutex_};
    graph_.keep(graph, now->version);
    return graph;
}

reading_counts reader::counts() const {
    const std::lock_guard lock{mutex_};
    auto now = counts_;
    now.requests = requests_sent(servers_);
    return now;
}

}  // namespace turnstile::admin
