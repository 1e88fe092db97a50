"""The Python package against plain NumPy sums, and what it refuses."""
import unittest

import numpy as np

import cellwise


def brute_force(positions, sides, r_0, d_max):
    """Value and derivatives of 1/(1 + (r/r_0)^6), stretched to reach 0 at d_max."""
    low = 1 / (1 + (d_max / r_0) ** 6)
    d = positions[None, :, :] - positions[:, None, :]
    d -= sides * np.round(d / sides)
    r = np.sqrt((d ** 2).sum(axis=2))
    np.fill_diagonal(r, np.inf)
    near = r <= d_max
    x = np.where(near, r, 1.0) / r_0
    s = np.where(near, (1 / (1 + x ** 6) - low) / (1 - low), 0)
    slope = np.where(near, -6 * x ** 5 / (1 + x ** 6) ** 2 / r_0 / (1 - low), 0)
    pull = np.where(near, slope / np.where(near, r, 1), 0)[:, :, None] * d
    return s.sum() / 2, -pull.sum(axis=1), s.sum(axis=1), \
        -0.5 * np.einsum("ij,ija,ijb->ab", np.where(near, slope / np.where(near, r, 1), 0), d, d)


class Values(unittest.TestCase):
    def setUp(self):
        self.sides = np.array([2.0, 2.5, 3.0])
        self.positions = np.random.default_rng(7).random((200, 3)) * self.sides

    def test_everything_equals_a_plain_sum(self):
        value, slope, sums, box = brute_force(self.positions, self.sides, 0.3, 0.9)
        out = cellwise.coordination(self.positions, self.sides, r_0=0.3, d_max=0.9,
                                    derivatives=True, per_atom=True)
        # round-off of 200 terms of size 1
        self.assertLess(abs(out.value - value), 1e-11 * value)
        self.assertTrue(np.allclose(out.derivatives, slope, rtol=0, atol=1e-10))
        self.assertTrue(np.allclose(out.per_atom, sums, rtol=0, atol=1e-12))
        self.assertTrue(np.allclose(out.box_derivatives, box, rtol=0, atol=1e-10))

    def test_box_vectors_and_sides_agree(self):
        a = cellwise.coordination(self.positions, self.sides, r_0=0.3, d_max=0.9).value
        b = cellwise.coordination(self.positions, np.diag(self.sides), r_0=0.3, d_max=0.9).value
        self.assertEqual(a, b)

    def test_single_precision_positions_are_read_as_they_are(self):
        single = self.positions.astype(np.float32)
        a = cellwise.coordination(single, self.sides, r_0=0.3, d_max=0.9).value
        b = cellwise.coordination(single.astype(np.float64), self.sides, r_0=0.3, d_max=0.9).value
        self.assertLess(abs(a - b), 1e-12 * b)

    def test_threads_change_nothing(self):
        found = {cellwise.coordination(self.positions, self.sides, r_0=0.3, d_max=0.9,
                                       threads=n).value for n in (1, 2, 3)}
        self.assertEqual(len(found), 1)

    def test_groups_and_pairs(self):
        a, b = np.arange(0, 50), np.arange(40, 90)
        plan = cellwise.Coordination(200, a, b, r_0=0.3, d_max=0.9)
        d = self.positions[b][None] - self.positions[a][:, None]
        d -= self.sides * np.round(d / self.sides)
        r = np.sqrt((d ** 2).sum(axis=2))
        s = np.array([[plan.switching(x)[0] for x in row] for row in r])
        s[a[:, None] == b[None, :]] = 0
        out = plan.compute(self.positions, self.sides, per_atom=True)
        self.assertTrue(abs(out.value - s.sum()) <= 1e-12 * s.sum())
        self.assertTrue(np.allclose(out.per_atom, s.sum(axis=1), rtol=0, atol=1e-12))
        zipped = cellwise.coordination(self.positions, self.sides, a, b, pair=True, r_0=0.3,
                                       d_max=0.9)
        self.assertTrue(abs(zipped.value - np.trace(s)) <= 1e-12)

    def test_derivatives_go_into_an_array_of_the_caller(self):
        out = np.full((200, 3), np.nan, dtype=np.float32)
        plan = cellwise.Coordination(200, r_0=0.3, d_max=0.9)
        result = plan.compute(self.positions, self.sides, out=out)
        self.assertIs(result.derivatives, out)
        right = brute_force(self.positions, self.sides, 0.3, 0.9)[1]
        self.assertTrue(np.allclose(out, right, rtol=1e-6, atol=1e-5))  # float32 storage

    def test_custom_and_range(self):
        plan = cellwise.Coordination(200, switching="custom", function="1/(1+x2^3)", r_0=0.3)
        self.assertEqual(plan.range, np.inf)
        self.assertAlmostEqual(plan.switching(0.3)[0], 0.5, places=15)
        self.assertAlmostEqual(plan.switching(0.3)[1], -1.5 / 0.3, places=12)


class FakeInterface:
    """What CuPy, Numba and PyTorch show of an array on a device."""

    def __init__(self, shape=(4, 3), typestr="<f8", strides=None, read_only=False, stream=None):
        self.__cuda_array_interface__ = {"shape": shape, "typestr": typestr, "strides": strides,
                                         "data": (1 << 20, read_only), "version": 3,
                                         "stream": stream}


class FakeDLPack:
    """A host array that says that it is on a device: what is read is its description."""

    def __init__(self, array):
        self.array = array

    def __dlpack_device__(self):
        return 2, 0

    def __dlpack__(self, stream=None):
        return self.array.__dlpack__()


class GPUArrays(unittest.TestCase):
    """Their description; what a device does with them is for a device."""

    def test_descriptions(self):
        from cellwise._device import device_array
        self.assertIsNone(device_array(np.zeros((4, 3))))
        found = device_array(FakeInterface((5, 3), "<f4", None, True, 7))
        self.assertEqual((found.type, found.shape, found.strides, found.read_only, found.stream),
                         ("f4", (5, 3), (12, 4), True, 7))
        found = device_array(FakeInterface((5, 3), "<f8", (8, 40)))
        self.assertEqual((found.pointer, found.strides), (1 << 20, (8, 40)))
        for array in (np.zeros((6, 3), dtype=np.float32), np.zeros((3, 6)).T, np.zeros((12, 3))[::2]):
            found = device_array(FakeDLPack(array))
            self.assertEqual((found.pointer, found.shape, found.strides),
                             (array.ctypes.data, array.shape, array.strides))
            self.assertEqual(found.type, array.dtype.str[1:])

    def refused(self, kind, part, array, **options):
        with self.assertRaises(kind) as caught:
            cellwise.coordination(array, r_0=0.3, **{"backend": "cpu", **options})
        self.assertIn(part, str(caught.exception))

    def test_refusals(self):
        e = cellwise.ArgumentError
        self.refused(e, "shape", FakeInterface((4, 2)))
        self.refused(e, "i4", FakeInterface(typestr="<i4"))
        self.refused(e, ">f8", FakeInterface(typestr=">f8"))
        self.refused(e, "strides", FakeInterface(strides=(20, 8)))
        self.refused(e, "strides", FakeInterface(strides=(-24, 8)))
        self.refused(e, "type 0", FakeDLPack(np.zeros((4, 3), dtype=np.int64)))
        self.refused(cellwise.UnsupportedError, "backend is cpu", FakeInterface())
        self.refused(cellwise.UnsupportedError, "backend cpu", FakeInterface(stream=1))
        plan = cellwise.Coordination(4, r_0=0.3)
        with self.assertRaises(e) as caught:
            plan.compute(np.zeros((4, 3)), out=FakeInterface(read_only=True))
        self.assertIn("read-only", str(caught.exception))


class Refusals(unittest.TestCase):
    good = np.zeros((4, 3)) + np.arange(4)[:, None]

    def refused(self, kind, part, *arguments, **options):
        with self.assertRaises(kind) as caught:
            cellwise.coordination(*arguments, **{"r_0": 0.3, **options})
        self.assertIn(part, str(caught.exception))
        self.assertIsInstance(caught.exception, cellwise.CellwiseError)

    def test_arrays(self):
        e = cellwise.ArgumentError
        self.refused(e, "int64", np.zeros((4, 3), dtype=np.int64))
        self.refused(e, "list", [[0.0, 0.0, 0.0]])
        self.refused(e, "float16", np.zeros((4, 3), dtype=np.float16))
        self.refused(e, ">f8", np.zeros((4, 3), dtype=">f8"))
        self.refused(e, "shape", np.zeros((4, 2)))
        self.refused(e, "shape", np.zeros(12))
        self.refused(e, "contiguous", np.zeros((3, 4)).T)
        self.refused(e, "contiguous", np.zeros((8, 3))[::2])

    def test_parameters(self):
        e = cellwise.ArgumentError
        self.refused(e, "R_0", self.good, r_0=0.0)
        self.refused(e, "switching", self.good, switching="cosine")
        self.refused(e, "atom numbers", self.good, None, [0, 4])
        self.refused(e, "atom numbers", self.good, None, [-1, 2])
        self.refused(e, "pair", self.good, pair=True)
        self.refused(e, "box", self.good, [1.0, 2.0])
        self.refused(e, "", self.good, np.array([[1.0, 0, 0], [2.0, 0, 0], [0, 0, 1.0]]))
        self.refused(cellwise.InputError, "z", self.good, switching="custom", function="z+1")
        self.refused(e, "", self.good, None, [0, 1], [2], pair=True)

    def test_coordinates_that_are_not_finite(self):
        bad = self.good.copy()
        bad[2, 1] = np.nan
        self.refused(cellwise.NumericError, "", bad)

    def test_output_arrays(self):
        plan = cellwise.Coordination(4, r_0=0.3)
        fixed = np.zeros((4, 3))
        fixed.flags.writeable = False
        for out in (np.zeros((3, 3)), fixed):
            with self.assertRaises(cellwise.ArgumentError):
                plan.compute(self.good, out=out)

    def test_every_status_has_its_class(self):
        kinds = {k.status: k for k in vars(cellwise).values()
                 if isinstance(k, type) and issubclass(k, cellwise.CellwiseError) and k.status}
        self.assertEqual(sorted(kinds), list(range(1, 12)))
        self.assertTrue(all(k.__doc__ for k in kinds.values()))


if __name__ == "__main__":
    unittest.main()
