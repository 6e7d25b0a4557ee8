// SPDX-License-Identifier: Apache-2.0
// transaction: what is written at the servers all together or not at all, under a hold
// (guard::commit).
//
//     auto done = hold->commit(turnstile::transaction{}
//                                  .set("/stock/7", "41", version)
//                                  .create("/orders/o-", "7", turnstile::node_kind::persistent_sequential));
//     if (done) ship(done->created[1]);
//     else if (done.error() == turnstile::errc::bad_version) look_again(done.error().part());
//
//     hold->commit(turnstile::transaction{}.make("/stock/log").put("/stock/7", "41").under(other_hold)).value();
//
// Parts are ZooKeeper's, create, set, remove and check, and two that say what is to be and not what is to be done: put
// (the znode has this data, whether or not it was there) and make (the znode and those above it are there). For these
// what is there is read first; where another client changes that before the transaction arrives nothing is written, and
// it is read again. A version of `any_version` (the default) fits every znode; otherwise the part fails if the
// znode has another one. Parts are carried out in order, each sees what those before it did. Paths are below the
// connect string's chroot. Parents are made by `make` alone. New znodes get the client's ACL.
//
// Thread safety: a value.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "turnstile/acquire_options.hpp"
#include "turnstile/export.hpp"
#include "turnstile/result.hpp"

namespace turnstile {

class guard;  // guard.hpp

namespace detail {
class hold;
class internals;
}  // namespace detail

inline constexpr std::int32_t any_version = -1;

// What kind of znode a transaction creates. Sequential: the servers append a number to the path.
// Ephemeral: gone with the client's session; they count among what the session owns, see
// client_options::max_sessions.
enum class node_kind { persistent, ephemeral, persistent_sequential, ephemeral_sequential };

class TURNSTILE_EXPORT transaction {
public:
    // The servers take messages of up to 1 MiB by default (jute.maxbuffer) and keep every one in their
    // log; a transaction counts its paths and data.
    static constexpr std::size_t k_most_bytes = 512 * 1024;
    static constexpr std::size_t k_most_parts = 1000;

    struct create_part {
        std::string path{};
        std::string data{};
        node_kind kind = node_kind::persistent;
        friend bool operator==(const create_part&, const create_part&) = default;
    };
    struct set_part {
        std::string path{};
        std::string data{};
        std::int32_t version = any_version;
        friend bool operator==(const set_part&, const set_part&) = default;
    };
    struct remove_part {
        std::string path{};
        std::int32_t version = any_version;
        friend bool operator==(const remove_part&, const remove_part&) = default;
    };
    struct check_part {
        std::string path{};
        std::int32_t version = any_version;
        friend bool operator==(const check_part&, const check_part&) = default;
    };
    struct put_part {
        std::string path{};
        std::string data{};
        friend bool operator==(const put_part&, const put_part&) = default;
    };
    struct make_part {
        std::string path{};
        friend bool operator==(const make_part&, const make_part&) = default;
    };
    using part = std::variant<create_part, set_part, remove_part, check_part, put_part, make_part>;

    transaction& create(std::string_view path, std::string_view data,
                        node_kind kind = node_kind::persistent);
    transaction& set(std::string_view path, std::string_view data,
                     std::int32_t version = any_version);
    transaction& remove(std::string_view path, std::int32_t version = any_version);
    transaction& check(std::string_view path, std::int32_t version = any_version);

    // The znode has this data, be it there or not. A new one is persistent; its parent has to be there.
    transaction& put(std::string_view path, std::string_view data);
    // The znode is there, and all above it: what is missing is created, persistent and without data.
    transaction& make(std::string_view path);

    // Adds a hold as a condition: the transaction is carried out only while the znode of that hold stands, too. The
    // hold may be another client's of the same servers and chroot; a multi_lock's hold stands for all its parts. A
    // guard that goes before the commit is answered releases its hold after it. The commit refuses a guard that holds
    // nothing (not_held), and a hold on other servers or of a quorum_lock (bad_option).
    transaction& under(const guard& further);

    [[nodiscard]] const std::vector<part>& parts() const noexcept { return parts_; }
    [[nodiscard]] std::size_t bytes() const noexcept;

    // bad_path, bad_option (empty, too many parts, too long, a version below any_version): the message
    // names the part, the value and the rule. guard::commit() asks this first.
    [[nodiscard]] result<void> validate() const;

    friend bool operator==(const transaction&, const transaction&) = default;

private:
    friend class detail::internals;

    std::vector<part> parts_;
    std::vector<std::shared_ptr<detail::hold>> further_holds_;
};

// A transaction that was carried out.
struct commit_result {
    // For each part the path of the znode that it created, as the servers named it; empty for the other
    // kinds, and for a put or make that found its znode. Where names_known is false: the path that a create was asked
    // for, empty for put and make.
    std::vector<std::string> created;
    // False if the servers' answer was lost and it was found out otherwise that the transaction was
    // carried out: then the numbers of sequential znodes are not known.
    bool names_known = true;
    // The version of each part's znode after the commit, 0 of a new znode; the next `set` or `check` may name it.
    // `any_version` for parts that leave no version (remove, check, a make that found its znode), and for all parts
    // where names_known is false.
    std::vector<std::int32_t> versions{};
};

struct commit_options {
    wait_limit timeout{};    // default: the session time-out
    std::stop_token stop{};  // ends the wait with `cancelled`, or outcome_unknown
};

}  // namespace turnstile
