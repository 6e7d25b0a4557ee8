// SPDX-License-Identifier: Apache-2.0
#include "redis/handshake.hpp"

#include <fmt/core.h>
#include <hiredis/hiredis.h>

#include <utility>

#include "redis/requests.hpp"

namespace turnstile::redis {
namespace {

std::string_view text_of(const redisReply& reply) noexcept {
    return reply.str == nullptr ? std::string_view{} : std::string_view{reply.str, reply.len};
}

welcome to_welcome(std::string_view error) noexcept {
    switch (judge_refusal(error)) {
        case refusal_kind::credentials: return welcome::credentials;
        case refusal_kind::other: return welcome::unfit;
        case refusal_kind::full: return welcome::full;
        case refusal_kind::throttled:
        case refusal_kind::renew:
        case refusal_kind::away: break;
    }
    return welcome::away;
}

constexpr const char* k_no_cluster =
    "the server is no node of a Redis Cluster, but the connect string names several servers, and "
    "each of "
    "them would have separate locks";

class greeter {
public:
    greeter(line& to, const redis_address& where, core::time_point deadline, int give_up)
        : to_{to}, where_{where}, deadline_{deadline}, give_up_{give_up} {}

    bool connect() {
        if (to_.await_connection(deadline_, give_up_)) return true;
        return refuse_line();
    }

    bool authenticate() {
        const auto& [user, password] = where_.login;
        if (password.empty()) return true;
        if (user.empty()) return ask("AUTH", {"AUTH", password}) != nullptr;
        return ask("AUTH", {"AUTH", user, password}) != nullptr;
    }

    bool select() {
        if (where_.database == 0) return true;
        const auto number = std::to_string(where_.database);
        return ask("SELECT " + number, {"SELECT", number}) != nullptr;
    }

    bool look() {
        const auto info = ask("INFO", {"INFO"});
        if (!info) return false;
        out.facts = parse_info(text_of(*info));
        bool too_old = false;
        if (auto why = unfit(out.facts, too_old); !why.empty())
            return refuse(too_old ? welcome::too_old : welcome::unfit, std::move(why));
        // Refuses no replica of a cluster: a replica of a cluster replies to locate() with the name of its master.
        if (!out.facts.master && !out.facts.cluster) return refuse_replica();
        learn_fsync();
        return true;
    }

    // A server that has just started may have lost a granted lock. The lock's holder relies on the lock until the
    // holder's lease ends. So the client does not use the server until all leases from before the start have ended.
    bool await_leases() {
        const auto left = stays_out_for(out.facts, where_.stay_out);
        if (left == 0) return true;
        return refuse(welcome::away,
                      fmt::format("the server may have lost data when it started, {} s ago; "
                                  "the client will use the server in {} s (stay_out={})",
                                  out.facts.uptime, left, where_.stay_out));
    }

    // In a cluster, checks whether this node has the tree's keys. If not, the node's reply names the right node.
    bool locate() {
        if (!out.facts.cluster) {
            if (where_.has_sentinels() || where_.servers.size() == 1) return true;
            return refuse(welcome::unfit, k_no_cluster);
        }
        const auto reply = to_.ask({"EXISTS", znodes_key(key_prefix(where_))}, deadline_, give_up_);
        if (accept("EXISTS", reply)) return out.facts.master || refuse_replica();
        if (reply) out.moved_to = moved_to(text_of(*reply), to_.address());
        return false;
    }

    bool look_at_layout() {
        const auto prefix = key_prefix(where_);
        const auto found = ask("HGET", {"HGET", znodes_key(prefix), "v"});
        if (!found) return false;
        const auto version = text_of(*found);
        if (found->type == REDIS_REPLY_NIL || version == std::to_string(k_layout)) return true;
        return refuse(welcome::unfit, other_layout(prefix, version));
    }

    bool load_scripts() {
        for (std::size_t i = 0; i != k_script_count; ++i) {
            const auto& text = redis::text_of(static_cast<script>(i));
            to_.append({"SCRIPT", "LOAD", out.facts.cluster ? text_in_cluster(text) : text});
        }
        for (auto& digest : out.digests) {
            const auto reply = to_.await_reply(deadline_, give_up_);
            if (!accept("SCRIPT LOAD", reply)) return false;
            digest = text_of(*reply);
        }
        return true;
    }

    greeting finish(bool ok) {
        if (ok) {
            out.result = welcome::ok;
            to_.allow_long_replies();
        }
        return std::move(out);
    }

private:
    bool refuse(welcome result, std::string reason) {
        out.result = result;
        out.reason = std::move(reason);
        return false;
    }

    bool refuse_replica() {
        return refuse(welcome::away, "the server is a replica, and takes no writes");
    }

    bool refuse_line() {
        return refuse(to_.is_refused() ? welcome::unfit : welcome::away, to_.reason());
    }

    bool accept(const std::string& request, const owned_reply& reply) {
        if (!reply)
            return to_.broken()
                       ? refuse_line()
                       : refuse(welcome::away, "the client stopped the attempt to connect");
        if (reply->type != REDIS_REPLY_ERROR) return true;
        auto why = refused_by(request, *reply);
        return refuse(why.result, std::move(why.reason));
    }

    owned_reply ask(const std::string& request, const std::vector<std::string_view>& words) {
        auto reply = to_.ask(words, deadline_, give_up_);
        return accept(request, reply) ? std::move(reply) : owned_reply{};
    }

    // Sets `fsync_always` to true if the server syncs each write to the disk before it replies. Sets it to false if the
    // user may not call CONFIG.
    void learn_fsync() {
        if (!out.facts.append_only) return;
        out.facts.fsync_always =
            is_set("appendfsync", "always") && is_set("no-appendfsync-on-rewrite", "no");
    }
    bool is_set(std::string_view name, std::string_view wanted) {
        const auto reply = to_.ask({"CONFIG", "GET", name}, deadline_, give_up_);
        return reply && text_at(*reply, 1) == wanted;
    }

    line& to_;
    const redis_address& where_;
    const core::time_point deadline_;
    const int give_up_;
    greeting out;
};

}  // namespace

greeting refused_by(std::string_view asked, const redisReply& error) {
    greeting why;
    why.result = to_welcome(text_of(error));
    why.reason = fmt::format("{}: {}", asked, without_arguments(text_of(error)));
    return why;
}

greeting greet(line& to, const redis_address& where, core::time_point deadline, int give_up) {
    greeter g{to, where, deadline, give_up};
    return g.finish(g.connect() && g.authenticate() && g.select() && g.look() && g.locate() &&
                    g.await_leases() && g.load_scripts());
}

greeting greet_listener(line& to, const redis_address& where, core::time_point deadline,
                        int give_up) {
    greeter g{to, where, deadline, give_up};
    return g.finish(g.connect() && g.authenticate());
}

greeting examine(line& to, const redis_address& where, core::time_point deadline, int give_up) {
    greeter g{to, where, deadline, give_up};
    return g.finish(g.connect() && g.authenticate() && g.select() && g.look() && g.locate() &&
                    g.await_leases() && g.look_at_layout());
}

}  // namespace turnstile::redis
