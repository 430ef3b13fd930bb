"""What each form and each cone proves

The largest lower bound of the modulus that one level of each form gives, and the seconds that it took. Every
bound is proved: the verifier has accepted an exact identity for it. "xy" on the unit square and Choi's matrix
have modulus 0; the random game has two players, quartic utilities on [-1, 1] and no simple modulus.
"""

import time

import numpy as np
import sympy
from sympy.abc import x, y, z

import sosgames as sg
from sosgames.games import matrix_problem

choi = sympy.Matrix(
    [
        [x**2 + 2 * y**2, -x * y, -x * z],
        [-x * y, y**2 + 2 * z**2, -y * z],
        [-x * z, -y * z, z**2 + 2 * x**2],
    ]
)
strategies = {f"P{i}": sg.Box({f"x{i}": (-1, 1)}) for i in range(2)}
problems = {
    "xy": matrix_problem(sympy.Matrix([[x * y]]), sg.Box({x: (0, 1), y: (0, 1)})),
    "Choi": matrix_problem(choi, sg.Box(dict.fromkeys((x, y, z), (-1, 1)))),
    "random": sg.random_game(strategies, 4, rng=np.random.default_rng(0)),
}
means = [{"form": "matrix"}, {"form": "schmuedgen"}, {"form": "scalar"}, {"cone": "sdsos"}, {"cone": "dsos"}]

print(f"{'problem':8} {'level':>5}  " + "".join(f"{next(iter(m.values())):>20}" for m in means))
for name, problem in problems.items():
    for level in (2, 4):
        cells = []
        for options in means:
            start = time.perf_counter()
            try:
                lower = sg.certify(problem, level=level, **options).lower
                bound = "none" if lower is None else f"{float(lower):.6f}"
            except sg.InputError:  # the lowest level of the scalar form is the degree in both x and y
                bound = "no level"
            cells.append(f"{bound} ({time.perf_counter() - start:.2f} s)")
        print(f"{name:8} {level:5}  " + "".join(f"{cell:>20}" for cell in cells))
