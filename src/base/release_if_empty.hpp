// SPDX-License-Identifier: Apache-2.0
// release_if_empty: gives back the memory of a container that many had a place in and nobody has any more. What a few
// need is kept: it is not worth a new block each time.
//
// Thread safety: as the container.
#pragma once

#include <cstddef>

namespace turnstile::base {

template <class Container>
void release_if_empty(Container& all) {
    constexpr std::size_t k_few = 16;
    if (all.empty() && all.capacity() > k_few) all = Container{};
}

}  // namespace turnstile::base
