// SPDX-License-Identifier: Apache-2.0
// consequence: what the answer to a component's request means for the acquisition that the component is part of.
//
// A component sends and remembers; only the acquisition changes its state. Values. Thread safety: none needed.
#pragma once

#include <optional>
#include <variant>

#include "turnstile/error.hpp"

namespace turnstile::core {

struct goes_on {  // with its next step
    friend bool operator==(const goes_on&, const goes_on&) = default;
};
struct done {  // what the component is for has come to pass
    friend bool operator==(const done&, const done&) = default;
};
struct
    suspends {  // nothing more comes of this connection: until the next link event, or for a while
    friend bool operator==(const suspends&, const suspends&) = default;
};
struct lists_again {  // what the list said is out of date
    friend bool operator==(const lists_again&, const lists_again&) = default;
};
struct own_znode_gone {  // removed by another client
    friend bool operator==(const own_znode_gone&, const own_znode_gone&) = default;
};
struct own_znode_changed {  // another client has written into it
    friend bool operator==(const own_znode_changed&, const own_znode_changed&) = default;
};
struct refused {  // by the servers, for good
    error why;
    friend bool operator==(const refused&, const refused&) = default;
};

using consequence =
    std::variant<goes_on, done, suspends, lists_again, own_znode_gone, own_znode_changed, refused>;

}  // namespace turnstile::core
