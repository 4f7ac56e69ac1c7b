"""Benchmarks: `make bench`. Every figure comes with a baseline measured in the same run where there is one."""
