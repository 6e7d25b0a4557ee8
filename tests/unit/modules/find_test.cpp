// SPDX-License-Identifier: Apache-2.0
// Tests the errors for a module that is missing, has another version, or is no module.
#include "modules/find.hpp"

#include <dlfcn.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "turnstile/testing/temporary_folder.hpp"
#include "turnstile/tools/modules.hpp"
#include "turnstile/version.hpp"

namespace turnstile::modules {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

constexpr std::string_view k_built = TURNSTILE_BUILT_MODULES;

std::string refusal(const std::string& folder) {
    const auto found = load(folder, module_kind::redis, "redis://");
    if (found) return "loaded";
    EXPECT_EQ(found.error(), errc::bad_connect_string);
    return found.error().detail();
}

TEST(modules, what_is_absent_is_named_with_its_package) {
    const testing::temporary_folder empty;
    EXPECT_THAT(refusal(empty.path().string()),
                AllOf(StartsWith("redis://: the module " + empty.path().string() + "/" +
                                 file_of(module_kind::redis) + " does not exist"),
                      HasSubstr("the package libturnstile-redis in version " TURNSTILE_VERSION)));
}

TEST(modules, another_version_is_refused_and_both_are_named) {
    EXPECT_THAT(refusal(TURNSTILE_STRANGE_MODULES "/other_version"),
                AllOf(HasSubstr("has version 0.0.7"),
                      HasSubstr("this library has version " TURNSTILE_VERSION),
                      HasSubstr("package libturnstile-redis"), Not(HasSubstr("\n"))));
}

TEST(modules, another_minor_version_has_another_file) {
    const testing::temporary_folder folder;
    for (const auto* const name : {"libturnstile-redis.so.9.8", "libturnstile-redis.so.9.8.7"})
        std::ofstream{folder.path() / name} << "it is not opened";
    EXPECT_THAT(refusal(folder.path().string()),
                AllOf(HasSubstr("libturnstile-redis in version 9.8.7"),
                      HasSubstr("this library has version " TURNSTILE_VERSION)));
}

TEST(modules, a_file_that_is_no_module_is_refused) {
    EXPECT_THAT(
        refusal(TURNSTILE_STRANGE_MODULES "/no_module"),
        HasSubstr("is no module of Turnstile: it lacks the function turnstile_module_redis"));
    const testing::temporary_folder folder;
    std::ofstream{folder.path() / file_of(module_kind::redis)} << "no library";
    EXPECT_THAT(refusal(folder.path().string()),
                AllOf(HasSubstr("cannot be loaded"), HasSubstr(file_of(module_kind::redis))));
}

// The link options must refer to each module's entry function, or the linker omits the module's archive.
TEST(modules, what_is_linked_in_is_found_without_a_file) {
    for (const auto which : k_kinds) {
        EXPECT_EQ(is_linked_in(which), k_built.find(name_of(which)) != std::string_view::npos)
            << name_of(which);
        if (!is_linked_in(which)) continue;
        const auto found = find(which, "here");
        ASSERT_TRUE(found) << found.error().message();
        EXPECT_EQ(*found, loaded(which));
    }
    for (const auto& seen : installed_modules()) {
        EXPECT_EQ(seen.fault.empty(), seen.present) << seen.fault;
        EXPECT_EQ(seen.file.empty(), seen.present);
    }
}

// Ends the process with the exit code 1 if OpenSSL cleans itself up at exit, and with 0 otherwise.
[[noreturn]] void exit_after_openssl_was_used() {
    using handler = void();
    const auto symbol = [](const char* name) { return ::dlsym(RTLD_DEFAULT, name); };
    auto* const init =
        reinterpret_cast<int (*)(std::uint64_t, const void*)>(symbol("OPENSSL_init_crypto"));
    auto* const at_cleanup = reinterpret_cast<int (*)(handler*)>(symbol("OPENSSL_atexit"));
    if (init == nullptr || at_cleanup == nullptr) std::exit(0);  // a build without OpenSSL
    constexpr std::uint64_t k_load_config =
        0x40;  // OPENSSL_INIT_LOAD_CONFIG; the value 0 does nothing
    init(k_load_config, nullptr);
    at_cleanup([] { ::_exit(1); });
    std::exit(0);
}

// A session's thread may still use OpenSSL at the exit of the process.
TEST(modules, openssl_is_not_cleaned_up_at_exit) {
    const auto leave = [] {
        for (const auto which : k_kinds)
            if (is_linked_in(which)) static_cast<void>(find(which, "here"));
        exit_after_openssl_was_used();
    };
    EXPECT_EXIT(leave(), ::testing::ExitedWithCode(0), "");
}

}  // namespace
}  // namespace turnstile::modules
