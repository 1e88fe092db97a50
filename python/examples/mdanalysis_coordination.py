"""Coordination of water oxygens along a trajectory that MDAnalysis reads (XTC, TRR, DCD, PDB, ...).

    python mdanalysis_coordination.py topology.gro run.xtc --select "name OW" --r0 0.35 --dmax 0.6
"""
import argparse
import sys

import numpy as np

import cellwise

try:
    import MDAnalysis
    from MDAnalysis.lib.mdamath import triclinic_vectors
except ImportError:
    sys.exit("this example needs MDAnalysis: pip install MDAnalysis")

ANGSTROM = 0.1  # nm: MDAnalysis has Angstrom, this script nm


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("files", nargs="+", help="topology, then trajectories")
    parser.add_argument("--select", default="all")
    parser.add_argument("--r0", type=float, default=0.35, help="nm")
    parser.add_argument("--dmax", type=float, default=0.6, help="nm")
    given = parser.parse_args()

    universe = MDAnalysis.Universe(*given.files)
    group = universe.select_atoms(given.select)
    with cellwise.Coordination(len(universe.atoms), group.indices, r_0=given.r0 / ANGSTROM,
                               d_max=given.dmax / ANGSTROM) as plan:
        print("#! FIELDS time c mean largest")
        for frame in universe.trajectory:
            box = None if frame.dimensions is None else triclinic_vectors(frame.dimensions)
            positions = np.ascontiguousarray(frame.positions)  # float32 already: no copy
            result = plan.compute(positions, box, per_atom=True)
            print(f" {frame.time:f} {result.value:.6f} {result.per_atom.mean():.6f} "
                  f"{result.per_atom.max():.6f}")


if __name__ == "__main__":
    main()
