// SPDX-License-Identifier: Apache-2.0
// consequence: the action that a contender must take after an answer to a request of one of its components.
//
// A component, like lock_delay, sends requests and keeps data. Only the contender changes its own state.
//
// Thread safety: none needed, values.
#pragma once

#include <optional>
#include <variant>

#include "turnstile/error.hpp"

namespace turnstile::core {

struct goes_on {  // continue with the next step
    friend bool operator==(const goes_on&, const goes_on&) = default;
};
struct done {  // the component's purpose is fulfilled
    friend bool operator==(const done&, const done&) = default;
};
struct suspends {  // send nothing more until the next link event, or until a pause has passed
    friend bool operator==(const suspends&, const suspends&) = default;
};
struct lists_again {  // the known children of the folder are out of date: list them again
    friend bool operator==(const lists_again&, const lists_again&) = default;
};
struct own_znode_gone {  // another client removed the contender's znode
    friend bool operator==(const own_znode_gone&, const own_znode_gone&) = default;
};
struct own_znode_changed {  // another client has written into the contender's znode
    friend bool operator==(const own_znode_changed&, const own_znode_changed&) = default;
};
struct refused {  // the servers refused the request for good
    error why;
    friend bool operator==(const refused&, const refused&) = default;
};

using consequence =
    std::variant<goes_on, done, suspends, lists_again, own_znode_gone, own_znode_changed, refused>;

}  // namespace turnstile::core
