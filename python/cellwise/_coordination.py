"""Coordination numbers on NumPy arrays and on GPU arrays."""
from dataclasses import dataclass
from typing import Optional

import numpy as np

from ._device import device_array
from ._errors import by_status, check
from ._library import ffi, lib

_SWITCHING = {"rational": lib.CW_SWITCHING_RATIONAL, "exp": lib.CW_SWITCHING_EXP,
              "gaussian": lib.CW_SWITCHING_GAUSSIAN, "smap": lib.CW_SWITCHING_SMAP,
              "q": lib.CW_SWITCHING_Q, "cubic": lib.CW_SWITCHING_CUBIC,
              "tanh": lib.CW_SWITCHING_TANH, "cosinus": lib.CW_SWITCHING_COSINUS,
              "custom": lib.CW_SWITCHING_CUSTOM}
_METHODS = {"auto": lib.CW_COORDINATION_AUTO, "cells": lib.CW_COORDINATION_CELLS,
            "all": lib.CW_COORDINATION_ALL, "list": lib.CW_COORDINATION_LIST}
_PRECISION = {"single": lib.CW_SINGLE, "double": lib.CW_DOUBLE}
_DTYPES = {np.dtype(np.float32): lib.CW_SINGLE, np.dtype(np.float64): lib.CW_DOUBLE}

ArgumentError = by_status[lib.CW_ERROR_ARGUMENT]


@dataclass
class CoordinationResult:
    """One frame.

    value             sum of s over the pairs
    derivatives       (atoms, 3) float64, dc/dr; None unless asked for
    per_atom          (len(a),) float64, sum of s over the pairs of each entry of a (self groups:
                      their sum is 2 value); None unless asked for
    box_derivatives   (3, 3) float64: minus the sum over pairs of s'(r)/r d_a d_b
    pairs_in_range    pairs that counted
    """

    value: float
    derivatives: Optional[np.ndarray]
    per_atom: Optional[np.ndarray]
    box_derivatives: np.ndarray
    pairs_in_range: int


def _choose(table, name, what):
    try:
        return table[name.lower()]
    except (KeyError, AttributeError):
        raise ArgumentError(f"{what} is {name!r}; expected one of {', '.join(table)}") from None


def _device_coordinates(found, atoms, what, writable):
    """A view of device memory. Any strides will do that move by whole numbers."""
    if found.type not in ("f4", "f8"):
        raise ArgumentError(f"{what}: found a GPU array of {found.type}; expected f4 or f8")
    _check_shape(found.shape, atoms, what)
    size = int(found.type[1])
    row, column = found.strides
    if row <= 0 or row % size or column % size:
        raise ArgumentError(f"{what}: found strides of {found.strides} bytes; expected multiples of "
                            f"{size}, forwards along the atoms")
    if writable and found.read_only:
        raise ArgumentError(f"{what}: the array is read-only")
    view = ffi.new("cw_coordinates_view *")
    view.precision = lib.CW_SINGLE if size == 4 else lib.CW_DOUBLE
    view.space, view.stride = lib.CW_SPACE_DEVICE, row // size
    for c in range(3):
        view.component[c] = ffi.cast("void *", found.pointer + c * column)
    return view


def _check_shape(shape, atoms, what):
    if len(shape) != 2 or shape[1] != 3 or (atoms is not None and shape[0] != atoms):
        raise ArgumentError(f"{what}: found shape {shape}; expected "
                            f"({'atoms' if atoms is None else atoms}, 3)")


def _coordinates(array, atoms, what, writable=False):
    """A view of an array's own memory, which the caller keeps alive."""
    if not isinstance(array, np.ndarray) or array.dtype not in _DTYPES:
        found = array.dtype if isinstance(array, np.ndarray) else type(array).__name__
        raise ArgumentError(f"{what}: found {found}; expected a NumPy array of float32 or float64 "
                            "in this machine's byte order, or a GPU array")
    _check_shape(array.shape, atoms, what)
    if not array.flags.c_contiguous:
        raise ArgumentError(f"{what}: the array is not C-contiguous; pass "
                            "numpy.ascontiguousarray(...), which copies")
    if writable and not array.flags.writeable:
        raise ArgumentError(f"{what}: the array is read-only")
    view = ffi.new("cw_coordinates_view *")
    base, size = array.ctypes.data, array.dtype.itemsize
    view.precision, view.space, view.stride = _DTYPES[array.dtype], lib.CW_SPACE_HOST, 3
    for c in range(3):
        view.component[c] = ffi.cast("void *", base + c * size)
    return view


def _entries(atoms, count, what):
    """uint32 atom numbers, checked here so that a negative one does not wrap around."""
    numbers = np.asarray(atoms)
    if numbers.ndim != 1 or not np.issubdtype(numbers.dtype, np.integer):
        raise ArgumentError(f"{what}: expected a one-dimensional array of atom numbers from 0")
    if numbers.size and (numbers.min() < 0 or numbers.max() >= count):
        raise ArgumentError(f"{what}: atom numbers must lie in 0 to {count - 1}")
    return np.ascontiguousarray(numbers, dtype=np.uint32)


def _box(box):
    result = ffi.new("cw_box *")
    if box is None:
        return result
    vectors = np.asarray(box, dtype=np.float64)
    if vectors.shape == (3,):
        vectors = np.diag(vectors)
    if vectors.shape != (3, 3):
        raise ArgumentError(f"box: found shape {vectors.shape}; expected (3,) sides or (3, 3) "
                            "vectors as rows")
    for i in range(3):
        for j in range(3):
            result.vectors[i][j] = vectors[i, j]
    return result


class Coordination:
    """A sum of a switching function over pairs, planned once for many frames.

    atoms       number of atoms in the positions
    a, b        groups: atom numbers from 0. a None: all atoms; b None: each pair within a once.
    pair        True: the k-th entry of a with the k-th of b only
    switching   rational, exp, gaussian, smap, q, cubic, tanh, cosinus or custom
    r_0, d_0    lengths in the unit of the positions; s = 1 up to d_0
    d_max       s = 0 beyond; None: infinite range, but for `plumed_range` (rational: PLUMED's
                implicit d_0 + r_0 (1e-5)^(1/(nn - mm)))
    stretch     False: with a d_max, s is not stretched to reach 0 there
    nn, mm      rational; 0: 6 and 2 nn
    exponents   smap: (a, b)
    beta, lambda_, ref   q
    function    custom: expression in x = (r - d_0)/r_0 or x2
    method      auto, cells, all or list (a list with a skin that misses no pair)
    skin        list: a length; 0: a tenth of the range
    precision   single or double: of the pair arithmetic
    threads     CPU threads; 0: all. Results do not depend on it.
    backend     auto, cpu or cuda

    Raises ArgumentError and InputError for parameters, with the library's message.
    """

    def __init__(self, atoms, a=None, b=None, *, pair=False, switching="rational", r_0=1.0, d_0=0.0,
                 d_max=None, plumed_range=False, stretch=True, nn=0, mm=0, exponents=(0, 0),
                 beta=0.0, lambda_=0.0, ref=0.0, function=None, method="auto", skin=0.0,
                 precision="double", threads=0, backend="cpu"):
        self._context = self._plan = ffi.NULL
        self._atoms = int(atoms)
        self._open_context(threads, backend)
        options = ffi.new("cw_coordination_options *")
        s = options.switching
        s.type = _choose(_SWITCHING, switching, "switching")
        s.r_0, s.d_0, s.d_max = r_0, d_0, 0.0 if d_max is None else d_max
        s.implicit_d_max, s.no_stretch = int(plumed_range), int(not stretch)
        s.nn, s.mm, (s.a, s.b) = nn, mm, exponents
        s.beta, s.ref = beta, ref
        setattr(s, "lambda", lambda_)  # a word of Python's own
        text = ffi.new("char[]", function.encode()) if function is not None else ffi.NULL
        s.function = text
        options.method = _choose(_METHODS, method, "method")
        options.precision = _choose(_PRECISION, precision, "precision")
        options.atoms, options.skin = self._atoms, skin
        groups = self._set_groups(options, a, b, pair)
        plan = ffi.new("cw_coordination **")
        self._check(lib.cw_coordination_create(self._context, options, plan))
        self._plan = plan[0]
        del groups, text

    def _open_context(self, threads, backend):
        options = ffi.new("cw_context_options *")
        options.threads = threads
        options.backend = _choose({"auto": lib.CW_BACKEND_AUTO, "cpu": lib.CW_BACKEND_CPU,
                                   "cuda": lib.CW_BACKEND_CUDA}, backend, "backend")
        message, context = ffi.new("char[1024]"), ffi.new("cw_context **")
        check(lib.cw_context_create(options, context, message, 1024),
              ffi.string(message).decode(errors="replace"))
        self._context = context[0]

    def _set_groups(self, options, a, b, pair):
        if a is None and b is not None:
            a = np.arange(self._atoms, dtype=np.uint32)
        if pair and b is None:
            raise ArgumentError("pair needs two groups")
        kept = []
        self._count = self._atoms
        for name, group in (("a", a), ("b", b)):
            if group is None:
                continue
            numbers = _entries(group, self._atoms, name)
            kept.append(numbers)
            setattr(options, name, ffi.from_buffer("uint32_t[]", numbers))
            setattr(options, "count_" + name, numbers.size)
            if name == "a":
                self._count = numbers.size
        options.pairs = lib.CW_PAIRS_ZIP if pair else \
            lib.CW_PAIRS_PRODUCT if b is not None else lib.CW_PAIRS_SELF
        return kept

    def _check(self, status):
        if status != lib.CW_OK:
            message = ffi.string(lib.cw_context_message(self._context))
            check(status, message.decode(errors="replace"))

    def _view(self, array, what, writable=False):
        """The array's memory as the library sees it, and what keeps it."""
        found = device_array(array)
        if found is None:
            return _coordinates(array, self._atoms, what, writable), array
        view = _device_coordinates(found, self._atoms, what, writable)
        if found.stream is not None:
            self._check(lib.cw_context_wait_for_stream(self._context,
                                                       ffi.cast("void *", found.stream)))
        return view, found

    def compute(self, positions, box=None, *, derivatives=False, per_atom=False, out=None):
        """One frame.

        positions     (atoms, 3) C-contiguous float32 or float64; read where it is, never copied.
                      Or a GPU array (__cuda_array_interface__ or DLPack: CuPy, PyTorch, JAX, Numba),
                      with backend cuda; of any strides
        box           None: no box; (3,) sides, or (3, 3) vectors as rows; unit of the positions
        derivatives   True: a new (atoms, 3) float64 array; or pass `out`, such an array (float32
                      or float64), which is overwritten; it may be a GPU array, too
        Returns a CoordinationResult. Raises ArgumentError (type, shape, layout; a flat box) and
        NumericError (a coordinate that is not finite).
        """
        result = ffi.new("cw_coordination_result *")
        view, held = self._view(positions, "positions")
        sums = None
        if derivatives and out is None:
            out = np.empty((self._atoms, 3), dtype=np.float64)
        if out is not None:
            to, held_out = self._view(out, "out", writable=True)
            result.derivatives = to[0]
        if per_atom:
            sums = np.empty(self._count, dtype=np.float64)
            result.entry_values = ffi.from_buffer("double[]", sums) if self._count else ffi.NULL
        self._check(lib.cw_coordination_compute(self._plan, view[0], _box(box), 0, result))
        del held  # so long must what was borrowed live
        boxed = np.array([[result.box_derivatives[i][j] for j in range(3)] for i in range(3)])
        return CoordinationResult(result.value, out, sums, boxed, result.pairs_in_range)

    @property
    def range(self):
        """Beyond this distance s is 0; infinity where the range is infinite."""
        return lib.cw_coordination_range(self._plan)

    def switching(self, r):
        """s(r) and ds/dr."""
        slope = ffi.new("double *")
        return lib.cw_coordination_switching(self._plan, r, slope), slope[0]

    def close(self):
        """Frees what the library holds; also done when the object goes."""
        if self._plan != ffi.NULL:
            lib.cw_coordination_destroy(self._plan)
        if self._context != ffi.NULL:
            lib.cw_context_destroy(self._context)
        self._plan = self._context = ffi.NULL

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def __del__(self):
        if getattr(self, "_context", None) is not None:
            self.close()


def coordination(positions, box=None, a=None, b=None, *, derivatives=False, per_atom=False,
                 **options):
    """The coordination number of one frame: Coordination(...).compute(...) in one call.

    positions (atoms, 3), box and the flags are those of Coordination.compute; a, b and the options
    those of Coordination. Lengths and the box have the unit of the positions.

    GPU arrays are computed on their device.

    >>> cellwise.coordination(positions, [3, 3, 3], r_0=0.3, d_max=0.9).value
    """
    found = device_array(positions)
    if found is None:
        _coordinates(positions, None, "positions")
        atoms = positions.shape[0]
    else:
        _check_shape(found.shape, None, "positions")
        atoms = found.shape[0]
        options.setdefault("backend", "cuda")
    with Coordination(atoms, a, b, **options) as plan:
        return plan.compute(positions, box, derivatives=derivatives, per_atom=per_atom)
