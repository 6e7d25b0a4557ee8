// SPDX-License-Identifier: Apache-2.0
// A library without a module's entry function.
extern "C" [[gnu::visibility("default")]] int another_function() noexcept {
    return 0;
}
