// SPDX-License-Identifier: Apache-2.0
// release_if_empty: gives back the memory of a container that had many elements and has none any more. A small block
// is kept: a new one each time would cost more.
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
