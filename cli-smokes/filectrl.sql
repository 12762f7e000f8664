-- cli-smokes/filectrl.sql: .filectrl asks the VFS and the pager.
CREATE TABLE t(a);
.filectrl persist_wal
.filectrl psow
.filectrl size_limit
.filectrl chunk_size 8192
.filectrl has_moved
.filectrl data_version
.filectrl reserve_bytes
.filectrl tempfilename nonsense
.filectrl nonsense
