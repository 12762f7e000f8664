"""The benchmark behind `make bench`.

Reading order: `workloads` (what is run), `engines` (who runs it), `session`
(how it is checked and timed), `figures` (what the ratios must be), `report`
(terminal, Markdown, JSON), `conditions` (what keeps figures from being
recorded), `command` (the options).
"""
