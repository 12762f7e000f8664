'use strict';
// `error-code` of wit/host/files.wit, from the errors of the system.

/** The positions of `error-code`. */
const ERROR = Object.freeze({
  NOT_GRANTED: 0,
  ACCESS: 1,
  NOT_FOUND: 2,
  EXISTS: 3,
  IS_DIRECTORY: 4,
  IS_LINK: 5,
  READ_ONLY: 6,
  FULL: 7,
  TOO_LARGE: 8,
  TOO_MANY_FILES: 9,
  UNSUPPORTED: 10,
  INVALID: 11,
  IO: 12,
});

/** An operation that failed; anything else that is thrown ends the engine. */
class FileError extends Error {
  constructor(code) {
    super(`file error ${code}`);
    this.fileCode = code;
  }
}

const BY_NAME = new Map([
  ['EACCES', ERROR.ACCESS],
  ['EPERM', ERROR.ACCESS],
  ['ENOENT', ERROR.NOT_FOUND],
  ['ENOTDIR', ERROR.NOT_FOUND],
  ['EEXIST', ERROR.EXISTS],
  ['EISDIR', ERROR.IS_DIRECTORY],
  ['ELOOP', ERROR.IS_LINK],
  ['EROFS', ERROR.READ_ONLY],
  ['ENOSPC', ERROR.FULL],
  ['EDQUOT', ERROR.FULL],
  ['EFBIG', ERROR.TOO_LARGE],
  ['EMFILE', ERROR.TOO_MANY_FILES],
  ['ENFILE', ERROR.TOO_MANY_FILES],
  ['EOPNOTSUPP', ERROR.UNSUPPORTED],
  ['ENOSYS', ERROR.UNSUPPORTED],
  ['EINVAL', ERROR.INVALID],
  ['ENAMETOOLONG', ERROR.INVALID],
]);

/** The code of an error of node:fs; throws what is none. */
function codeOf(error) {
  if (error instanceof FileError) return error.fileCode;
  if (typeof error?.syscall !== 'string') throw error;
  return BY_NAME.get(error.code) ?? ERROR.IO;
}

module.exports = { BY_NAME, ERROR, FileError, codeOf };
