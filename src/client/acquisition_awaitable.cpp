// SPDX-License-Identifier: Apache-2.0
#include "turnstile/acquisition_awaitable.hpp"

#include <exception>

#include "base/log.hpp"
#include "base/out_of_memory.hpp"

namespace turnstile::detail {

void report_failed_executor(std::string_view consequence) noexcept {
    try {
        throw;
    } catch (const std::exception& failure) {
        log::write(log_level::error, "async_acquire: the executor threw: {}; {}", failure.what(),
                   consequence);
    } catch (...) {  // boost::thread_interrupted is no std::exception
        log::write(log_level::error,
                   "async_acquire: the executor threw something that is no std::exception; {}",
                   consequence);
    }
}

void end_without_delivery() noexcept {
    base::end_out_of_memory("the delivery of an outcome");
}

}  // namespace turnstile::detail
