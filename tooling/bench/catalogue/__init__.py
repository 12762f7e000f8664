"""The suites of the reference documents: what exactly each workload is.

`loop` has the words, then one file for each suite. An id ends in a version; a changed shape is a
new version. Facts about the references are in their documents only; the traps that these fell
into (no gate, another amount of work for each engine, storage divided by the wrong size) are not
repeated here.
"""
