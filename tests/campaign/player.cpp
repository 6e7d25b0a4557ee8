// SPDX-License-Identifier: Apache-2.0
#include "player.hpp"

#include <poll.h>

#include <future>

#include "turnstile/fencing_vector.hpp"

namespace campaign {

using namespace std::chrono_literals;

namespace {

constexpr milliseconds k_release_within{20'000};

// Returns each path with its fencing token, such as "/campaign/a:0x5,/campaign/b:0x7". A composite hold has a part for
// each lock, and the part's name ends with the lock's path.
std::string tokens_of(const guard& hold, const std::vector<std::string>& paths) {
    std::string text;
    const auto tokens = hold.fencing_tokens();
    for (const auto& path : paths) {
        auto token = hold.fencing_token();
        for (const auto& part : tokens.components()) {
            if (paths.size() > 1 && part.name.ends_with(path)) token = part.token;
        }
        text += (text.empty() ? "" : ",") + path + ":" + token.to_string();
    }
    return text;
}

}  // namespace

void player::work(milliseconds time) {
    ::poll(nullptr, 0, static_cast<int>(time.count()));
}

std::shared_ptr<trace> player::begin(const std::string& action, milliseconds timeout) {
    auto result = std::make_shared<trace>(out_, out_.next_id());
    const auto now = boottime_clock::now();
    out_.write(now, "call", result->id, "{} deadline={}", action, nanoseconds(now + timeout));
    return result;
}

acquire_options player::options(const std::shared_ptr<trace>& of, milliseconds timeout) {
    acquire_options result;
    result.timeout = timeout;
    result.stop = ending_;
    result.on_lost = [of](const turnstile::error& why) {
        of->out.write(boottime_clock::now(), "lost", of->id, "by=on_lost why={}", outcome_of(why));
    };
    result.on_asked_to_release = [of](const turnstile::release_request& request) {
        of->release_requested = true;
        of->out.write(boottime_clock::now(), "asked", of->id, "who={}", one_word(request.who));
    };
    if (chance(0.1)) result.max_hold = milliseconds{between(50, 1'000)};
    return result;
}

milliseconds player::some_timeout() {
    return chance(0.2) ? milliseconds{between(20, 1'000)} : milliseconds{between(2'000, 15'000)};
}

result<guard> player::take(const way& lock, acquire_options options) {
    const int form = between(0, 5);
    if (form == 0) return lock.try_acquire(std::move(options));
    if (form != 1) return lock.acquire(std::move(options));
    auto outcome = std::make_shared<std::promise<result<guard>>>();
    auto future = outcome->get_future();
    lock.async(std::move(options),
               [outcome](result<guard> mine) { outcome->set_value(std::move(mine)); });
    return future.get();
}

void player::granted(const trace& of, const guard& hold, const std::vector<std::string>& paths) {
    // The clock is read first. If the process pauses before the next line, the noted interval is too short, and never
    // too long.
    const auto now = boottime_clock::now();
    const auto until = hold.valid_until();
    out_.write(now, "granted", of.id, "until={} tokens={} znode={}", nanoseconds(until),
               tokens_of(hold, paths), hold.znode().empty() ? "-" : hold.znode());
}

void player::failed(const trace& of, const turnstile::error& why) {
    out_.write(boottime_clock::now(), "failed", of.id, "why={}", outcome_of(why));
}

bool player::still_valid(const trace& of, const guard& hold) {
    const auto now = boottime_clock::now();
    const auto until = hold.valid_until();
    if (hold.valid()) {
        out_.write(now, "step", of.id, "until={}", nanoseconds(until));
        return true;
    }
    const auto status = hold.status();
    out_.write(boottime_clock::now(), "invalid", of.id, "why={}",
               status ? "valid_again" : outcome_of(status.error()));
    return false;
}

void player::critical_section(const trace& of, const guard& hold) {
    // Most critical sections are short. Some are so long that a fault happens inside.
    const int steps = chance(0.03) ? between(50, 150) : between(1, 6);
    for (int i = 0; i != steps && goes_on() && !of.release_requested; ++i) {
        const bool valid = still_valid(of, hold);
        if (valid) work(milliseconds{between(1, 20)});
        out_.write(boottime_clock::now(), "write", of.id, "");
        if (!valid) return;
    }
}

void player::release(const trace& of, guard& hold) {
    const auto now = boottime_clock::now();
    const auto deadline = now + k_release_within;
    if (chance(0.3)) {
        out_.write(now, "release", of.id, "");
        hold.unlock();
        return;
    }
    out_.write(now, "release", of.id, "deadline={}", nanoseconds(deadline));
    const auto outcome = hold.release_until(deadline);
    out_.write(boottime_clock::now(), "released", of.id, "result={}",
               outcome ? "ok" : outcome_of(outcome.error()));
}

void player::turn(const way& lock, const std::string& action,
                  const std::vector<std::string>& paths) {
    const auto timeout = some_timeout();
    const auto mine = begin(action, timeout);
    auto hold = take(lock, options(mine, timeout));
    if (!hold) return failed(*mine, hold.error());
    granted(*mine, *hold, paths);
    {
        const std::stop_callback told{
            hold->lost(),
            [mine] { mine->out.write(boottime_clock::now(), "lost", mine->id, "by=token"); }};
        critical_section(*mine, *hold);
    }
    release(*mine, *hold);
}

}  // namespace campaign
