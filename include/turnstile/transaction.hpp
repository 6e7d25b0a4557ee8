// SPDX-License-Identifier: Apache-2.0
// transaction: writes that the servers execute all together or not at all, under a hold (guard::commit).
//
// Use it to change data that a lock protects, if the data is on the same servers as the lock.
//
//     auto done = hold->commit(turnstile::transaction{}
//                                  .set("/stock/7", "41", version)
//                                  .create("/orders/o-", "7", turnstile::node_kind::persistent_sequential));
//     if (done) ship(done->created[1]);
//     else if (done.error() == turnstile::errc::bad_version) look_again(done.error().part());
//
//     hold->commit(turnstile::transaction{}.make("/stock/log").put("/stock/7", "41").under(other_hold)).value();
//
// The servers execute the parts in order; each part sees the effect of the parts before it. Paths are below the connect
// string's chroot. New znodes get the client's ACL.
//
// | part                       | effect                                                                           |
// |----------------------------|----------------------------------------------------------------------------------|
// | create, set, remove, check | the same as ZooKeeper's requests of these names                                  |
// | put                        | the znode has this data, whether or not it existed before                        |
// | make                       | the znode and all znodes above it exist; only `make` creates parents             |
//
// For put and make the library first reads the present state. If another client changes that state before the
// transaction arrives, the servers write nothing, and the library reads the state again. A part that names a version
// fails if the znode has another version. The default, `any_version`, fits every znode.
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

// A version that fits every znode.
inline constexpr std::int32_t any_version = -1;

// The kind of a znode that a transaction creates. Sequential: the servers append a number to the path. Ephemeral: the
// znode ends with the client's session, and counts among the znodes that the session owns, see
// client_options::max_sessions.
enum class node_kind { persistent, ephemeral, persistent_sequential, ephemeral_sequential };

// A list of writes.
class TURNSTILE_EXPORT transaction {
public:
    // Limits of a transaction: the total size of its paths and data in bytes, and the number of its parts. By default
    // the servers accept messages of up to 1 MiB (jute.maxbuffer), and keep each message in their log.
    static constexpr std::size_t k_most_bytes = 512 * 1024;
    static constexpr std::size_t k_most_parts = 1000;

    // Creates a znode.
    struct create_part {
        std::string path{};                      // path of the new znode
        std::string data{};                      // data of the new znode
        node_kind kind = node_kind::persistent;  // kind of the new znode
        friend bool operator==(const create_part&, const create_part&) = default;
    };
    // Replaces the data of a znode.
    struct set_part {
        std::string path{};                  // path of the znode
        std::string data{};                  // the new data
        std::int32_t version = any_version;  // the version that the znode must have
        friend bool operator==(const set_part&, const set_part&) = default;
    };
    // Removes a znode without children.
    struct remove_part {
        std::string path{};                  // path of the znode
        std::int32_t version = any_version;  // the version that the znode must have
        friend bool operator==(const remove_part&, const remove_part&) = default;
    };
    // Requires that a znode exists with this version.
    struct check_part {
        std::string path{};                  // path of the znode
        std::int32_t version = any_version;  // the version that the znode must have
        friend bool operator==(const check_part&, const check_part&) = default;
    };
    // See put().
    struct put_part {
        std::string path{};  // path of the znode
        std::string data{};  // the new data
        friend bool operator==(const put_part&, const put_part&) = default;
    };
    // See make().
    struct make_part {
        std::string path{};  // path of the last znode
        friend bool operator==(const make_part&, const make_part&) = default;
    };
    // Any part.
    using part = std::variant<create_part, set_part, remove_part, check_part, put_part, make_part>;

    // create(), set(), remove() and check() each add a part about the znode at `path`, and return the transaction.
    // `data` is the new data. set(), remove() and check() require that the znode has `version`; any_version fits every
    // znode.
    transaction& create(std::string_view path, std::string_view data,
                        node_kind kind = node_kind::persistent);
    transaction& set(std::string_view path, std::string_view data,
                     std::int32_t version = any_version);
    transaction& remove(std::string_view path, std::int32_t version = any_version);
    transaction& check(std::string_view path, std::int32_t version = any_version);

    // Adds a part after which the znode at `path` has this data, whether or not the znode existed before. A new znode
    // is persistent; its parent must exist.
    transaction& put(std::string_view path, std::string_view data);
    // Adds a part after which the znode at `path` and all znodes above it exist. New znodes are persistent and have no
    // data.
    transaction& make(std::string_view path);

    // Adds a hold as a condition: the servers execute the transaction only while the znode of that hold exists too.
    //
    // The hold may belong to another client on the same servers and chroot. A hold of a multi_lock adds the holds of
    // all its locks. If `further` is released before the servers have answered the commit, its hold is released after
    // that answer. commit() returns `not_held` if `further` is empty, and `bad_option` if its hold is on other servers
    // or belongs to a quorum_lock.
    transaction& under(const guard& further);

    // Returns the parts in order.
    [[nodiscard]] const std::vector<part>& parts() const noexcept { return parts_; }
    // Returns the total size of paths and data, in bytes.
    [[nodiscard]] std::size_t bytes() const noexcept;

    // Checks the rules that need no server. Errors: `bad_path`, `bad_option` (the transaction is empty, has too many
    // parts or too many bytes, or names a version below any_version). The message names the part, the value and the
    // rule. guard::commit() calls this function first.
    [[nodiscard]] result<void> validate() const;

    friend bool operator==(const transaction&, const transaction&) = default;

private:
    friend class detail::internals;

    std::vector<part> parts_;
    std::vector<std::shared_ptr<detail::hold>> further_holds_;
};

// The result of a transaction that the servers have executed.
struct commit_result {
    // For each part, the path of the znode that the part created, with the name that the servers gave. The path is
    // empty for a part that creates no znode, and for a `put` or `make` whose znode existed. If names_known is false,
    // the servers' names are unknown. Then the path for a `create` is the requested path, and the path for a `put` or
    // `make` is empty.
    std::vector<std::string> created;
    // False if the servers' answer was lost, and the library found out in another way that the servers executed the
    // transaction. Then the numbers of sequential znodes are unknown.
    bool names_known = true;
    // The version of each part's znode after the commit (0 for a new znode), for use in the next `set` or `check`. The
    // version is `any_version` for parts that write no data (remove, check, a make whose znode existed), and for all
    // parts if names_known is false.
    std::vector<std::int32_t> versions{};
};

// The options of a commit.
struct commit_options {
    wait_limit timeout{};    // default: the session timeout
    std::stop_token stop{};  // ends the wait with `cancelled` or `outcome_unknown`
};

}  // namespace turnstile
