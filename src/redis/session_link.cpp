// SPDX-License-Identifier: Apache-2.0
// The members of session_link that any thread may call. session_attach.cpp and session_serve.cpp have the members that
// only the session's thread calls.
#include "redis/session_link.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <chrono>
#include <utility>

#include "base/log.hpp"
#include "base/out_of_memory.hpp"
#include "base/sha1.hpp"
#include "base/thread_name.hpp"
#include "local/client_checks.hpp"
#include "support/hexadecimal.hpp"
#include "support/random_digits.hpp"
#include "support/signals.hpp"

namespace turnstile::redis {
namespace {

constexpr core::duration k_with_replicas = std::chrono::seconds{2};

std::int64_t microseconds(core::duration span) {
    return std::max<std::int64_t>(1, std::chrono::ceil<std::chrono::microseconds>(span).count());
}

core::reply empty_reply(core::ticket id, core::time_point sent, core::outcome how,
                        core::server_error error) {
    core::reply r;
    r.id = id;
    r.sent = sent;
    r.outcome = how;
    r.error = error;
    return r;
}

}  // namespace

session_link::session_link(connect_string where, const core::session_settings& settings,
                           core::duration container_interval, std::shared_ptr<known_servers> known,
                           guardian::guarded_session guarded, core::session_sink& sink)
    : where_{std::move(where)},
      settings_{settings},
      container_interval_{container_interval},
      sink_{sink},
      root_{settings.whole_tree ? std::string{} : where_.chroot},
      prefix_{key_prefix(where_)},
      znodes_{znodes_key(prefix_)},
      deadlines_{deadlines_key(prefix_)},
      identity_{settings.credentials.empty()
                    ? std::string{}
                    : support::hexadecimal_digits(base::sha1(settings.credentials))},
      password_{support::random_digits<16>()},
      timeout_text_{std::to_string(microseconds(settings.timeout))},
      replicas_{where_.wait == 0 ? std::string{} : std::to_string(where_.wait)},
      patience_{std::to_string(
          microseconds(std::min<core::duration>(settings.timeout / 3, k_with_replicas)) / 1000)},
      known_{std::move(known)},
      guarded_{std::move(guarded)},
      chance_{base::random::from_system()} {
    const support::block_signals none_here;
    thread_ = boost::thread{[this] {
        base::name_this_thread("turnstile-redis");
        base::finish_or_end("a session with a Redis server", [this] { run(); });
    }};
}

session_link::~session_link() {
    close(false);
}

std::optional<error> session_link::first_refusal(core::duration limit) {
    const auto deadline = boottime_clock::now() + limit;
    const boost::this_thread::disable_interruption uninterrupted;
    base::unique_lock lock{mutex_};
    while (!first_settled_ && changed_.wait_until(lock, deadline)) {
    }
    // From now on the sink gets every failure as an event, and first_refusal_ is not set any more.
    first_settled_ = true;
    return first_refusal_;
}

bool session_link::is_reader() const noexcept {
    return ::pthread_equal(reader_.load(), ::pthread_self()) != 0;
}

void session_link::submit(core::request&& request, bool with_next) {
    base::unique_lock lock{mutex_};
    if (closing_) return;
    if (!kept_ || !send_entry(request)) {
        if (kept_) send_or_settle(*std::exchange(kept_, std::nullopt));
        if (with_next && may_be_entry(request.op)) {
            kept_ = std::move(request);
            return;
        }
        send_or_settle(std::move(request));
    }
    if (!with_next) send_now(lock);
}

bool session_link::send_entry(core::request& list) {
    if (phase_ != phase::attached || !are_entry(kept_->op, list.op) ||
        !local::client_accepts(kept_->op) || !local::client_accepts(list.op))
        return false;
    auto create = *std::exchange(kept_, std::nullopt);
    root_.to_server(create.op);
    root_.to_server(list.op);
    const auto call = to_entry(create.op);
    pending entry;
    entry.id = create.id;
    entry.op = std::move(create.op);
    send(std::move(entry), call);
    pending listing;
    listing.id = list.id;
    listing.op = std::move(list.op);
    listing.sent = last_sent_;
    listing.shared = true;
    pending_.push_back(std::move(listing));
    return true;
}

// Answers a list request with the list that came with an event. The server would have returned the same list directly
// after the event. No other request is in progress on the reading thread, so the reply follows directly after the
// delivery of the event.
bool session_link::answer_with_along(const core::request& request) {
    if (!along_ || !is_reader() || !pending_.empty()) return false;
    auto op = request.op;
    root_.to_server(op);
    if (op != along_->to) return false;
    pending entry;
    entry.id = request.id;
    entry.settled = std::move(std::exchange(along_, std::nullopt)->reply);
    entry.settled->id = request.id;
    entry.settled->connection = connection_;
    hear_of_children(*entry.settled);
    pending_.push_back(std::move(entry));
    return true;
}

void session_link::send_or_settle(core::request&& request) {
    if (phase_ == phase::dead)
        return settle(std::move(request), core::outcome::answered,
                      core::server_error::session_expired);
    if (phase_ == phase::detached)
        return settle(std::move(request), core::outcome::not_sent, core::server_error::ok);
    if (!local::client_accepts(request.op))
        return settle(std::move(request), core::outcome::answered,
                      core::server_error::bad_arguments);
    if (answer_with_along(request)) return;
    root_.to_server(request.op);
    const auto call = to_call(request.op);
    pending entry;
    entry.id = request.id;
    entry.op = std::move(request.op);
    send(std::move(entry), call);
}

void session_link::forget_watches(const std::string& path) {
    base::unique_lock lock{mutex_};
    if (closing_ || phase_ == phase::dead) return;
    // The caller does not know yet that the session is detached. The next attach leaves out the watches on this path.
    if (phase_ == phase::detached) return given_back_.push_back(root_.to_server(path));
    send_forget(root_.to_server(path));
    send_now(lock);
}

void session_link::look_for_another(const core::look_elsewhere& wanted) {
    const base::lock_guard lock{mutex_};
    if (phase_ != phase::attached || connection_ != wanted.connection) return;
    wanted_ = wanted;
    wake_.set();
}

void session_link::leave_server(std::uint64_t connection) {
    const base::lock_guard lock{mutex_};
    if (phase_ != phase::attached || connection_ != connection) return;
    leaves_ = true;
    wake_.set();
}

void session_link::send_forget(std::string&& path) {
    pending entry;
    entry.why = purpose::forget;
    entry.path = std::move(path);
    const script_call call{script::forget, {entry.path}};
    send(std::move(entry), call);
}

// Answers the request without sending it. The reply waits behind the replies to earlier requests, which must come
// first.
void session_link::settle(core::request&& request, core::outcome how, core::server_error error) {
    pending entry;
    entry.id = request.id;
    entry.settled = empty_reply(request.id, boottime_clock::now(), how, error);
    entry.settled->connection = connection_;
    pending_.push_back(std::move(entry));
    wake_.set();
}

void session_link::send(pending&& entry, const script_call& call) {
    std::vector<std::string_view> words{"EVALSHA",
                                        digests_.at(static_cast<std::size_t>(call.which)), "2"};
    words.insert(words.end(),
                 {znodes_, deadlines_, prefix_, session_, mark_, timeout_text_, identity_});
    words.insert(words.end(), call.arguments.begin(), call.arguments.end());
    entry.sent = boottime_clock::now();
    last_sent_ = entry.sent;
    fetch_by_ = core::time_point::max();  // the script's answer contains the events
    commands_->append(words);
    if (!replicas_.empty()) commands_->append({"WAIT", replicas_, patience_});
    pending_.push_back(std::move(entry));
}

// Sends the unsent requests. The reading thread does not send here: requests that a callback submits during a delivery
// are sent together after it.
void session_link::send_now(base::unique_lock& held) {
    if (is_reader() || sending_) return;
    sending_ = true;
    while (commands_ != nullptr && !commands_->sent_all()) {
        const auto to = commands_;
        const auto text = to->take_unsent();
        held.unlock();
        const auto done =
            base::finish_or_end("a request to a Redis server", [&] { return to->write(text); });
        held.lock();
        if (done == text.size()) continue;
        to->put_back(std::string_view{text}.substr(done));
        wake_.set();
        break;
    }
    sending_ = false;
    if (closing_) changed_.notify_all();
}

core::session_identity session_link::identity() const {
    const base::lock_guard lock{mutex_};
    core::session_identity found;
    if (session_.empty()) return found;
    found.id = std::stoll(session_);
    for (std::size_t i = 0; i != found.password.size(); ++i)
        found.password.at(i) =
            static_cast<char>(std::stoi(password_.substr(2 * i, 2), nullptr, 16));
    return found;
}

std::optional<core::clock_reading> session_link::servers_clock() const {
    const base::lock_guard lock{mutex_};
    return clock_;
}

void session_link::close(bool orderly) noexcept {
    {
        const base::lock_guard lock{mutex_};
        if (closing_ && !thread_.joinable()) return;
        closing_ = true;
    }
    orderly_ = orderly;
    silent_ = true;
    stop_.set();
    const boost::this_thread::disable_interruption uninterrupted;
    if (thread_.joinable()) thread_.join();
}

// With sentinels each reason already names its server.
void session_link::note_failure(const std::string& reason, errc code) {
    const bool is_named = server_.host.empty() || where_.servers == std::vector{server_};
    auto line = is_named ? reason : to_string(server_) + ": " + reason;
    if (!attempt_reasons_.ends_with(line))
        attempt_reasons_ += (attempt_reasons_.empty() ? "" : "; ") + line;
    known_->failure.set({code, attempt_reasons_});
}

bool session_link::settle_first(std::optional<error> why) {
    const base::lock_guard lock{mutex_};
    if (std::exchange(first_settled_, true)) return false;
    first_refusal_ = std::move(why);
    changed_.notify_all();
    return true;
}

}  // namespace turnstile::redis
