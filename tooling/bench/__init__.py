"""The benchmark behind `make bench`.

Reading order of whole processes: `workloads`, `breadth` and `catalogue/sqlink` (what is run),
`engines` (who runs it), `session` (how it is checked and timed); of loops: `catalogue` (what),
`generator` and `tape` (the data), `players` (who), `loops` (how); `persistent` and `wire` are other
ways. Then `spread` and `confidence` (how runs become a figure), `figures` (what it must be),
`envelope` (how it is kept), `suites`, `report` (terminal, Markdown), `conditions` (what keeps figures
from being recorded); of records: `compare`, `rows` (what they say), `markdown`, `page`, `chapter` (where
it is shown); `command` and `records` (the options). `extensions`, `embedded` and `vec` time statements inside one process.
"""
