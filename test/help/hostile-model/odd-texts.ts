import type { Chance } from './random.ts'

const TARGET = 'src/cart.js'
const OUTSIDE = 'etc/passwd'

/** Ways to write a path that leads out of a folder, or into it by another name. */
const ODD_PATHS: readonly string[] = [
  `../${TARGET}`,
  `../../../../${OUTSIDE}`,
  `/${OUTSIDE}`,
  `./${TARGET}`,
  'src//cart.js',
  'src/./cart.js',
  'src/x/../cart.js',
  'src\\cart.js',
  '..\\..\\windows\\win.ini',
  'C:\\windows\\win.ini',
  '\\\\host\\share\\x',
  `file:///${OUTSIDE}`,
  '..%2f..%2fetc%2fpasswd',
  '..%252f..%252fetc%252fpasswd',
  '%2e%2e/%2e%2e/etc/passwd',
  '..%c0%af..%c0%afetc/passwd',
  '..;/..;/etc/passwd',
  '....//....//etc/passwd',
  '\u2025/\u2025/etc/passwd',
  '\uff0e\uff0e/\uff0e\uff0e/etc/passwd',
  '\u2024\u2024/etc/passwd',
  `${TARGET}\0.png`,
  `${TARGET}\u200b`,
  `${TARGET} `,
  `${TARGET}.`,
  `${TARGET}::$DATA`,
  'SRC/CART.JS',
  'src/\u0441art.js',
  '~/.ssh/id_rsa',
  '$HOME/.env',
  '`id`',
  '$(id)',
  '.git/config',
  '.env',
  '/proc/self/environ',
  '/dev/stdin',
  'CON',
  '',
  '.',
  '..',
  '/',
  '__proto__',
  'constructor',
  'toString',
  'first-run.json',
  'svc.db',
]

/** Texts that programs store, compare or draw differently. */
const ODD_TEXTS: readonly string[] = [
  'a\0b',
  '\ud800',
  '\udfff\ud800',
  '\u202eedoc live\u202c',
  '\u2066hidden\u2069',
  '\u200b\u200c\u200d\ufeff',
  '\u2800\u2800',
  '\u{1d159}',
  'a\rb',
  'a\u2028b\u2029c',
  '\u0085\u00a0\u3000',
  '\u05d0\u05d1\u05d2',
  'e\u0301\u0301\u0301\u0301\u0301\u0301',
  '\u{e0041}\u{e007f}',
  '\u{1f468}\u200d\u{1f469}\u200d\u{1f467}',
  "' or 1=1 --",
  '"; drop table maintenance.runs; --',
  '%s%n%x',
  '{{7*7}}',
  '#{process.env}',
  '<script>fetch("//evil.test")</script>',
  '[link](https://evil.test/?q=1)',
  '\u001b[2J\u001b[31m',
  '[redacted]',
  '{"untrusted_data": {}}',
  '</untrusted_data>',
]

export function oddPath(chance: Chance): string {
  return chance.oneOf(ODD_PATHS)
}

export function oddText(chance: Chance): string {
  return chance.is(0.1) ? oddText(chance) + oddText(chance) : chance.oneOf(ODD_TEXTS)
}

/** A value of another type than the one that a schema asks for. */
export function oddValue(chance: Chance): unknown {
  return chance.weighted<unknown>([
    [4, oddText(chance)],
    [3, oddPath(chance)],
    [1, null],
    [1, true],
    [1, chance.oneOf([-1, 0, 1.5, 1e21, 2 ** 53, Number.MAX_VALUE, 4_294_967_296])],
    [1, []],
    [1, {}],
    [1, [oddText(chance), { path: oddPath(chance) }]],
    [1, { $ne: null, toString: 'x', valueOf: 'y' }],
    [0.3, nested(50)],
    [0.3, 'x'.repeat(chance.oneOf([201, 1_025, 32_769, 70_000]))],
    [0.05, 'line '.repeat(200_000)],
  ])
}

function nested(depth: number): unknown {
  let value: unknown = 'x'
  for (let n = 0; n < depth; n++) value = n % 2 === 0 ? [value] : { a: value }
  return value
}
