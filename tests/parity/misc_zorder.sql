-- loads: zorder
-- input
SELECT i, zorder(i, abs(n % 1000)), unzorder(zorder(i, abs(n % 1000)), 2, 0), unzorder(zorder(i, abs(n % 1000)), 2, 1), zorder(i, i + 1, i % 7) FROM input;
SELECT zorder(1, 2, 3, 4), zorder(5);
SELECT zorder(-1, 1), zorder(9999999999, 1);
