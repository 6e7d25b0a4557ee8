// SPDX-License-Identifier: Apache-2.0
// connection_table: decides which connections a server keeps when more arrive than it allows.
//
// A *place* is room for one connection. A server keeps some places for addresses without a connection: the kept places.
//
// | when a connection arrives             | the table                                                      |
// |---------------------------------------|----------------------------------------------------------------|
// | its address has the maximum of        | drops that address's longest idle connection for the new one,  |
// | connections for one address           | or refuses the new one if none is idle                         |
// | only kept places are free             | gives it a kept place if its address has no other connection;  |
// |                                       | otherwise does the same as if no place were free               |
// | no place is free                      | finds the address that has an idle connection and the most     |
// |                                       | connections; drops the longest idle one for the new one, or    |
// |                                       | refuses the new one if none is idle                            |
//
// A connection counts as idle until the whole head of a request has arrived. So the table can also drop a connection
// that sends a head slowly.
//
// Thread safety: one thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>

namespace turnstile::admin {

class connection_table {
public:
    struct limits {
        std::size_t most = 1;
        std::size_t most_of_address = 1;
        std::size_t kept = 0;  // part of `most`, for addresses without a connection
    };
    struct admission {
        std::optional<std::uint64_t> id{};       // empty: refused
        std::optional<std::uint64_t> dropped{};  // a connection that must close now
    };
    explicit connection_table(limits rule) noexcept : rule_{rule} {}

    // Adds a new, idle connection, and removes the connection that it replaces.
    [[nodiscard]] admission admit(const std::string& key);
    // A connection that becomes idle counts as the most recent idle connection. Unknown ids are ignored.
    void set_idle(std::uint64_t id, bool idle);
    void remove(std::uint64_t id);
    [[nodiscard]] std::size_t size() const noexcept { return entries_.size(); }

private:
    struct entry {
        std::string key;
        std::uint64_t idle_since = 0;  // in the order of calls; 0: busy
    };
    [[nodiscard]] std::size_t count(const std::string& key) const;
    [[nodiscard]] std::optional<std::uint64_t> oldest_idle(const std::string& key) const;
    [[nodiscard]] std::optional<std::uint64_t> oldest_idle_of_largest() const;

    limits rule_;
    std::uint64_t turns_ = 0;
    std::map<std::uint64_t, entry> entries_;
    std::map<std::string, std::size_t> counts_;
};

}  // namespace turnstile::admin
