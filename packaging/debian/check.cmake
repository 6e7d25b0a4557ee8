# SPDX-License-Identifier: Apache-2.0
# The CMake project of a user, which packaging/debian/check.sh builds.
cmake_minimum_required(VERSION 3.25)
project(service LANGUAGES CXX)
find_package(turnstile REQUIRED)
add_executable(service /check/service.cpp)
target_link_libraries(service PRIVATE turnstile::turnstile)
