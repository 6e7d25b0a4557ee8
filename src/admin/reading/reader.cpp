// SPDX-License-Identifier: Apache-2.0
#include "admin/reading/reader.hpp"

#include <algorithm>
#include <utility>

namespace turnstile::admin {
namespace {

using std::chrono::milliseconds;

// A person that has looked this long ago is taken to look still.
constexpr std::chrono::seconds k_attention{30};
constexpr std::chrono::seconds k_longest_survey{60};
constexpr milliseconds k_retry{500};

milliseconds since(boottime_clock::time_point start) {
    return std::chrono::duration_cast<milliseconds>(boottime_clock::now() - start);
}

}  // namespace

reader::reader(client& servers, const reading_settings& settings)
    : servers_{servers}, settings_{settings} {
    view_.problem = "the servers have not been read yet";
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
    while (!over()) pause(survey());
}

std::size_t reader::depth_now() const {
    const std::lock_guard lock{mutex_};
    return view_.seen ? depth_within(view_.seen->survey, k_most_contenders_read) : 0;
}

milliseconds reader::survey() {
    const auto start = boottime_clock::now();
    const auto depth = depth_now();
    auto found =
        locks_below(servers_, "/",
                    {.timeout = k_longest_survey, .stop = stop_.get_token(), .most_read = depth});
    if (!found) {
        mark_stale(found.error().message());
        return k_retry;
    }
    const survey_cost cost{requests_of(*found), since(start)};
    publish(std::move(*found), depth == 0 ? survey_depth::names : survey_depth::contenders, cost);
    if (depth == 0) return milliseconds{0};
    const std::lock_guard lock{mutex_};
    const auto next = pause_after(cost, settings_, watched(boottime_clock::now()));
    counts_.requests_per_second = 1'000.0 * static_cast<double>(cost.requests) /
                                  static_cast<double>((cost.took + next).count());
    return next;
}

void reader::publish(lock_survey survey, survey_depth depth, const survey_cost& cost) {
    const auto next = std::make_shared<snapshot>();
    next->as_of = std::chrono::system_clock::now();
    next->reading = cost.took;
    next->depth = depth;
    next->totals = totals_of(survey, depth);
    const std::lock_guard lock{mutex_};
    if (depth == survey_depth::contenders) {
        history_.add(survey, next->as_of);
        if (!looking_since_) looking_since_ = next->as_of;
    }
    for (const auto& each : survey.locks)
        next->held_since.push_back(history_.held_since({each.path, each.kind}));
    next->survey = std::move(survey);
    next->version = view_.seen ? view_.seen->version + 1 : 1;
    before_ = std::exchange(view_.seen, next);
    view_.stale = false;
    view_.problem.clear();
    ++view_.change;
    ++counts_.surveys;
    counts_.requests += cost.requests;
    changed_.notify_all();
}

void reader::mark_stale(std::string problem) {
    const std::lock_guard lock{mutex_};
    ++counts_.failed_surveys;
    view_.problem = std::move(problem);
    if (!std::exchange(view_.stale, true)) ++view_.change;
    changed_.notify_all();
}

// The connection tells sooner than a request that is not answered.
void reader::on_session(session_state state) {
    const std::lock_guard lock{mutex_};
    if (state != session_state::connected && !view_.stale) {
        view_.stale = true;
        view_.problem = "the session is " + std::string{to_string(state)};
        ++view_.change;
    }
    changed_.notify_all();
}

bool reader::watched(boottime_clock::time_point now) const {
    return waiting_ > 0 || now - last_look_ < k_attention;
}

void reader::pause(milliseconds wanted) {
    const auto start = boottime_clock::now();
    std::unique_lock lock{mutex_};
    const auto look_before = last_look_;
    const auto is_over = [&] {
        const auto now = boottime_clock::now();
        // Who comes back after a while sees the servers as they are, not as they were.
        const bool looked_again = last_look_ - look_before >= k_attention;
        return over() ||
               now >= start + (looked_again ? std::min(wanted, settings_.refresh) : wanted);
    };
    while (!is_over()) {
        const auto left = start + wanted - boottime_clock::now();
        changed_.wait_for(lock, std::max<boottime_clock::duration>(
                                    std::min<boottime_clock::duration>(left, settings_.refresh),
                                    milliseconds{1}));
    }
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

view reader::wait_for_change(std::uint64_t known, boottime_clock::time_point deadline) {
    std::unique_lock lock{mutex_};
    last_look_ = boottime_clock::now();
    ++waiting_;
    while (view_.change == known && !over()) {
        const auto left = deadline - boottime_clock::now();
        if (left.count() <= 0) break;
        changed_.wait_for(lock, left);
    }
    --waiting_;
    return view_;
}

std::optional<std::vector<hold_span>> reader::history_of(const lock_key& lock) const {
    const std::lock_guard guard{mutex_};
    return history_.of(lock);
}

wall_time reader::looking_since() const {
    const std::lock_guard guard{mutex_};
    return looking_since_.value_or(std::chrono::system_clock::now());
}

void reader::note_taken(const lock_key& lock, const std::string& znode) {
    const std::lock_guard guard{mutex_};
    history_.note_taken(lock, znode);
}

std::shared_ptr<const wait_graph> reader::graph() {
    shared_snapshot now;
    shared_snapshot before;
    {
        const std::lock_guard lock{mutex_};
        last_look_ = boottime_clock::now();
        if (!view_.seen) return std::make_shared<wait_graph>();
        if (graph_ && graph_version_ == view_.seen->version) return graph_;
        now = view_.seen;
        before = before_;
    }
    const lock_survey none;
    auto made = std::make_shared<const wait_graph>(
        wait_graph_of(now->survey, before ? before->survey : none));
    const std::lock_guard lock{mutex_};
    graph_ = made;
    graph_version_ = now->version;
    return made;
}

void reader::count_requests(std::uint64_t more) {
    const std::lock_guard lock{mutex_};
    counts_.requests += more;
}

reading_counts reader::counts() const {
    const std::lock_guard lock{mutex_};
    return counts_;
}

}  // namespace turnstile::admin
