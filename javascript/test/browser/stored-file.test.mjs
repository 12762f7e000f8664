// A file of OPFS without a browser: what is read ahead is what the file has, whatever is written meanwhile.

import assert from 'node:assert/strict';
import { test } from 'node:test';

import { FileError } from '../../src/files/errors.js';
import { Stored } from '../../browser/stored-file.mjs';
import { Handle, content, isSame, random } from './handle.mjs';

const PAGE = 4096;

function check(stored, expected, offset, length) {
  const memory = new Uint8Array(length + 2).fill(1);
  const count = stored.read(memory, 1, length, offset);
  const wanted = expected.subarray(offset, offset + length);
  assert.equal(count, wanted.length);
  assert.ok(isSame(memory.subarray(1, 1 + count), wanted), `${length} bytes at ${offset}`);
  assert.deepEqual([memory[0], memory[length + 1]], [1, 1]);
}

test('a scan reads ahead, and gives the browser few arrays', () => {
  const handle = new Handle(content(1000 * PAGE));
  const stored = new Stored(handle);
  for (let page = 0; page < 1000; page++) {
    // Each hundredth page is an inner one, which SQLite has already.
    if (page % 100 !== 50) check(stored, handle.bytes, page * PAGE, PAGE);
  }
  assert.ok(handle.reads < 1000 / 16 + 30, `${handle.reads} reads`);
  assert.ok(handle.arrays.size < 4, `${handle.arrays.size} arrays`);
});

test('reads elsewhere read no more than their page', () => {
  const handle = new Handle(content(100 * PAGE));
  const stored = new Stored(handle);
  const next = random(1);
  for (let turn = 0; turn < 200; turn++) check(stored, handle.bytes, Math.floor(next() * 10) * 10 * PAGE, PAGE);
  assert.ok([...handle.arrays].every((array) => array.length === PAGE));
});

test('a page that cannot be read leaves all others readable', () => {
  const handle = new Handle(content(100 * PAGE));
  const stored = new Stored(handle);
  handle.bad = 40 * PAGE + 5;
  for (let page = 0; page < 100; page++) {
    if (page !== 40) check(stored, handle.bytes, page * PAGE, PAGE);
    else assert.throws(() => stored.read(new Uint8Array(PAGE), 0, PAGE, page * PAGE), FileError);
  }
});

for (const base of [0, PAGE]) test(`reads, writes and ends of the file from ${base} on`, () => {
  for (let seed = 1; seed <= 10; seed++) {
    const next = random(seed);
    const whole = new Handle(content(base + 60 * PAGE), base + 80 * PAGE);
    const stored = new Stored(whole, undefined, { base });
    const model = () => whole.bytes.subarray(base);
    let offset = 0;
    for (let turn = 0; turn < 300; turn++) {
      const length = [PAGE, PAGE, PAGE, 512, 16, 24, 3, 3 * PAGE][Math.floor(next() * 8)];
      const choice = next();
      if (choice < 0.3) offset = Math.floor(next() * 85) * PAGE;
      if (choice < 0.8) check(stored, model(), offset, length);
      else if (choice < 0.95) {
        const memory = content(length + 5).fill(next() * 256, 5, 12);
        const fits = offset + length <= 80 * PAGE;
        if (fits) stored.write(memory, 5, length, offset);
        else assert.throws(() => stored.write(memory, 5, length, offset));
        if (fits) assert.ok(isSame(model().subarray(offset, offset + length), memory.subarray(5)));
      } else stored.truncate(Math.floor(next() * 70) * PAGE);
      assert.equal(stored.size, model().length);
      offset += length;
    }
  }
});
