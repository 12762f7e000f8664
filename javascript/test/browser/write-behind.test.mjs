// Writes of journals that wait, without a browser: order, reads, failures, and how many calls a commit has.

import assert from 'node:assert/strict';
import { test } from 'node:test';

import { FileError } from '../../src/files/errors.js';
import { Stored } from '../../browser/stored-file.mjs';
import { DIRECT, JournalWrites, WAL_PADDING, WalWrites, WriteBehind } from '../../browser/write-behind.mjs';
import { Handle, content, isSame, random } from './handle.mjs';

const PAGE = 4096;
const MAGIC = 0xd9;

/** The files of a database, with what SQLite believes that they have. */
class Disk {
  behind = new WriteBehind();
  files = {};
  models = {};

  constructor(sizes) {
    const writes = { database: DIRECT, journal: new JournalWrites(), wal: new WalWrites() };
    for (const [name, size] of Object.entries(sizes)) {
      const handle = new Handle(new Uint8Array(size));
      this.files[name] = { handle, stored: new Stored(handle, this.behind, { writes: writes[name] }) };
      this.models[name] = new Handle(handle.bytes);
    }
  }

  write(name, bytes, offset) {
    this.files[name].stored.write(bytes, 0, bytes.length, offset);
    const end = offset + bytes.length;
    if (name === 'wal' && end > this.models.wal.getSize()) this.models.wal.truncate(end + WAL_PADDING.length);
    this.models[name].write(bytes, { at: offset });
  }

  truncate(name, size) {
    this.files[name].stored.truncate(size);
    this.models[name].truncate(size);
  }

  flush(name) {
    this.files[name].stored.flush();
  }

  /** Whether the browser has all that was written. */
  isWritten(name) {
    return isSame(this.files[name].handle.bytes, this.models[name].bytes);
  }

  checkRead(name, offset, length) {
    const memory = new Uint8Array(length);
    const count = this.files[name].stored.read(memory, 0, length, offset);
    assert.ok(isSame(memory.subarray(0, count), this.models[name].bytes.subarray(offset, offset + length)));
  }

  calls(name) {
    const { writes, flushes } = this.files[name].handle;
    return [writes, flushes];
  }
}

const filled = (length, byte) => new Uint8Array(length).fill(byte);

/** What SQLite does for a commit of `pages` with `locking_mode = exclusive; synchronous = full`. */
function commit(disk, pages, seed) {
  // Its magic comes when the records are there.
  disk.write('journal', filled(512, 0).fill(seed, 12, 28), 0);
  pages.forEach((page, index) => {
    const at = 512 + index * (PAGE + 8);
    disk.write('journal', filled(4, page), at);
    disk.write('journal', filled(PAGE, seed), at + 4);
    disk.write('journal', filled(4, 7), at + 4 + PAGE);
  });
  disk.checkRead('journal', 512 + 512 * Math.ceil(pages.length * (PAGE + 8) / 512), 8);
  disk.flush('journal');
  disk.write('journal', filled(12, MAGIC), 0);
  disk.flush('journal');
  for (const page of pages) disk.write('database', filled(PAGE, seed + 1), page * PAGE);
  assert.ok(disk.isWritten('journal'));
  disk.flush('database');
  disk.write('journal', filled(28, 0), 0);
  assert.ok(disk.isWritten('journal'), 'the end of the journal waits');
  disk.flush('journal');
}

test('a commit writes each run of the journal at once', () => {
  const disk = new Disk({ database: 20 * PAGE, journal: 20 * PAGE });
  for (let turn = 0; turn < 10; turn++) commit(disk, [turn], turn);
  assert.deepEqual(disk.calls('journal'), [30, 30]);
  assert.deepEqual(disk.calls('database'), [10, 10]);
  // One longer than the buffer.
  commit(disk, Array.from({ length: 18 }, (_, page) => page), 9);
  assert.ok(disk.isWritten('journal') && disk.isWritten('database'));
  assert.equal(disk.files.journal.handle.arrays.size < 10, true);
});

test('a frame of a WAL is written at once, and rewriting a head is not put off', () => {
  const disk = new Disk({ database: 20 * PAGE, wal: 0 });
  for (const generation of [1, 2]) {
    disk.write('wal', filled(32, generation), 0);
    for (let frame = 0; frame < 10; frame++) {
      const at = 32 + frame * (PAGE + 24);
      disk.write('wal', filled(24, generation), at);
      disk.write('wal', filled(PAGE, generation), at + 24);
      assert.ok(disk.isWritten('wal'));
      disk.flush('wal');
    }
    // One more for the zeros behind the first head, and later one for each head that is rewritten.
    assert.deepEqual(disk.calls('wal'), [generation * 12, generation * 10]);
    disk.checkRead('wal', 32, 24 + PAGE);
    disk.write('wal', filled(24, 9), 32);
    assert.ok(disk.isWritten('wal'));
  }
  // After an end that was cut off.
  disk.truncate('wal', 32 + PAGE + 24);
  disk.write('wal', filled(24, 5), 32 + PAGE + 24);
  disk.checkRead('wal', 32 + PAGE + 24, 24);
  assert.ok(disk.isWritten('wal'));
});

test('no write waits past one of another file, a flush or a read', () => {
  for (let seed = 1; seed <= 30; seed++) {
    const next = random(seed);
    const pick = (count) => Math.floor(next() * count);
    const disk = new Disk({ database: 30 * PAGE, journal: 20 * PAGE, wal: 5 * PAGE });
    const names = Object.keys(disk.files);
    const at = { database: 0, journal: 0, wal: 0 };
    for (let turn = 0; turn < 300; turn++) {
      const name = names[pick(3)];
      const length = [4, 12, 24, 28, 512, PAGE, PAGE, 3 * PAGE, 70 << 10][pick(9)];
      if (next() < 0.3) at[name] = [0, pick(20) * PAGE, pick(20) * (PAGE + 24)][pick(3)];
      const choice = next();
      if (choice < 0.75) {
        const bytes = content(length).fill(pick(256), 0, 1 + pick(length));
        disk.write(name, bytes, at[name]);
        at[name] += length;
        if (name === 'database' || (name === 'journal' && at[name] === length && length < 512 && bytes[0] === 0)) {
          for (const other of names) assert.ok(disk.isWritten(other), `${other} waits`);
        }
      } else if (choice < 0.85) disk.checkRead(name, pick(25) * PAGE, length);
      else if (choice < 0.95) {
        disk.flush(name);
        for (const other of names) assert.ok(disk.isWritten(other), `${other} waits`);
      } else disk.truncate(name, pick(20) * PAGE);
      assert.equal(disk.files[name].stored.size, disk.models[name].getSize());
    }
  }
});

test('what could not be written is written later, or fails what needs it', () => {
  const disk = new Disk({ database: 20 * PAGE, journal: 20 * PAGE });
  const { handle } = disk.files.journal;
  disk.write('journal', filled(512, MAGIC), 0);
  disk.write('journal', filled(PAGE, 1), 512);
  handle.fails = true;
  for (const needs of [
    () => disk.write('database', filled(PAGE, 1), 0), () => disk.flush('journal'), () => disk.flush('database'),
    () => disk.checkRead('journal', 0, 512), () => disk.truncate('database', 0), () => disk.write('journal', filled(28, 0), 0),
  ]) assert.throws(needs, FileError);
  assert.ok(disk.isWritten('database'));
  handle.fails = false;
  disk.checkRead('journal', 0, 512 + PAGE);
  disk.flush('journal');
  assert.ok(disk.isWritten('journal'));
});

test('a full quota is noticed by the write that needs more', () => {
  const disk = new Disk({ database: 20 * PAGE, journal: 2 * PAGE, wal: 32 });
  const { journal, wal } = disk.files;
  journal.handle.room = 2 * PAGE;
  disk.write('journal', filled(PAGE, MAGIC), 0);
  disk.write('journal', filled(PAGE, 1), PAGE);
  const more = filled(PAGE, 2);
  assert.throws(() => disk.files.journal.stored.write(more, 0, PAGE, 2 * PAGE), FileError);
  assert.equal(journal.stored.size, 2 * PAGE);
  disk.flush('journal');
  assert.ok(disk.isWritten('journal'));

  wal.handle.room = 1000;
  wal.stored.write(more, 0, 24, 32);
  assert.equal(wal.handle.getSize(), 32, 'padding uses the rest of a quota');
  assert.throws(() => wal.stored.write(more, 0, PAGE, 56), FileError);
  assert.equal(wal.stored.size, wal.handle.getSize());
  // The head is gone with its page, and fails nothing else.
  disk.write('database', more, 0);
  disk.flush('database');
});
