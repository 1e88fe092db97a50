"""cellwise on NumPy arrays: coordination numbers with exact derivatives. See README.md."""
from . import _errors
from ._coordination import Coordination, CoordinationResult, coordination
from ._errors import CellwiseError
from ._library import ffi as _ffi, lib as _lib

for _class in _errors.by_status.values():
    globals()[_class.__name__] = _class

__version__ = _ffi.string(_lib.cw_version()).decode()
__all__ = ["Coordination", "CoordinationResult", "coordination", "CellwiseError", "__version__",
           *(c.__name__ for c in _errors.by_status.values())]
