// SPDX-License-Identifier: Apache-2.0
// resource_name: the name of a lock and its servers, spelt in the same way by every process.
//
// A connect string has hosts and a chroot. A resource name has the hosts sorted, in small letters and without
// repetitions, and the chroot at the start of the path: "ZK2:2181,zk1:2181/shop" and "/orders" give
// "zk1:2181,zk2:2181" and "/shop/orders".
//
// A connect string with a scheme gives hosts with that scheme. The text after the question mark stays with the hosts:
// "redis://host:6379/shop?db=2" and "/orders" give "redis://host:6379?db=2" and "/shop/orders".
//
// A database's chroot is the value of "?chroot=". The path has the database first, then the chroot:
// "sqlite:/data/locks.db?chroot=/shop" and "/orders" give "sqlite:" and "/data/locks.db/shop/orders".
//
// The order of two names compares the paths first: processes that list the servers of one ensemble differently still
// agree on the order of its locks.
//
// Thread safety: a value and pure functions.
#pragma once

#include <compare>
#include <string>
#include <string_view>

namespace turnstile::base {

struct resource_name {
    std::string path;   // from the servers' root
    std::string hosts;  // empty: unknown

    [[nodiscard]] std::string to_string() const { return hosts + path; }
    friend auto operator<=>(const resource_name&, const resource_name&) = default;
};

// `servers` is a connect string in the normal form that core::coordinator::describe() returns.
[[nodiscard]] resource_name make_resource_name(std::string_view servers, std::string_view path);
// Parses the output of resource_name::to_string().
[[nodiscard]] resource_name split_resource_name(std::string_view text);

}  // namespace turnstile::base
