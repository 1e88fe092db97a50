"""GPU arrays of other packages, where they are: __cuda_array_interface__, else DLPack."""
import ctypes
from dataclasses import dataclass

_CPU, _CUDA, _CUDA_HOST, _CUDA_MANAGED = 1, 2, 3, 13  # DLDeviceType
_FLOAT = 2  # DLDataTypeCode


@dataclass
class DeviceArray:
    """Where an array of reals lies in device memory. Strides in bytes."""

    pointer: int
    type: str  # "f4", "f8", or what else was found
    shape: tuple
    strides: tuple
    read_only: bool
    stream: object  # what must have finished before it is read; None: nothing
    owner: object  # keeps the memory


class _Tensor(ctypes.Structure):
    _fields_ = [("data", ctypes.c_void_p), ("device_type", ctypes.c_int32),
                ("device_id", ctypes.c_int32), ("ndim", ctypes.c_int32), ("code", ctypes.c_uint8),
                ("bits", ctypes.c_uint8), ("lanes", ctypes.c_uint16),
                ("shape", ctypes.POINTER(ctypes.c_int64)),
                ("strides", ctypes.POINTER(ctypes.c_int64)), ("byte_offset", ctypes.c_uint64)]


def _compact(shape, size):
    strides, step = [], size
    for n in reversed(shape):
        strides.insert(0, step)
        step *= n
    return tuple(strides)


def _from_interface(array):
    described = array.__cuda_array_interface__
    kind, shape = described["typestr"], tuple(described["shape"])
    size = int(kind[2:])
    pointer, read_only = described["data"]
    return DeviceArray(pointer or 0, kind[1:] if kind[0] in "<|=" else kind, shape,
                       tuple(described.get("strides") or _compact(shape, size)), read_only,
                       described.get("stream"), array)


def _from_dlpack(array):
    capsule = array.__dlpack__(stream=1)  # the default stream may read it then
    pointer_of = ctypes.pythonapi.PyCapsule_GetPointer
    pointer_of.restype, pointer_of.argtypes = ctypes.c_void_p, [ctypes.py_object, ctypes.c_char_p]
    tensor = _Tensor.from_address(pointer_of(capsule, b"dltensor"))
    shape = tuple(tensor.shape[k] for k in range(tensor.ndim))
    size = tensor.bits // 8
    strides = tuple(tensor.strides[k] * size for k in range(tensor.ndim)) if tensor.strides \
        else _compact(shape, size)
    kind = f"f{size}" if tensor.code == _FLOAT and tensor.lanes == 1 \
        else f"type {tensor.code} of {tensor.bits} bits"
    return DeviceArray((tensor.data or 0) + tensor.byte_offset, kind, shape, strides, False, 1,
                       capsule)


def device_array(array):
    """Describes a GPU array; None for anything else."""
    if hasattr(array, "__cuda_array_interface__"):
        return _from_interface(array)
    if hasattr(array, "__dlpack_device__") and hasattr(array, "__dlpack__") and \
            int(array.__dlpack_device__()[0]) in (_CUDA, _CUDA_MANAGED):
        return _from_dlpack(array)
    return None
