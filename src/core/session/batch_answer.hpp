// SPDX-License-Identifier: Apache-2.0
// batch_answer: the meaning of the answer to a transaction that several contenders of a session share
// (removal_queue.hpp, creation_batch.hpp).
//
// Thread safety: free functions of values.
#pragma once

#include "core/seam/seam.hpp"

namespace turnstile::core {

// True if the answer concerns one of the parts, and not the session or its server. No part was carried out, and each
// part may succeed if it is sent alone.
[[nodiscard]] bool is_batch_refused(const reply& answer);

}  // namespace turnstile::core
