"""Finds the library and its headers, and loads them."""
import ctypes.util
import os
import pathlib
import subprocess

import cffi

from ._header import declarations


def _pkg_config(*arguments):
    try:
        done = subprocess.run(["pkg-config", *arguments, "cellwise"], text=True, check=True,
                              capture_output=True)
    except (OSError, subprocess.CalledProcessError):
        return ""
    return done.stdout.strip()


def _include_folders():
    named = os.environ.get("CELLWISE_INCLUDE")
    if named:
        return named.split(os.pathsep)
    folder = _pkg_config("--variable=includedir")
    return ([folder] if folder else []) + ["/usr/local/include", "/usr/include"]


def _library_file():
    named = os.environ.get("CELLWISE_LIBRARY")
    if named:
        return named
    folder = _pkg_config("--variable=libdir")
    if folder and (pathlib.Path(folder) / "libcellwise.so").exists():
        return str(pathlib.Path(folder) / "libcellwise.so")
    found = ctypes.util.find_library("cellwise")
    if not found:
        raise ImportError("libcellwise.so is not found: install cellwise, or set CELLWISE_LIBRARY "
                          "to the file and CELLWISE_INCLUDE to the folder of its headers")
    return found


ffi = cffi.FFI()
ffi.cdef(declarations(_include_folders()))
lib = ffi.dlopen(_library_file())
