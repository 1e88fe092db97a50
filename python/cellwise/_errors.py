"""One exception class a status of the library."""
from ._library import ffi, lib


class CellwiseError(Exception):
    """A failure reported by the library; `status` is its code."""

    status = None


def _make():
    """CW_ERROR_ARGUMENT becomes ArgumentError, and so on, from the library's own list."""
    made = {}
    for name, value in ffi.typeof("cw_status").relements.items():
        if not name.startswith("CW_ERROR_"):
            continue
        title = name[len("CW_ERROR_"):].capitalize() + "Error"
        title = {"MemoryError": "OutOfMemoryError", "IoError": "FileError"}.get(title, title)
        text = ffi.string(lib.cw_status_text(value)).decode()
        bases = (CellwiseError, ValueError) if title in ("ArgumentError", "InputError") \
            else (CellwiseError, MemoryError) if title == "OutOfMemoryError" else (CellwiseError,)
        made[value] = type(title, bases, {"__doc__": text[0].upper() + text[1:] + ".",
                                          "__module__": "cellwise", "status": value})
    return made


by_status = _make()


def check(status, message):
    """Raises the exception of a status that is not CW_OK."""
    if status != lib.CW_OK:
        raise by_status.get(status, CellwiseError)(message)
