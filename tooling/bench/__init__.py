"""The benchmark behind `make bench`.

Reading order: `workloads` and `breadth` (what is run), `engines` (who runs it),
`session` (how it is checked and timed), `spread` (how runs become a figure),
`figures` (what it must be), `suites`, `report` (terminal, Markdown, JSON),
`conditions` (what keeps figures from being recorded), `command` (the options).
`extensions`, `embedded` and `vec` time statements inside one process.
"""
