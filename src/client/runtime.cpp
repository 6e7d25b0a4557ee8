// SPDX-License-Identifier: Apache-2.0
#include "turnstile/runtime.hpp"

#include <memory>
#include <new>
#include <string>
#include <system_error>
#include <utility>

#include <fmt/core.h>

#include "client/internals.hpp"
#include "client/runtime_impl.hpp"

namespace turnstile {

namespace detail {

namespace {

constexpr std::size_t k_longest_ending = std::string_view{"-timer"}.size();
constexpr std::size_t k_longest_name = base::k_longest_thread_name - k_longest_ending;

std::string_view ending_of(thread_duty duty) {
    switch (duty) {
        case thread_duty::timers: return "-timer";
        case thread_duty::callbacks: return "-call";
        case thread_duty::work: return "-work";
        case thread_duty::loss_callbacks: break;
    }
    return "-loss";
}

void check(const runtime_options& options) {
    if (options.name.empty() || options.name.size() > k_longest_name)
        throw_error({errc::bad_option,
                     fmt::format("runtime: the name '{}' has {} bytes, and must have 1 to {}",
                                 options.name, options.name.size(), k_longest_name)});
    if (options.name.find('\0') != std::string::npos)
        throw_error({errc::bad_option, "runtime: the name has a zero byte"});
    if (options.threads == 0)
        throw_error({errc::bad_option, "runtime: threads 0: must be at least 1"});
}

}  // namespace

thread_start start_of(thread_duty duty, const runtime_options& options) {
    return {duty, options.name + std::string{ending_of(duty)}, options.around};
}

runtime_impl::runtime_impl(const runtime_options& options) {
    check(options);
    const auto crew = [&](thread_duty duty) {
        return thread_crew::start(
            {.start = start_of(duty, options), .most = options.threads, .timers = timers_});
    };
    try {
        timers_ = std::make_shared<timer_thread>(start_of(thread_duty::timers, options));
        callbacks_ = crew(thread_duty::callbacks);
        work_ = crew(thread_duty::work);
        loss_callbacks_ = crew(thread_duty::loss_callbacks);
    } catch (const boost::thread_resource_error& failure) {
        end();
        throw std::system_error{failure.native_error(), std::generic_category(),
                                "cannot start a thread"};
    } catch (...) {
        end();
        throw;
    }
}

runtime_impl::~runtime_impl() {
    end();
}

void runtime_impl::end() noexcept {
    for (const auto& crew : {callbacks_, work_, loss_callbacks_})
        if (crew) crew->finish();
}

std::shared_ptr<runtime_impl> internals::of(const runtime& shared) {
    return shared.inside_ ? shared.inside_->impl : nullptr;
}

}  // namespace detail

runtime runtime::start(const runtime_options& options) {
    return runtime{new inside{std::make_shared<detail::runtime_impl>(options)}};
}

runtime::runtime() noexcept : inside_{nullptr} {}

runtime::runtime(inside* threads) noexcept : inside_{threads} {}

runtime::runtime(const runtime& other)
    : inside_{other.inside_ ? new inside{*other.inside_} : nullptr} {}

runtime::runtime(runtime&& other) noexcept = default;

// In a forked child, leaks the runtime: its threads do not exist there, so no destructor may wait for them.
runtime::~runtime() {
    if (inside_ && inside_->impl->forked())
        static_cast<void>(new (std::nothrow) std::shared_ptr{std::move(inside_->impl)});
}

runtime& runtime::operator=(const runtime& other) {
    if (this != &other) *this = runtime{other};
    return *this;
}

runtime& runtime::operator=(runtime&& other) noexcept = default;  // `other` takes the old threads

}  // namespace turnstile
