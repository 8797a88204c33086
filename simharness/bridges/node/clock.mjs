// Virtual time and seeded randomness for a child in Node: timers, dates and random numbers.
//
// Time is what the harness says. Timers that are due run in order, each after the promises that the
// one before has settled, as in Node itself. Nothing here knows about agents.
import crypto from 'node:crypto';
import { syncBuiltinESMExports } from 'node:module';
import timers from 'node:timers';
import timersPromises from 'node:timers/promises';

const EPOCH_MS = 1_700_000_000_000; // the same day on which trials in Python begin
const RESOLUTION_S = 1e-9;
const realImmediate = globalThis.setImmediate;

let now = 0; // virtual seconds
let made = 0;
let seed = 0;
let immediates = 0; // that somebody else has set and that did not run yet
let timersSet = new Map(); // number -> timer

class Timer {
  constructor(callback, delay, args, repeats) {
    this.delay = Math.max(1, Number(delay) || 1) / 1000; // Node makes 0 a millisecond, too
    this.callback = callback;
    this.args = args;
    this.repeats = repeats;
    this.number = ++made;
    this.refresh();
  }
  refresh() {
    this.due = now + this.delay;
    timersSet.set(this.number, this);
    return this;
  }
  close() {
    timersSet.delete(this.number);
    return this;
  }
  ref() {
    return this;
  }
  unref() {
    return this;
  }
  hasRef() {
    return true;
  }
  [Symbol.toPrimitive]() {
    return this.number;
  }
  [Symbol.dispose ?? Symbol('dispose')]() {
    this.close();
  }
}

const set = (repeats) => (callback, delay, ...args) => new Timer(callback, delay, args, repeats);
const clear = (timer) => {
  timersSet.delete(typeof timer === 'object' && timer !== null ? timer.number : Number(timer));
};

function setCountedImmediate(callback, ...args) {
  immediates += 1;
  return realImmediate(() => {
    immediates -= 1;
    callback(...args);
  });
}

const sleep = (delay, value, options) =>
  new Promise((resolve, reject) => {
    const signal = options?.signal;
    signal?.throwIfAborted();
    const timer = new Timer(resolve, delay, [value], false);
    signal?.addEventListener('abort', () => {
      timer.close();
      reject(signal.reason);
    });
  });

function timeoutSignal(delay) {
  const controller = new AbortController();
  const reason = () => new DOMException('The operation was aborted due to timeout', 'TimeoutError');
  new Timer(() => controller.abort(reason()), delay, [], false);
  return controller.signal;
}

function random() {
  seed = (seed + 0x6d2b79f5) | 0; // mulberry32: small, and the same everywhere
  let t = Math.imul(seed ^ (seed >>> 15), 1 | seed);
  t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
  return ((t ^ (t >>> 14)) >>> 0) / 4294967296;
}

function fill(target) {
  const bytes = new Uint8Array(target.buffer, target.byteOffset, target.byteLength);
  bytes.forEach((_, place) => (bytes[place] = Math.floor(random() * 256)));
  return target;
}

function uuid() {
  const hex = fill(Buffer.alloc(16)).toString('hex');
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-4${hex.slice(13, 16)}-8${hex.slice(17, 20)}-${hex.slice(20)}`;
}

const virtualMs = () => EPOCH_MS + now * 1000;
const RealDate = Date;
class VirtualDate extends RealDate {
  constructor(...args) {
    super(...(args.length ? args : [virtualMs()]));
  }
  static now() {
    return Math.floor(virtualMs());
  }
}

/** Put virtual time and seeded randomness in the place of the real ones; once, before imports. */
export function install() {
  const replaced = {
    setTimeout: set(false),
    setInterval: set(true),
    setImmediate: setCountedImmediate,
    clearTimeout: clear,
    clearInterval: clear,
  };
  Object.assign(globalThis, replaced, { Date: VirtualDate });
  Object.assign(timers, replaced);
  timersPromises.setTimeout = sleep;
  timersPromises.scheduler.wait = sleep;
  AbortSignal.timeout = timeoutSignal;
  performance.now = () => now * 1000;
  Math.random = random;
  crypto.randomUUID = uuid;
  crypto.randomBytes = (size, callback) => {
    const bytes = fill(Buffer.alloc(size));
    return callback ? queueMicrotask(() => callback(null, bytes)) : bytes;
  };
  crypto.randomFillSync = fill;
  Object.assign(globalThis.crypto, { randomUUID: uuid, getRandomValues: fill });
  syncBuiltinESMExports();
}

/** Begin a trial: no timers are left, and the same random numbers come again. */
export function restart() {
  timersSet = new Map();
  seed = 1;
}

/** Let virtual time be `at` seconds. */
export function advance(at) {
  now = Math.max(now, at);
}

/** Begin time anew. */
export function rewind() {
  now = 0;
}

const earliest = () =>
  [...timersSet.values()].reduce(
    (first, timer) =>
      !first || timer.due < first.due || (timer.due === first.due && timer.number < first.number)
        ? timer
        : first,
    undefined,
  );

/** When the next timer is due, in virtual seconds; undefined if none is set. */
export const deadline = () => earliest()?.due;

/** Wait until all promises have settled that can, and nothing is under way in Node itself. */
async function settle() {
  do {
    await new Promise((resolve) => realImmediate(resolve));
  } while (immediates > 0 || process.getActiveResourcesInfo().some((one) => !RESTING.has(one)));
}

const RESTING = new Set(['PipeWrap', 'TTYWrap', 'Immediate', 'Timeout', 'MessagePort']);

/** Run what is due until nothing is left to do at this moment. */
export async function untilQuiet() {
  await settle();
  for (let timer = earliest(); timer && timer.due <= now + RESOLUTION_S; timer = earliest()) {
    if (timer.repeats) timer.refresh();
    else timer.close();
    timer.callback(...timer.args);
    await settle();
  }
}
