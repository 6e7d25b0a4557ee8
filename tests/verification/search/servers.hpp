// SPDX-License-Identifier: Apache-2.0
// servers: the servers in the search, as one tree (src/local) that executes one request at a time. The names of
// sessions and contenders do not depend on the interleaving (names.hpp). Copies are independent.
//
// Two values are equal if all later answers and events are equal. So operator== compares the sessions, the contenders,
// the watches and the number of contenders ever created. It ignores transaction numbers, because no answer shows them.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <variant>
#include <vector>

#include "core/seam/seam.hpp"
#include "local/tree.hpp"
#include "verification/search/bounds.hpp"
#include "verification/search/names.hpp"

namespace turnstile::search {

struct open_session {};
struct close_session {};
struct drop_watches {};
struct forget_watch {
    std::string path;
    friend bool operator==(const forget_watch&, const forget_watch&) = default;
};
// Sets a client's watches again on a new connection. The missed events arrive in the order `told`.
struct set_again {
    local::client_watch_list watches;
    enum class order { forwards, backwards } told = order::forwards;
};
struct remove_by_hand {
    contender_number which = 0;
};
using server_act = std::variant<core::operation, set_again, forget_watch, open_session,
                                close_session, drop_watches, remove_by_hand>;

struct told_watch {
    session_name session = 0;
    core::watch_kind kind{};
    std::string path;
};
struct done {
    core::reply reply;  // reply to the operation
    std::vector<told_watch> told;
};

struct contender {
    std::string name;
    contender_number number = 0;
    session_name owner = 0;
};

class servers {
public:
    explicit servers(wrong_world wrong = wrong_world::none);

    done execute(session_name session, const server_act& act);

    [[nodiscard]] const std::string& key() const noexcept { return key_; }
    [[nodiscard]] bool has(session_name session) const { return sessions_.contains(session); }
    // Returns the existing contenders, in queue order.
    [[nodiscard]] const std::vector<contender>& standing() const noexcept { return standing_; }
    [[nodiscard]] bool removed_by_hand(contender_number which) const {
        return by_hand_.contains(which);
    }
    [[nodiscard]] std::size_t watch_count() const noexcept { return tree_.watch_count(); }
    // The promise that the latest act broke; empty if none.
    [[nodiscard]] const std::string& breach() const noexcept { return breach_; }

    friend bool operator==(const servers& a, const servers& b) { return a.key_ == b.key_; }

private:
    [[nodiscard]] done act(session_name session, const core::operation& op);
    [[nodiscard]] done act(session_name session, const set_again& again);
    [[nodiscard]] done act(session_name session, const forget_watch& forgotten);
    [[nodiscard]] done act(session_name session, const open_session&);
    [[nodiscard]] done act(session_name session, const close_session&);
    [[nodiscard]] done act(session_name session, const drop_watches&);
    [[nodiscard]] done act(session_name session, const remove_by_hand& removal);

    [[nodiscard]] std::vector<told_watch> rename(const std::vector<local::fired_watch>& events);
    [[nodiscard]] session_name name_of(local::session_id raw) const;
    void hide_what_is_in_front(session_name session, core::reply& answer) const;
    void tell_everybody(std::vector<told_watch>& told) const;
    void judge_woken(const std::vector<told_watch>& told);
    void look();

    wrong_world wrong_;
    local::tree tree_;
    local::session_id administrator_ = 0;
    std::map<session_name, local::session_id> sessions_;
    std::set<contender_number> by_hand_;
    std::string breach_;

    // The contenders in the tree, in queue order.
    std::vector<contender> standing_;
    std::string key_;
};

}  // namespace turnstile::search
