// SPDX-License-Identifier: Apache-2.0
// batch_answer: what the answer to a transaction says that several contenders of a session share (removal_queue.hpp,
// creation_batch.hpp).
//
// Thread safety: free functions of values.
#pragma once

#include "core/seam/seam.hpp"

namespace turnstile::core {

// The answer is about one of the parts, and not about the session or its server: nothing of the whole was done, and
// each part by itself may do better.
[[nodiscard]] bool is_batch_refused(const reply& answer);

}  // namespace turnstile::core
