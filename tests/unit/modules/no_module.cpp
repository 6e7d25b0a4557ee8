// SPDX-License-Identifier: Apache-2.0
// A library that has no entry function of a module.
extern "C" [[gnu::visibility("default")]] int another_function() noexcept {
    return 0;
}
