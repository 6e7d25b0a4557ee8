// SPDX-License-Identifier: Apache-2.0
// A module of another version. The library reads only the first member of the module's entry.
namespace {

struct entry_of_another_version {
    const char* version;
};
constexpr entry_of_another_version k_entry{"0.0.7"};

}  // namespace

extern "C" [[gnu::visibility("default")]] const void* turnstile_module_redis(const void*) noexcept {
    return &k_entry;
}
