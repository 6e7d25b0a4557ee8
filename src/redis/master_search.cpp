// SPDX-License-Identifier: Apache-2.0
#include "redis/master_search.hpp"

#include <fmt/core.h>
#include <hiredis/hiredis.h>
#include <poll.h>

#include <algorithm>
#include <utility>

#include "redis/requests.hpp"
#include "redis/server_address.hpp"
#include "support/poll_time.hpp"

namespace turnstile::redis {
namespace {

// Returns the value after `name` in a list in which names and values alternate.
std::string_view value_of(const redisReply& list, std::string_view name) {
    if (list.type != REDIS_REPLY_ARRAY) return {};
    for (std::size_t i = 0; i + 1 < list.elements; i += 2)
        if (text_at(list, i) == name) return text_at(list, i + 1);
    return {};
}

std::size_t majority_of(std::size_t count) noexcept {
    return count / 2 + 1;
}

// Returns the masters that the sentinels' answers with this epoch (number of their configuration) name. The master
// that most sentinels name comes first.
std::vector<server_address> latest_of(const std::vector<sentinel_answer>& answers,
                                      std::int64_t epoch) {
    std::vector<std::pair<server_address, std::size_t>> votes;
    for (const auto& answer : answers) {
        if (answer.result != welcome::ok || answer.epoch != epoch) continue;
        const auto known = std::find_if(votes.begin(), votes.end(), [&](const auto& each) {
            return each.first == answer.master;
        });
        if (known == votes.end())
            votes.emplace_back(answer.master, 1);
        else
            ++known->second;
    }
    std::stable_sort(votes.begin(), votes.end(),
                     [](const auto& a, const auto& b) { return a.second > b.second; });
    std::vector<server_address> candidates;
    for (auto& [address, count] : votes) candidates.push_back(std::move(address));
    return candidates;
}

// Sets the result and the reason when no sentinel has named a master. If most sentinels were reached, the first of
// their answers is the result. Otherwise the result is `away`, because an unreachable sentinel may know the master.
void explain(const std::vector<sentinel_answer>& answers, found_servers& out) {
    std::size_t decided = 0;
    welcome decision = welcome::away;
    for (const auto& answer : answers) {
        if (!out.reason.empty()) out.reason += "; ";
        out.reason += answer.reason;
        if (answer.result == welcome::away) continue;
        if (decided++ == 0) decision = answer.result;
    }
    if (decided >= majority_of(answers.size())) out.result = decision;
}

bool is_settled(const sentinel_inquiries& all, std::int64_t least_epoch) {
    std::size_t named = 0;
    std::size_t waiting = 0;
    for (const auto& each : all) {
        if (each->waits())
            ++waiting;
        else if (each->answer().result == welcome::ok && each->answer().epoch >= least_epoch)
            ++named;
    }
    return waiting == 0 || named >= majority_of(all.size());
}

bool await_any(const sentinel_inquiries& all, core::time_point deadline, int give_up) {
    if (boottime_clock::now() >= deadline) return false;
    std::vector<pollfd> waited{{give_up, POLLIN, 0}};
    for (const auto& each : all)
        if (each->waits())
            waited.push_back({each->connection().fd(), each->connection().awaited(), 0});
    ::poll(waited.data(), waited.size(), support::milliseconds_until(deadline));
    return waited.front().revents == 0;
}

sentinel_answer late(const server_address& sentinel) {
    sentinel_answer answer;
    answer.reason = "sentinel " + to_string(sentinel) + ": no answer in time";
    return answer;
}

}  // namespace

std::int64_t epoch_in(const redisReply& answer) {
    return plain_number<std::int64_t>(value_of(answer, "config-epoch")).value_or(0);
}

std::optional<server_address> master_in(const redisReply& answer) {
    return claimed_address(text_at(answer, 0), text_at(answer, 1));
}

sentinel_inquiry::sentinel_inquiry(server_address sentinel, const redis_address& where,
                                   const tls::context* tls, int give_up,
                                   const std::optional<server_address>& at)
    : sentinel_{std::move(sentinel)},
      where_{where},
      line_{at.value_or(sentinel_), tls, give_up, sentinel_.host} {}

void sentinel_inquiry::ask() {
    next_.emplace();
    next_->result = welcome::ok;
    const auto& [user, password] = where_.sentinel_login;
    if (!std::exchange(logged_in_, true) && !password.empty()) {
        if (user.empty())
            line_.append({"AUTH", password});
        else
            line_.append({"AUTH", user, password});
        open_.push_back(question::login);
    }
    line_.append({"SENTINEL", "MASTER", where_.master});
    open_.push_back(question::epoch);
    line_.append({"SENTINEL", "GET-MASTER-ADDR-BY-NAME", where_.master});
    open_.push_back(question::address);
}

void sentinel_inquiry::go_on() {
    if (!waits()) return;
    line_.go_on();
    while (waits()) {
        const auto reply = line_.next();
        if (!reply) break;
        const auto asked = open_.front();
        open_.pop_front();
        if (next_->result == welcome::ok) handle(asked, *reply);
    }
    if (waits() && line_.broken()) {
        open_.clear();
        refuse(line_.is_refused() ? welcome::unfit : welcome::away, line_.reason());
    }
    if (!waits()) answer_ = *std::exchange(next_, std::nullopt);
}

void sentinel_inquiry::handle(question asked, const redisReply& reply) {
    if (reply.type == REDIS_REPLY_ERROR) {
        const auto why = refused_by(
            asked == question::login ? std::string{"AUTH"} : "SENTINEL MASTER " + where_.master,
            reply);
        return refuse(why.result, why.reason);
    }
    switch (asked) {
        case question::login: return;
        case question::epoch: next_->epoch = epoch_in(reply); return;
        case question::address: break;
    }
    auto master = master_in(reply);
    if (!master)
        return refuse(welcome::unfit,
                      "the sentinel knows no address of the master " + where_.master);
    next_->master = *std::move(master);
}

void sentinel_inquiry::refuse(welcome result, const std::string& reason) {
    next_->result = result;
    next_->reason = fmt::format("sentinel {}: {}", to_string(sentinel_), reason);
}

found_servers choose(const std::vector<sentinel_answer>& answers) {
    found_servers out;
    bool any = false;
    for (const auto& answer : answers) {
        if (answer.result != welcome::ok) continue;
        out.epoch = any ? std::max(out.epoch, answer.epoch) : answer.epoch;
        any = true;
    }
    if (any) {
        out.result = welcome::ok;
        out.candidates = latest_of(answers, out.epoch);
    } else {
        explain(answers, out);
    }
    return out;
}

void leave_out_older(std::vector<sentinel_answer>& answers, std::int64_t least_epoch) {
    for (auto& answer : answers) {
        if (answer.result != welcome::ok || answer.epoch >= least_epoch) continue;
        answer.result = welcome::away;
        answer.reason = to_string(answer.master) + " was replaced as master in epoch " +
                        std::to_string(least_epoch) + ", and this sentinel still reports epoch " +
                        std::to_string(answer.epoch);
    }
}

found_servers find_servers(const redis_address& where, const tls::context* tls,
                           core::time_point deadline, int give_up, std::int64_t least_epoch,
                           sentinel_inquiries& asked) {
    asked.clear();
    if (!where.has_sentinels()) return {welcome::ok, {}, where.servers, 0, {}};
    core::duration resolving{};
    for (const auto& sentinel : where.servers) {
        asked.push_back(std::make_unique<sentinel_inquiry>(sentinel, where, tls, give_up));
        asked.back()->ask();
        resolving += asked.back()->connection().resolving();
    }
    do {
        for (const auto& each : asked) each->go_on();
    } while (!is_settled(asked, least_epoch) && await_any(asked, deadline + resolving, give_up));
    std::vector<sentinel_answer> answers;
    for (std::size_t i = 0; i != asked.size(); ++i)
        answers.push_back(asked[i]->waits() ? late(where.servers[i]) : asked[i]->answer());
    std::erase_if(asked, [](const auto& each) { return !each->connection().peer(); });
    leave_out_older(answers, least_epoch);
    auto found = choose(answers);
    found.resolving = resolving;
    return found;
}

}  // namespace turnstile::redis
