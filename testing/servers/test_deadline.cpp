// SPDX-License-Identifier: Apache-2.0
#include "turnstile/testing/test_deadline.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <stdexcept>
#include <string>
#include <thread>

namespace turnstile::testing {

namespace {

constexpr const char* k_variable = "TURNSTILE_TEST_TIME_SCALE";
constexpr std::chrono::milliseconds k_unscaled_limit{60'000};

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr double k_default_scale = 4;
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
constexpr double k_default_scale = 4;
#else
constexpr double k_default_scale = 1;
#endif
#else
constexpr double k_default_scale = 1;
#endif

// A machine meets the unscaled limits with a load of up to this many programs for each processor. ctest runs three
// tests for each processor.
constexpr double k_usual_load = 3;

// Returns the factor, from 1 to 8, by which this machine is slower than usual, because programs wait for a processor. A
// busy machine may need more than the unscaled limit to start a server.
double slowness() {
    std::array<double, 1> load{};
    if (::getloadavg(load.data(), 1) != 1) return 1;
    const auto processors = std::max(1U, std::thread::hardware_concurrency());
    return std::clamp(load[0] / (k_usual_load * processors), 1.0, 8.0);
}

double parse_scale(const std::string& text) {
    char* end = nullptr;
    const double scale = std::strtod(text.c_str(), &end);
    if (end != text.c_str() + text.size() || !std::isfinite(scale) || scale <= 0) {
        throw std::runtime_error{std::string{k_variable} + " is no positive number: " + text};
    }
    return scale;
}

}  // namespace

double time_scale() {
    const char* value = std::getenv(k_variable);
    if (value != nullptr && *value != '\0') return parse_scale(value);
    static const double slow = slowness();
    return slow * k_default_scale;
}

std::chrono::milliseconds scaled(std::chrono::milliseconds unscaled) {
    const auto exact = std::chrono::duration<double, std::milli>{unscaled} * time_scale();
    return std::chrono::ceil<std::chrono::milliseconds>(exact);
}

std::chrono::milliseconds limit() {
    return scaled(k_unscaled_limit);
}

}  // namespace turnstile::testing
