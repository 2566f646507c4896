// SPDX-License-Identifier: MIT
this is not a program
