// SPDX-License-Identifier: Apache-2.0
#include "redis/master_watch.hpp"

#include <algorithm>
#include <chrono>
#include <utility>

#include "base/log.hpp"

namespace turnstile::redis {
namespace {

constexpr int k_round_part = 3;  // fraction of the session timeout
constexpr core::duration k_least_interval = std::chrono::milliseconds{50};
constexpr core::duration k_most_interval = std::chrono::seconds{1};

// An inquiry that still waits is of no use: its late reply would be taken for the reply to the next question.
bool is_of_further_use(const sentinel_inquiry& inquiry) {
    return !inquiry.waits() && !inquiry.connection().broken() &&
           inquiry.answer().result == welcome::ok;
}

}  // namespace

master_watch::master_watch(const redis_address& where, const tls::context* tls,
                           sentinel_inquiries sentinels, server_address attached_to,
                           std::int64_t epoch, core::duration session_timeout, told_refusals& told)
    : where_{where}, tls_{tls}, attached_to_{std::move(attached_to)}, told_{told}, epoch_{epoch} {
    for (auto& each : sentinels) {
        const auto name = each->sentinel();
        const auto address = each->connection().peer().value();
        if (!is_of_further_use(*each)) each.reset();
        sentinels_.push_back({name, address, std::move(each)});
    }
    if (sentinels_.empty()) return;
    interval_ = std::clamp<core::duration>(
        session_timeout / (k_round_part * static_cast<int>(sentinels_.size())), k_least_interval,
        k_most_interval);
    due_ = boottime_clock::now() + interval_;
}

int master_watch::fd() const noexcept {
    if (sentinels_.empty()) return -1;
    const auto& now_asked = sentinels_[at_].inquiry;
    return now_asked != nullptr && now_asked->waits() ? now_asked->connection().fd() : -1;
}

short master_watch::awaited() const noexcept {
    return fd() < 0 ? short{0} : sentinels_[at_].inquiry->connection().awaited();
}

void master_watch::go_on(core::time_point now) {
    if (sentinels_.empty()) return;
    if (const auto& current = sentinels_[at_].inquiry; current != nullptr && current->waits()) {
        current->go_on();
        if (!current->waits()) judge(current->answer());
    }
    if (now >= due_) ask(now);
}

// Prepares the question to the next sentinel, even if the previous sentinel has not replied. Only `go_on` sends the
// question and reads the reply.
void master_watch::ask(core::time_point now) {
    if (auto& last = sentinels_[at_].inquiry; last != nullptr && !is_of_further_use(*last))
        last.reset();
    at_ = (at_ + 1) % sentinels_.size();
    auto& [name, address, inquiry] = sentinels_[at_];
    if (inquiry == nullptr)
        inquiry = std::make_unique<sentinel_inquiry>(name, where_, tls_, -1, address);
    inquiry->ask();
    due_ = now + interval_;
}

// Ignores an answer with an older epoch (configuration number): that sentinel was disconnected when the other sentinels
// replaced the master.
void master_watch::judge(const sentinel_answer& answer) {
    tell_of_refusal(answer);
    if (answer.result != welcome::ok || answer.epoch <= epoch_) return;
    epoch_ = answer.epoch;
    if (answer.master != attached_to_) switched_ = answer.master;
}

// An unreachable sentinel (`away`) has neither sent a refusal nor withdrawn an earlier refusal.
void master_watch::tell_of_refusal(const sentinel_answer& answer) {
    if (answer.result == welcome::away) return;
    auto& told = told_[to_string(sentinels_[at_].name)];
    if (std::exchange(told, answer.reason) == answer.reason || answer.reason.empty()) return;
    log::write(log_level::warning, "{}: {}", to_string(where_), answer.reason);
}

}  // namespace turnstile::redis
