"""Exact samplers: integers in, uniform bytes in, integers out.

`literal` is the readable version, one draw at a time in plain Python; `kernels` is the same algorithms
compiled for arrays. On the same bytes both give the same draws, which the tests check.
"""
