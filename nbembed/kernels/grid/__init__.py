"""Sums of radial kernels over all pairs of points in nearly linear time, on a plane or in space.

* :mod:`.radial`: the kernel K(r²);
* :mod:`.splines`, :mod:`.loops`: points and grid exchange values;
* :mod:`.plan`: how fine the grid is, and the kernel's transform;
* :mod:`.convolution`: from charges to potential on the grid;
* :mod:`.size`: what it costs, and whether all pairs cost less;
* :mod:`.sums`: all of it together.
"""
